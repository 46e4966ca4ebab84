//! Reads and writes under the lock: all files of a change, or none of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::change::text_of;
use super::history::{History, Stage, Version};
use super::lock::Lock;
use super::{Change, EditError};
use crate::config::load::load_view;
use crate::config::view::{Overlay, View};
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
        // The same folder by whatever name: a relative one must mean it to an undo from somewhere else too.
        let absolute = || std::path::absolute(&places.config_dir);
        let config_dir = fs::canonicalize(&places.config_dir).or_else(|_| absolute());
        let config_dir = config_dir.unwrap_or_else(|_| places.config_dir.clone());
        Self {
            // Beside what it guards: two shells may disagree on where state belongs.
            lock: config_dir.join(".lock"),
            history: History::new(places.history_dir(), config_dir.clone()),
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
    pub fn undo(&self) -> Result<TurnedBack, EditError> {
        let _lock = Lock::take(&self.lock)?;
        while let Some(version) = self.history.last_done()? {
            let changes = make_open(&back(&version), &version.what)?;
            if version.stage == Stage::Begun && changes.is_empty() {
                // A crash came before anything was made.
                self.history.forget(&version)?;
                continue;
            }
            self.history.mark(&version, Stage::Undone)?;
            return Ok(TurnedBack { what: version.what, changes });
        }
        Err(EditError::NothingToUndo)
    }

    /// The same over what was changed by hand since. It is a change itself: an undo brings the other text back.
    ///
    /// # Errors
    /// Nothing to undo, or a file can't be read or written.
    pub fn undo_anyway(&self) -> Result<TurnedBack, EditError> {
        let mut transaction = self.begin()?;
        let version = self.history.last_done()?.ok_or(EditError::NothingToUndo)?;
        for change in back(&version) {
            transaction.put(&change.file, change.after)?;
        }
        let changes = transaction.commit_anyway(&format!("undo {}", version.what))?;
        Ok(TurnedBack { what: version.what, changes })
    }

    /// Makes the oldest change that was undone again.
    ///
    /// # Errors
    /// As [`Store::undo`].
    pub fn redo(&self) -> Result<TurnedBack, EditError> {
        let _lock = Lock::take(&self.lock)?;
        let version = self.history.first_undone()?.ok_or(EditError::NothingToRedo)?;
        let changes = make_open(&version.changes, &version.what)?;
        self.history.mark(&version, Stage::Made)?;
        Ok(TurnedBack { what: version.what, changes })
    }

    /// What can be undone, newest first, and then what can be done again.
    pub fn versions(&self) -> Result<Vec<Version>, EditError> {
        self.history.versions()
    }
}

/// A change that was taken back, or made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnedBack {
    /// What the change was.
    pub what: String,
    /// What had to be written for it: nothing, where the files were so already.
    pub changes: Vec<Change>,
}

fn back(version: &Version) -> Vec<Change> {
    version.changes.iter().map(Change::reversed).collect()
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

    /// Gives a file another name in its folder, and this text. Its mode stays, and a symlink leads where it led.
    ///
    /// # Errors
    /// What is there now can't be read: it would be lost.
    pub fn rename(&mut self, old: &Path, new: &Path, text: String) -> Result<(), EditError> {
        let mut renamed = Change::in_place_of(self.change(old)?, &absolute(new))?;
        renamed.after = Some(text);
        self.files.insert(renamed.file.clone(), renamed);
        self.put(old, None)
    }

    /// Tells what the file held when the person began, before the lock: it must hold that still.
    pub fn began_with(&mut self, file: &Path, text: Option<String>) {
        let file = absolute(file);
        self.files.insert(file.clone(), Change::since(&file, text));
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
        let history = &self.store.history;
        let version = history.begin(what, &changes)?;
        if let Err(error) = make_all(&changes) {
            // The first error is the one to tell.
            let _ = history.forget(&version);
            return Err(error);
        }
        history.made(&version)?;
        Ok(changes)
    }

    fn change(&mut self, file: &Path) -> Result<&mut Change, EditError> {
        let file = absolute(file);
        if !self.files.contains_key(&file) {
            self.files.insert(file.clone(), Change::none(&file)?);
        }
        // It was just put there.
        self.files.get_mut(&file).ok_or(EditError::Changed(file))
    }
}

fn absolute(file: &Path) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| file.to_owned())
}

/// Makes the changes that aren't made yet, and gives them. A file that holds neither text stops it.
fn make_open(changes: &[Change], what: &str) -> Result<Vec<Change>, EditError> {
    let mut open = Vec::new();
    for change in changes {
        let now = text_of(&change.file)?;
        if now == change.before {
            open.push(change.clone());
        } else if now != change.after {
            return Err(EditError::ChangedByHand { file: change.file.clone(), what: what.to_owned() });
        }
    }
    make_all(&open)?;
    Ok(open)
}

/// New texts first, removals last: a crash in between loses nothing. What fails is taken back.
fn make_all(changes: &[Change]) -> Result<(), EditError> {
    let (removals, texts): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.after.is_none());
    let order: Vec<&Change> = texts.into_iter().chain(removals).collect();
    for (at, change) in order.iter().enumerate() {
        if let Err(source) = change.make() {
            for made in &order[..at] {
                // The first error is the one to tell; the history holds every text.
                let _ = made.reversed().make();
            }
            return Err(EditError::Write { file: change.file.clone(), source });
        }
    }
    Ok(())
}
