//! Files that only the user may read, because they hold a session's token.

use std::fs::{DirBuilder, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A file of mode 0600 that a launch writes before its child starts. No `Debug`: the content holds a token.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateFile {
    pub path: PathBuf,
    pub contents: String,
}

/// The file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{path} can't be written: {source}; the session's folder must be yours and have room")]
pub struct WriteError {
    path: PathBuf,
    source: std::io::Error,
}

impl PrivateFile {
    /// Owner only.
    pub const MODE: u32 = 0o600;

    /// Writes it whole or not at all; missing folders are made with mode 0700.
    pub fn write(&self) -> Result<(), WriteError> {
        self.write_whole().map_err(|source| WriteError { path: self.path.clone(), source })
    }

    fn write_whole(&self) -> std::io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let permissions = Permissions::from_mode(Self::MODE);
        let mut file = tempfile::Builder::new().permissions(permissions).tempfile_in(folder)?;
        file.write_all(self.contents.as_bytes())?;
        file.persist(&self.path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_its_folders_are_the_users_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b/settings.json");
        for contents in ["first", "second"] {
            PrivateFile { path: path.clone(), contents: contents.to_owned() }.write().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), contents);
        }
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        let blocked = PrivateFile { path: path.join("x"), contents: "secret".to_owned() };
        assert!(!blocked.write().unwrap_err().to_string().contains("secret"));
    }
}
