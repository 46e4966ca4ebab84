//! Keeps unsaved work on disk while it is written, so that a crash costs half a second of it at most.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::config::Places;
use crate::config::edit::{Unsaved, unsaved_key};

/// From the first key that isn't on disk until it is.
const DELAY: Duration = Duration::from_millis(500);

/// What is kept, and what of it the disk doesn't know yet.
pub(super) struct Keeper {
    disk: Unsaved,
    kept: Arc<BTreeMap<String, String>>,
    /// By agent's name.
    changed: BTreeSet<String>,
    due: Option<Instant>,
}

impl Keeper {
    pub(super) fn new(places: &Places) -> Self {
        let disk = Unsaved::new(places);
        let kept = Arc::new(disk.all());
        Self { disk, kept, changed: BTreeSet::new(), due: None }
    }

    pub(super) fn all(&self) -> Arc<BTreeMap<String, String>> {
        Arc::clone(&self.kept)
    }

    pub(super) fn keep(&mut self, agent: String, text: Option<String>) {
        let kept = Arc::make_mut(&mut self.kept);
        match text {
            Some(text) => kept.insert(unsaved_key(&agent), text),
            None => kept.remove(&unsaved_key(&agent)),
        };
        self.changed.insert(agent);
        self.due.get_or_insert_with(|| Instant::now() + DELAY);
    }

    /// When the disk is to know it.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    pub(super) fn write_due(&mut self) {
        if self.due.is_some_and(|due| due <= Instant::now()) {
            self.write();
        }
    }

    /// Now.
    pub(super) fn write(&mut self) {
        self.due = None;
        for agent in std::mem::take(&mut self.changed) {
            let text = self.kept.get(&unsaved_key(&agent)).map(String::as_str);
            if let Err(error) = self.disk.keep(&agent, text) {
                tracing::warn!(%error, "unsaved work can't be kept");
            }
        }
    }

    /// What another program has made of it.
    pub(super) fn read(&mut self) {
        self.kept = Arc::new(self.disk.all());
    }
}
