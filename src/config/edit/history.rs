//! The last changes, each in a file of its own, so that they can be undone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Change, EditError};
use crate::config::write::{create_private_folder, write_private_file};

/// Changes that are kept of one configuration folder.
const KEPT: usize = 10;

/// One change that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Counted up over all changes.
    pub number: u64,
    pub at: Timestamp,
    /// For a person: `agent set reviewer model`
    pub what: String,
    /// It was taken back, and can be done again.
    pub undone: bool,
    pub changes: Vec<Change>,
    /// The configuration folder that it belongs to.
    config_dir: PathBuf,
}

/// The folder of the changes.
#[derive(Debug)]
pub(super) struct History {
    folder: PathBuf,
    config_dir: PathBuf,
}

impl History {
    pub(super) fn new(folder: PathBuf, config_dir: PathBuf) -> Self {
        Self { folder, config_dir }
    }

    /// Newest first. Other folders' changes are left out, and files that can't be understood too.
    pub(super) fn versions(&self) -> Result<Vec<Version>, EditError> {
        let mut versions: Vec<Version> = self.all()?;
        versions.retain(|version| version.config_dir == self.config_dir);
        Ok(versions)
    }

    pub(super) fn last_done(&self) -> Result<Option<Version>, EditError> {
        Ok(self.versions()?.into_iter().find(|version| !version.undone))
    }

    pub(super) fn first_undone(&self) -> Result<Option<Version>, EditError> {
        Ok(self.versions()?.into_iter().take_while(|version| version.undone).last())
    }

    /// Keeps a change that is about to be made. What was undone before can't be done again after it.
    pub(super) fn record(&self, what: &str, changes: &[Change]) -> Result<Version, EditError> {
        let number = self.all()?.first().map_or(1, |newest| newest.number + 1);
        let version = Version {
            number,
            at: Timestamp::now(),
            what: what.to_owned(),
            undone: false,
            changes: changes.to_vec(),
            config_dir: self.config_dir.clone(),
        };
        create_private_folder(&self.folder).map_err(|source| self.failed(source))?;
        self.write(&version)?;
        let versions = self.versions()?;
        let past = versions.iter().filter(|version| !version.undone).skip(KEPT);
        for old in past.chain(versions.iter().filter(|version| version.undone)) {
            self.forget(old);
        }
        Ok(version)
    }

    pub(super) fn mark_undone(&self, version: &Version) -> Result<(), EditError> {
        self.write(&Version { undone: true, ..version.clone() })
    }

    pub(super) fn mark_done(&self, version: &Version) -> Result<(), EditError> {
        self.write(&Version { undone: false, ..version.clone() })
    }

    /// What is left behind is pruned later.
    pub(super) fn forget(&self, version: &Version) {
        let _ = fs::remove_file(self.file(version.number));
    }

    fn all(&self) -> Result<Vec<Version>, EditError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(self.failed(source)),
        };
        let mut versions: Vec<Version> = entries.flatten().filter_map(|entry| read(&entry.path())).collect();
        versions.sort_by_key(|version| std::cmp::Reverse(version.number));
        Ok(versions)
    }

    fn write(&self, version: &Version) -> Result<(), EditError> {
        let text = serde_json::to_vec(version).map_err(|error| self.failed(error.into()))?;
        write_private_file(&self.file(version.number), &text).map_err(|source| self.failed(source))
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:08}.json"))
    }

    fn failed(&self, source: io::Error) -> EditError {
        EditError::History { folder: self.folder.clone(), source }
    }
}

fn read(file: &Path) -> Option<Version> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}
