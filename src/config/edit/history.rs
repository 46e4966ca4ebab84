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
    pub stage: Stage,
    pub changes: Vec<Change>,
    /// The configuration folder that it belongs to.
    config_dir: PathBuf,
}

/// How far a change has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// About to be made. It stays so where a crash came in between: some of its files may be changed.
    Begun,
    Made,
    /// Taken back; it can be made again.
    Undone,
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
        Ok(self.versions()?.into_iter().find(|version| version.stage != Stage::Undone))
    }

    pub(super) fn first_undone(&self) -> Result<Option<Version>, EditError> {
        Ok(self.versions()?.into_iter().take_while(|version| version.stage == Stage::Undone).last())
    }

    /// Keeps a change that is about to be made.
    pub(super) fn begin(&self, what: &str, changes: &[Change]) -> Result<Version, EditError> {
        create_private_folder(&self.folder).map_err(|source| self.failed(source))?;
        self.remove_litter();
        let version = Version {
            number: self.all()?.first().map_or(1, |newest| newest.number + 1),
            at: Timestamp::now(),
            what: what.to_owned(),
            stage: Stage::Begun,
            changes: changes.to_vec(),
            config_dir: self.config_dir.clone(),
        };
        self.write(&version)?;
        Ok(version)
    }

    /// A change was made: what was undone before can't be done again, and the oldest goes.
    pub(super) fn made(&self, version: &Version) -> Result<(), EditError> {
        self.mark(version, Stage::Made)?;
        let (undone, past): (Vec<Version>, Vec<Version>) =
            self.versions()?.into_iter().partition(|version| version.stage == Stage::Undone);
        undone.iter().chain(past.iter().skip(KEPT)).try_for_each(|old| self.forget(old))
    }

    pub(super) fn mark(&self, version: &Version, stage: Stage) -> Result<(), EditError> {
        self.write(&Version { stage, ..version.clone() })
    }

    pub(super) fn forget(&self, version: &Version) -> Result<(), EditError> {
        fs::remove_file(self.file(version.number)).map_err(|source| self.failed(source))
    }

    /// What a writer left behind that was killed. Nobody else writes here: the lock is held.
    fn remove_litter(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| number(&entry.path()).is_none()) {
            // One that stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }

    fn all(&self) -> Result<Vec<Version>, EditError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(self.failed(source)),
        };
        let files = entries.flatten().map(|entry| entry.path()).filter(|file| number(file).is_some());
        let mut versions: Vec<Version> = files.filter_map(|file| read(&file)).collect();
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

/// The number that a change's file is named by; other files are none.
fn number(file: &Path) -> Option<u64> {
    file.file_name()?.to_str()?.strip_suffix(".json")?.parse().ok()
}

fn read(file: &Path) -> Option<Version> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}
