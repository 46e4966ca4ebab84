//! The configuration folder's files as they are, or as they would be after a change that isn't made yet.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files whose contents are taken for these; `None`: taken for missing.
pub(super) type Overlay = BTreeMap<PathBuf, Option<String>>;

/// What is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    overlay: Option<&'a Overlay>,
}

impl<'a> View<'a> {
    /// The files as they are.
    pub(super) fn of_disk() -> Self {
        Self { overlay: None }
    }

    /// The files as they would be with the overlay.
    pub(super) fn with(overlay: &'a Overlay) -> Self {
        Self { overlay: Some(overlay) }
    }

    /// The first `limit` bytes of a file.
    pub(super) fn bytes(self, file: &Path, limit: u64) -> io::Result<Vec<u8>> {
        match self.overlaid(file) {
            Some(Some(text)) => Ok(text.as_bytes().to_owned()),
            Some(None) => Err(io::ErrorKind::NotFound.into()),
            None => of_disk(file, limit),
        }
    }

    /// Every path in the folder, in the order of their names; none where there is no folder.
    pub(super) fn paths(self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = match fs::read_dir(folder) {
            Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        paths.retain(|path| !matches!(self.overlaid(path), Some(None)));
        let added = self.overlay.into_iter().flatten().filter(|(_, text)| text.is_some());
        paths.extend(added.map(|(path, _)| path.clone()).filter(|path| path.parent() == Some(folder)));
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// Whether there is a file that can be read, or a link that should lead to one.
    pub(super) fn is_file(self, path: &Path) -> bool {
        match self.overlaid(path) {
            Some(text) => text.is_some(),
            // A pipe would be waited for; a link to nothing is told when it is read.
            None => !path.is_dir() && (path.is_file() || path.is_symlink()),
        }
    }

    fn overlaid(self, file: &Path) -> Option<&'a Option<String>> {
        self.overlay?.get(file)
    }
}

fn of_disk(file: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // A pipe would be waited for.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}
