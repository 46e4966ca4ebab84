//! What the person has trusted: for each project's file, the digest of what it said then.
//!
//! One private file for each, named by the digest of the project file's path, so that two processes never write the
//! same one for two projects. A program that runs as the person can write here too; trust is no barrier against it.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ProjectFile;
use crate::config::Places;
use crate::config::digest::sha256;
use crate::config::write::{create_private_folder, write_private_file};

/// The records of what was trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    folder: PathBuf,
}

/// One record. `file` is there for a person who looks; the name of the record's file decides.
#[derive(Serialize, Deserialize)]
struct Record {
    version: u32,
    file: String,
    sha256: String,
}

impl Trust {
    pub fn new(places: &Places) -> Self {
        Self { folder: places.trust_dir() }
    }

    /// From now on the file counts, until it says something else.
    ///
    /// # Errors
    /// The record can't be written.
    pub fn grant(&self, file: &ProjectFile) -> io::Result<()> {
        let record =
            Record { version: 1, file: file.path().to_string_lossy().into_owned(), sha256: file.digest() };
        let text = serde_json::to_vec_pretty(&record).map_err(io::Error::other)?;
        create_private_folder(&self.folder)?;
        write_private_file(&self.record(file.path()), &text)
    }

    /// From now on nothing at this path counts. Says whether something did.
    ///
    /// # Errors
    /// The record can't be removed.
    pub fn revoke(&self, file: &Path) -> io::Result<bool> {
        match fs::remove_file(self.record(file)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The digest of what was trusted at this path. A record that can't be read is none: the person is asked again.
    pub(super) fn digest_of(&self, file: &Path) -> Option<String> {
        let text = fs::read(self.record(file)).ok()?;
        let record: Record = serde_json::from_slice(&text).ok()?;
        (record.version == 1).then_some(record.sha256)
    }

    fn record(&self, file: &Path) -> PathBuf {
        self.folder.join(format!("{}.json", sha256(file.as_os_str().as_bytes())))
    }
}
