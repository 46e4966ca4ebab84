//! Hears of changed files. While none changes, nothing is done.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::Sender;

use super::driver::Heard;

/// What is listened to, as long as this is held.
pub(super) struct Watch {
    watcher: RecommendedWatcher,
    folders: Vec<PathBuf>,
    /// Those that aren't there.
    missing: Vec<PathBuf>,
    /// What is there of the way to them, where they would be made.
    ways: BTreeSet<PathBuf>,
}

impl Watch {
    /// Tells of every change in these folders, also in those that are made later.
    ///
    /// # Errors
    /// The system has no more of what it takes.
    pub(super) fn begin<'f>(
        folders: impl Iterator<Item = &'f PathBuf>,
        told: Sender<Heard>,
    ) -> notify::Result<Self> {
        let folders: Vec<PathBuf> = folders.cloned().collect();
        let wanted = folders.clone();
        // On the way to a folder much may change that is nobody's business here.
        let matters = move |path: &PathBuf| {
            wanted.iter().any(|folder| path.starts_with(folder) || folder.starts_with(path))
        };
        // That thread waits for a full queue, so that no change is missed. Whoever listened may have gone.
        let watcher = changes(move |mut paths| {
            paths.retain(&matters);
            if !paths.is_empty() {
                let _ = told.blocking_send(Heard::Changed(paths));
            }
        })?;
        let mut watch = Self { watcher, missing: folders.clone(), folders, ways: BTreeSet::new() };
        watch.look_again();
        Ok(watch)
    }

    /// Folders that weren't there may be there now; whether one is.
    pub(super) fn look_again(&mut self) -> bool {
        let before = self.missing.len();
        let mut ways = BTreeSet::new();
        let mut missing = std::mem::take(&mut self.missing);
        missing.retain(|folder| !self.reach(folder, &mut ways));
        self.missing = missing;
        for past in std::mem::replace(&mut self.ways, ways).difference(&self.ways) {
            if !self.folders.contains(past) {
                // One that is gone needs no goodbye.
                let _ = self.watcher.unwatch(past);
            }
        }
        self.missing.len() < before
    }

    /// Listens to the folder, or to what is there of the way to it; whether it is the folder.
    fn reach(&mut self, folder: &Path, ways: &mut BTreeSet<PathBuf>) -> bool {
        let way = || folder.ancestors().skip(1).find(|way| way.is_dir());
        loop {
            if self.listen(folder) {
                return true;
            }
            let Some(found) = way().filter(|found| self.listen(found)) else { return false };
            ways.insert(found.to_owned());
            // More of the way may have been made before this was listened to.
            if way() == Some(found) {
                return self.listen(folder);
            }
        }
    }

    fn listen(&mut self, folder: &Path) -> bool {
        self.watcher.watch(folder, RecursiveMode::NonRecursive).is_ok()
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use tokio::sync::mpsc::{Receiver, channel};
    use tokio::time::timeout;

    use super::*;

    /// The next that is told.
    async fn next(heard: &mut Receiver<Heard>) -> Vec<PathBuf> {
        match timeout(Duration::from_secs(20), heard.recv()).await {
            Ok(Some(Heard::Changed(paths))) => paths,
            _ => panic!("nothing is told"),
        }
    }

    #[tokio::test]
    async fn a_folder_that_is_made_later_is_listened_to_and_nothing_beside_the_way_to_it() {
        let root = tempfile::tempdir().unwrap();
        let there = root.path().join("there");
        fs::create_dir(&there).unwrap();
        let [later, within] = [root.path().join("a/b/c"), there.join("within")];
        let (told, mut heard) = channel(64);
        let mut watch = Watch::begin([&there, &later, &within].into_iter(), told).unwrap();
        assert!(!watch.look_again());
        fs::write(root.path().join("beside"), "").unwrap();
        fs::create_dir_all(&later).unwrap();
        while !watch.look_again() {
            let paths = next(&mut heard).await;
            assert!(paths.iter().all(|path| later.starts_with(path)), "{paths:?}");
        }
        assert_eq!(watch.ways, BTreeSet::from([there.clone()]), "the way is of no interest any more");
        fs::create_dir(&within).unwrap();
        while !watch.look_again() {
            next(&mut heard).await;
        }
        assert_eq!(watch.ways, BTreeSet::new());
        let file = later.join("file");
        fs::write(&file, "").unwrap();
        while next(&mut heard).await != [file.clone()] {}
        for folder in [&there, &within] {
            fs::write(folder.join("file"), "").unwrap();
            while next(&mut heard).await != [folder.join("file")] {}
        }
    }
}
