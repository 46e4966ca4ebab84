//! Reads and writes under the lock: all files of a change, or none of them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::history::{History, Version};
use super::lock::Lock;
use super::{Change, EditError};
use crate::config::load::load_view;
use crate::config::view::{Overlay, View};
use crate::config::write::{create_private_folder, write_private_file};
use crate::config::{Places, Problem, Severity};

/// The configuration folder, its lock and its history.
#[derive(Debug)]
pub struct Store {
    config_dir: PathBuf,
    lock: PathBuf,
    history: History,
}

impl Store {
    pub fn new(places: &Places) -> Self {
        // A relative `--config-dir` must mean the same folder to an undo from somewhere else.
        let config_dir =
            std::path::absolute(&places.config_dir).unwrap_or_else(|_| places.config_dir.clone());
        Self {
            lock: places.state_dir.join("edit.lock"),
            history: History::new(places.state_dir.join("history"), config_dir.clone()),
            config_dir,
        }
    }

    /// Begins a change: nobody else can make one until it is committed or dropped.
    ///
    /// # Errors
    /// The lock can't be made, or somebody holds it for more than 10 s.
    pub fn begin(&self) -> Result<Transaction<'_>, EditError> {
        Ok(Transaction { store: self, _lock: Lock::take(&self.lock)?, files: BTreeMap::new() })
    }

    /// Makes the newest change that isn't undone undone.
    ///
    /// # Errors
    /// Nothing to undo, or one of its files has changed since: then nothing is.
    pub fn undo(&self) -> Result<Version, EditError> {
        let _lock = Lock::take(&self.lock)?;
        while let Some(version) = self.history.last_done()? {
            let back: Vec<Change> = version.changes.iter().map(Change::reversed).collect();
            if write_back(&back)? {
                self.history.mark_undone(&version)?;
                return Ok(version);
            }
            // It was recorded and never made: a crash came in between.
            self.history.forget(&version);
        }
        Err(EditError::NothingToUndo)
    }

    /// Makes the oldest change that was undone again.
    ///
    /// # Errors
    /// As [`Store::undo`].
    pub fn redo(&self) -> Result<Version, EditError> {
        let _lock = Lock::take(&self.lock)?;
        let version = self.history.first_undone()?.ok_or(EditError::NothingToRedo)?;
        write_back(&version.changes)?;
        self.history.mark_done(&version)?;
        Ok(version)
    }

    /// What can be undone, newest first, and then what can be done again.
    pub fn versions(&self) -> Result<Vec<Version>, EditError> {
        self.history.versions()
    }
}

impl Change {
    /// What takes it back.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { file: self.file.clone(), before: self.after.clone(), after: self.before.clone() }
    }
}

/// A change that is being made. Dropped, it changes nothing.
#[derive(Debug)]
pub struct Transaction<'s> {
    store: &'s Store,
    _lock: Lock,
    files: BTreeMap<PathBuf, Change>,
}

impl Transaction<'_> {
    /// The file's text, with what this change has put there; `None`: no such file.
    ///
    /// # Errors
    /// The file can't be read, or is no UTF-8.
    pub fn read(&mut self, file: &Path) -> Result<Option<String>, EditError> {
        Ok(self.change(file)?.after.clone())
    }

    /// What the file shall hold; `None`: it is removed.
    ///
    /// # Errors
    /// What is there now can't be read: it would be lost.
    pub fn put(&mut self, file: &Path, text: Option<String>) -> Result<(), EditError> {
        self.change(file)?.after = text;
        Ok(())
    }

    /// Tells what the file held when the person began, before the lock: it must hold that still.
    pub fn began_with(&mut self, file: &Path, text: Option<String>) {
        let file = absolute(file);
        self.files.insert(file.clone(), Change { file, before: text.clone(), after: text });
    }

    /// What [`Transaction::commit`] would do.
    pub fn changes(&self) -> Vec<Change> {
        self.files.values().filter(|change| change.before != change.after).cloned().collect()
    }

    /// Errors that the folder would have with this change, and doesn't have now.
    pub fn breaks(&self) -> Vec<Problem> {
        let overlay: Overlay = self.files.iter().map(|(file, c)| (file.clone(), c.after.clone())).collect();
        let config_dir = &self.store.config_dir;
        let (_, before) = load_view(config_dir, View::of_disk());
        let (_, after) = load_view(config_dir, View::with(&overlay));
        // The line isn't compared: whatever is inserted moves the rest.
        let known =
            |new: &Problem| before.iter().any(|old| (&old.file, &old.message) == (&new.file, &new.message));
        after.into_iter().filter(|new| new.severity == Severity::Error && !known(new)).collect()
    }

    /// Writes everything, or nothing. `what` tells a person what was done, for the undo.
    ///
    /// # Errors
    /// [`EditError::Breaks`], if something would be wrong that isn't now; [`EditError::Changed`], if somebody
    /// wrote to one of the files without taking the lock; or a file can't be written.
    pub fn commit(self, what: &str) -> Result<Vec<Change>, EditError> {
        match self.breaks() {
            breaks if breaks.is_empty() => self.commit_anyway(what),
            breaks => Err(EditError::Breaks(breaks)),
        }
    }

    /// The same without asking whether something would be wrong.
    pub fn commit_anyway(self, what: &str) -> Result<Vec<Change>, EditError> {
        let changes = self.changes();
        if changes.is_empty() {
            return Ok(changes);
        }
        for change in &changes {
            if text_of(&change.file)? != change.before {
                return Err(EditError::Changed(change.file.clone()));
            }
        }
        let version = self.store.history.record(what, &changes)?;
        if let Err(error) = write_all(&changes) {
            self.store.history.forget(&version);
            return Err(error);
        }
        Ok(changes)
    }

    fn change(&mut self, file: &Path) -> Result<&mut Change, EditError> {
        let file = absolute(file);
        if !self.files.contains_key(&file) {
            let text = text_of(&file)?;
            let change = Change { file: file.clone(), before: text.clone(), after: text };
            self.files.insert(file.clone(), change);
        }
        // It was just put there.
        self.files.get_mut(&file).ok_or(EditError::Changed(file))
    }
}

fn absolute(file: &Path) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| file.to_owned())
}

pub(super) fn text_of(file: &Path) -> Result<Option<String>, EditError> {
    match fs::read(file) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| EditError::NotText(file.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(EditError::Read { file: file.to_owned(), source }),
    }
}

/// Makes the changes that aren't made yet; whether there were any. A file that holds neither text stops it.
fn write_back(changes: &[Change]) -> Result<bool, EditError> {
    let mut open = Vec::new();
    for change in changes {
        let now = text_of(&change.file)?;
        if now == change.before {
            open.push(change.clone());
        } else if now != change.after {
            return Err(EditError::Changed(change.file.clone()));
        }
    }
    write_all(&open)?;
    Ok(!open.is_empty())
}

/// New texts first, removals last: a crash in between loses nothing. What fails is taken back.
fn write_all(changes: &[Change]) -> Result<(), EditError> {
    let (removals, texts): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.after.is_none());
    let order: Vec<&Change> = texts.into_iter().chain(removals).collect();
    for (at, change) in order.iter().enumerate() {
        if let Err(source) = write(&change.file, change.after.as_deref()) {
            for made in &order[..at] {
                // The first error is the one to tell; the history holds every text.
                let _ = write(&made.file, made.before.as_deref());
            }
            return Err(EditError::Write { file: change.file.clone(), source });
        }
    }
    Ok(())
}

fn write(file: &Path, text: Option<&str>) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let Some(text) = text else {
        fs::remove_file(file)?;
        return File::open(folder)?.sync_all();
    };
    if !folder.exists() {
        create_private_folder(folder)?;
    }
    write_private_file(file, text.as_bytes())
}
