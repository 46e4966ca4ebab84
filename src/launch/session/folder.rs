//! A session's own folder: made for one launch, and never another's.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::config::write::create_private_folder;
use crate::launch::live::Claim;

/// A folder of our own making, removed when this is dropped: its files hold the token.
pub(super) struct Folder(PathBuf);

/// Why there is no folder for a session.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("the session's folder {}: {source}", folder.display())]
    Creation { folder: PathBuf, source: io::Error },
    #[error(
        "the session's folder {} is there already: give another --session, or remove the folder if no session uses \
         it",
        .0.display()
    )]
    Taken(PathBuf),
}

impl Folder {
    /// One that is there belongs to another launch, whose files are not ours to replace or to remove.
    pub(super) fn create(folder: PathBuf) -> Result<Self, FolderError> {
        let parent = folder.parent().unwrap_or(Path::new("."));
        let created =
            create_private_folder(parent).and_then(|()| DirBuilder::new().mode(0o700).create(&folder));
        match created {
            Ok(()) => Ok(Self(folder)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(FolderError::Taken(folder)),
            Err(source) => Err(FolderError::Creation { folder, source }),
        }
    }

    /// The same for a session that is claimed: what is there was left by a process that died.
    pub(super) fn create_claimed(folder: PathBuf, _claim: &Claim) -> Result<Self, FolderError> {
        match std::fs::remove_dir_all(&folder) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(FolderError::Creation { folder, source })
            }
            _ => Self::create(folder),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Somebody else has removed it then.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_launches_never_share_a_folder() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("run/session");
        let first = Folder::create(path.clone()).unwrap();
        let second = Folder::create(path.clone());
        assert!(matches!(second, Err(FolderError::Taken(_))));
        assert!(path.exists(), "the second launch leaves the first's alone");
        drop(first);
        assert!(!path.exists());
    }
}
