//! Reads what is new in the ledger: requests of all sessions, those in terminals of their own too.
//!
//! Nothing is read while nothing changes, and four times a second at most in a storm. No ledger is made.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::Sender;

use super::driver::Heard;
use super::watch::changes;
use crate::ledger::{Ledger, LedgerError, Mark, Newer};
use crate::ui::app::event::{KEPT_REQUESTS, News};

/// The shortest time between two readings.
const PAUSE: Duration = Duration::from_millis(250);

/// When the ledger is to be read, and by whom.
pub(super) struct Requests {
    /// `None`: it is reading.
    reader: Option<Reader>,
    /// Something may be new.
    is_stale: bool,
    last: Option<Instant>,
    bell: Arc<AtomicBool>,
    _watcher: Option<RecommendedWatcher>,
}

/// Keeps the ledger open, and remembers how far it was read.
pub(super) struct Reader {
    file: PathBuf,
    open: Option<Open>,
    mark: Mark,
}

/// The ledger, and which file it was: another one may stand in its place meanwhile.
struct Open {
    ledger: Ledger,
    identity: (u64, u64),
}

impl Requests {
    /// `told` hears of changes of the file.
    pub(super) fn new(file: &Path, told: Sender<Heard>) -> Self {
        let bell = Arc::<AtomicBool>::default();
        let watcher = watch(file, Arc::clone(&bell), told);
        let watcher =
            watcher.inspect_err(|error| tracing::warn!(%error, "changes of the ledger aren't noticed")).ok();
        Self { reader: Some(Reader::new(file)), is_stale: true, last: None, bell, _watcher: watcher }
    }

    /// Something may be new.
    pub(super) fn stale(&mut self) {
        self.is_stale = true;
    }

    /// When it is to be read although nothing comes.
    pub(super) fn due(&self) -> Option<Instant> {
        let is_due = self.is_stale && self.reader.is_some();
        is_due.then(|| self.last.map_or_else(Instant::now, |last| last + PAUSE))
    }

    /// Whoever is to read now, if it is time.
    pub(super) fn begin(&mut self) -> Option<Reader> {
        self.due().filter(|due| *due <= Instant::now())?;
        self.is_stale = false;
        self.bell.store(false, Ordering::Release);
        self.last = Some(Instant::now());
        self.reader.take()
    }

    /// It has read.
    pub(super) fn end(&mut self, reader: Reader) {
        self.reader = Some(reader);
    }
}

impl Reader {
    fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), open: None, mark: Mark::default() }
    }

    /// What is new since it read last; `None`: nothing is. It may take a while.
    pub(super) fn read(&mut self) -> Option<News> {
        match self.newer() {
            Ok(newer) => {
                self.mark = newer.mark;
                let Newer { rows, skipped, lost, .. } = newer;
                let is_news = !rows.is_empty() || skipped > 0 || lost > 0;
                is_news.then(|| News::Requests {
                    rows: rows.into_iter().map(Arc::new).collect(),
                    skipped,
                    lost,
                })
            }
            Err(error) => {
                tracing::warn!(%error, "the requests can't be read");
                self.open = None;
                None
            }
        }
    }

    fn newer(&mut self) -> Result<Newer, LedgerError> {
        let identity = fs::metadata(&self.file).ok().map(|file| (file.dev(), file.ino()));
        if self.open.as_ref().map(|open| open.identity) != identity {
            self.mark = Mark::default();
            self.open =
                identity.and_then(|identity| Some(Open { ledger: Ledger::look(&self.file)?, identity }));
        }
        match &self.open {
            Some(open) => open.ledger.since(self.mark, KEPT_REQUESTS),
            None => Ok(Newer::default()),
        }
    }
}

/// Rings once when the file or one of its journals changes, until the bell is taken back.
fn watch(file: &Path, bell: Arc<AtomicBool>, told: Sender<Heard>) -> notify::Result<RecommendedWatcher> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_it = move |path: &PathBuf| {
        let changed = path.file_name().unwrap_or_default().to_string_lossy();
        // Readers themselves write in the third of its files, `-shm`.
        changed.strip_prefix(name.as_str()).is_some_and(|rest| ["", "-wal", "-journal"].contains(&rest))
    };
    let mut watcher = changes(move |paths| {
        if !paths.iter().any(&is_it) {
            return;
        }
        if !bell.swap(true, Ordering::AcqRel) && told.try_send(Heard::Written).is_err() {
            // Nobody heard it: the next change rings again.
            bell.store(false, Ordering::Release);
        }
    })?;
    watcher.watch(file.parent().unwrap_or(Path::new(".")), RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::channel;

    use super::*;
    use crate::ledger::testing;

    fn told(reader: &mut Reader) -> Option<(Vec<i64>, u64, u64)> {
        match reader.read()? {
            News::Requests { rows, skipped, lost } => {
                Some((rows.iter().map(|row| row.at).collect(), skipped, lost))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_new_is_told_once_and_no_ledger_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ledger.db");
        let mut reader = Reader::new(&file);
        assert_eq!(told(&mut reader), None);
        assert!(!file.exists());
        testing::keep(&file, 1, &[1, 2]);
        assert_eq!(told(&mut reader), Some((vec![1, 2], 0, 0)));
        assert_eq!(told(&mut reader), None);
        testing::keep(&file, 2, &[3]);
        assert_eq!(told(&mut reader), Some((vec![3], 0, 0)));
    }

    #[test]
    fn another_file_in_its_place_is_read_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("ledger.db"), folder.path().join("other.db"));
        testing::keep(&file, 1, &[1, 2, 3]);
        let mut reader = Reader::new(&file);
        told(&mut reader);
        testing::keep(&other, 2, &[7]);
        fs::rename(&other, &file).unwrap();
        assert_eq!(told(&mut reader), Some((vec![7], 0, 0)));
        fs::remove_file(&file).unwrap();
        assert_eq!(told(&mut reader), None);
    }

    #[tokio::test]
    async fn a_written_ledger_rings_and_is_read_four_times_a_second_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ledger.db");
        let (sender, mut heard) = channel(16);
        let mut requests = Requests::new(&file, sender);
        let reader = requests.begin().unwrap();
        assert!(requests.begin().is_none(), "it reads already");
        requests.end(reader);
        assert_eq!(requests.due(), None, "nothing is new");
        testing::keep(&file, 1, &[1]);
        assert!(matches!(heard.recv().await, Some(Heard::Written)));
        requests.stale();
        let due = requests.due().unwrap();
        assert!(requests.last.is_some_and(|last| due == last + PAUSE));
    }
}
