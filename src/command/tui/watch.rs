//! Hears of changed files. While none changes, nothing is done.

use std::path::{Path, PathBuf};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::Sender;

use super::driver::Heard;

/// What is listened to, as long as this is held.
pub(super) struct Watch {
    watcher: RecommendedWatcher,
    /// Folders that aren't there.
    missing: Vec<PathBuf>,
}

impl Watch {
    /// Tells of every change in these folders. A folder that isn't there is left out for now.
    ///
    /// # Errors
    /// The system has no more of what it takes.
    pub(super) fn begin<'f>(
        folders: impl Iterator<Item = &'f PathBuf>,
        told: Sender<Heard>,
    ) -> notify::Result<Self> {
        // That thread waits for a full queue, so that no change is missed. Whoever listened may have gone.
        let watcher = changes(move |paths| _ = told.blocking_send(Heard::Changed(paths)))?;
        let missing = folders.cloned().collect();
        let mut watch = Self { watcher, missing };
        watch.look_again();
        for folder in &watch.missing {
            tracing::warn!(folder = %folder.display(), "changes there aren't noticed");
        }
        Ok(watch)
    }

    /// One of the folders that weren't there may be there now.
    pub(super) fn look_again(&mut self) {
        let watcher = &mut self.watcher;
        self.missing.retain(|folder| watcher.watch(folder, RecursiveMode::NonRecursive).is_err());
    }
}

/// Tells, on a thread of its own, which files were written, made or removed; not those that were only read.
///
/// # Errors
/// The system has no more of what it takes.
pub(super) fn changes(
    mut hear: impl FnMut(Vec<PathBuf>) + Send + 'static,
) -> notify::Result<RecommendedWatcher> {
    notify::recommended_watcher(move |event: notify::Result<Event>| match event {
        Ok(event) if !matches!(event.kind, EventKind::Access(_)) => hear(event.paths),
        _ => {}
    })
}

/// Whether one of the paths is in this folder.
pub(super) fn is_in(paths: &[PathBuf], folder: &Path) -> bool {
    paths.iter().any(|path| path.starts_with(folder))
}
