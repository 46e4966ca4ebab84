//! Reads what is new in the ledger: requests of all sessions, and from them the figures of those in terminals of their
//! own, where nobody can be asked.
//!
//! Nothing is read while nothing changes, and four times a second at most in a storm. No ledger is made.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::Sender;
use uuid::Uuid;

use super::driver::Heard;
use super::watch::changes;
use crate::launch::sessions::{Account, Listed, Place};
use crate::ledger::{Filter, Ledger, LedgerError, Mark, Newer};
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
    /// Those that live in terminals of their own.
    alone: Vec<Uuid>,
    bell: Arc<AtomicBool>,
    _watcher: Option<RecommendedWatcher>,
}

/// Keeps the ledger open, and remembers how far it was read.
pub(super) struct Reader {
    file: PathBuf,
    open: Option<Open>,
    mark: Mark,
    /// Of the sessions that are to be told of.
    accounts: BTreeMap<Uuid, Account>,
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
        Self {
            reader: Some(Reader::new(file)),
            is_stale: true,
            last: None,
            alone: Vec::new(),
            bell,
            _watcher: watcher,
        }
    }

    /// Something may be new.
    pub(super) fn stale(&mut self) {
        self.is_stale = true;
    }

    /// The app knows these sessions from now on, so that it takes their figures.
    pub(super) fn list(&mut self, listed: &[Listed]) {
        let alone = listed.iter().filter(|listed| listed.place == Some(Place::Terminal));
        let alone: Vec<Uuid> = alone.map(|listed| listed.session).collect();
        self.is_stale |= alone.iter().any(|session| !self.alone.contains(session));
        self.alone = alone;
    }

    /// When it is to be read although nothing comes.
    pub(super) fn due(&self) -> Option<Instant> {
        let is_due = self.is_stale && self.reader.is_some();
        is_due.then(|| self.last.map_or_else(Instant::now, |last| last + PAUSE))
    }

    /// Whoever is to read now, and whose figures, if it is time.
    pub(super) fn begin(&mut self) -> Option<(Reader, Vec<Uuid>)> {
        self.due().filter(|due| *due <= Instant::now())?;
        self.is_stale = false;
        self.bell.store(false, Ordering::Release);
        self.last = Some(Instant::now());
        Some((self.reader.take()?, self.alone.clone()))
    }

    /// It has read.
    pub(super) fn end(&mut self, reader: Reader) {
        self.reader = Some(reader);
    }
}

impl Reader {
    fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), open: None, mark: Mark::default(), accounts: BTreeMap::new() }
    }

    /// What is new since it read last, and what that makes of these sessions' figures. It may take a while.
    pub(super) fn read(&mut self, alone: &[Uuid]) -> Vec<News> {
        self.news(alone).unwrap_or_else(|error| {
            tracing::warn!(%error, "the requests can't be read");
            self.open = None;
            Vec::new()
        })
    }

    fn news(&mut self, alone: &[Uuid]) -> Result<Vec<News>, LedgerError> {
        let identity = fs::metadata(&self.file).ok().map(|file| (file.dev(), file.ino()));
        if self.open.as_ref().map(|open| open.identity) != identity {
            self.mark = Mark::default();
            self.accounts.clear();
            self.open =
                identity.and_then(|identity| Some(Open { ledger: Ledger::look(&self.file)?, identity }));
        }
        let Some(open) = &self.open else { return Ok(Vec::new()) };
        let newer = open.ledger.since(self.mark, KEPT_REQUESTS)?;
        self.mark = newer.mark;
        if newer.skipped > 0 {
            self.accounts.clear();
        }
        self.accounts.retain(|session, _| alone.contains(session));
        let mut news = Vec::new();
        for session in alone {
            if account(&mut self.accounts, *session, &newer, &open.ledger)? {
                news.push(figures(*session, &self.accounts[session]));
            }
        }
        let Newer { rows, skipped, lost, .. } = newer;
        if !rows.is_empty() || skipped > 0 || lost > 0 {
            news.push(News::Requests { rows: rows.into_iter().map(Arc::new).collect(), skipped, lost });
        }
        Ok(news)
    }
}

/// Adds to a session's account what is new, or all that there is if it has none yet; whether it is another one now.
fn account(
    accounts: &mut BTreeMap<Uuid, Account>,
    session: Uuid,
    newer: &Newer,
    ledger: &Ledger,
) -> Result<bool, LedgerError> {
    if let Some(account) = accounts.get_mut(&session) {
        let id = session.to_string();
        let mut new = newer.rows.iter().filter(|row| row.session == id).peekable();
        let is_new = new.peek().is_some();
        new.for_each(|row| account.add(row));
        return Ok(is_new);
    }
    let (rows, _) = ledger.requests(&Filter { session: Some(session), ..Filter::default() }, u32::MAX)?;
    let account = accounts.entry(session).or_default();
    // What was kept meanwhile comes with the next reading.
    rows.iter().filter(|row| newer.mark.has(row)).for_each(|row| account.add(row));
    Ok(true)
}

fn figures(session: Uuid, account: &Account) -> News {
    let stats = serde_json::to_value(account.figures()).unwrap_or_default();
    News::Stats { session, stats: Arc::new(stats) }
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

    /// The times of the requests that are told, and how many aren't.
    fn told(news: &[News]) -> Option<(Vec<i64>, u64, u64)> {
        news.iter().find_map(|news| match news {
            News::Requests { rows, skipped, lost } => {
                Some((rows.iter().map(|row| row.at).collect(), *skipped, *lost))
            }
            _ => None,
        })
    }

    /// How many requests the sessions have that figures are told of.
    fn counted(news: &[News]) -> Vec<(u128, u64)> {
        let told = news.iter().filter_map(|news| match news {
            News::Stats { session, stats } => {
                Some((session.as_u128(), stats["routes"][0]["requests"].as_u64().unwrap_or(0)))
            }
            _ => None,
        });
        told.collect()
    }

    #[test]
    fn figures_are_of_all_requests_of_a_session_and_told_when_there_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ledger.db");
        let mut reader = Reader::new(&file);
        let mut read = |alone: &[u128]| {
            counted(&reader.read(&alone.iter().copied().map(Uuid::from_u128).collect::<Vec<_>>()))
        };
        assert_eq!(read(&[1]), [], "there is no ledger");
        testing::keep(&file, 1, &[1, 2]);
        testing::keep(&file, 2, &[3]);
        assert_eq!(read(&[]), []);
        assert_eq!(read(&[1]), [(1, 2)], "those too that were read before it was listed");
        assert_eq!(read(&[1]), []);
        testing::keep(&file, 2, &[4]);
        assert_eq!(read(&[1]), [], "another one's");
        testing::keep(&file, 1, &[5]);
        assert_eq!(read(&[1, 2]), [(1, 3), (2, 2)]);
        assert_eq!(read(&[3]), [(3, 0)], "it has asked nothing yet");
    }

    #[test]
    fn what_is_new_is_told_once_and_no_ledger_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ledger.db");
        let mut reader = Reader::new(&file);
        assert_eq!(told(&reader.read(&[])), None);
        assert!(!file.exists());
        testing::keep(&file, 1, &[1, 2]);
        assert_eq!(told(&reader.read(&[])), Some((vec![1, 2], 0, 0)));
        assert_eq!(told(&reader.read(&[])), None);
        testing::keep(&file, 2, &[3]);
        assert_eq!(told(&reader.read(&[])), Some((vec![3], 0, 0)));
    }

    #[test]
    fn another_file_in_its_place_is_read_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("ledger.db"), folder.path().join("other.db"));
        let alone = [Uuid::from_u128(1)];
        testing::keep(&file, 1, &[1, 2, 3]);
        let mut reader = Reader::new(&file);
        assert_eq!(counted(&reader.read(&alone)), [(1, 3)]);
        testing::keep(&other, 1, &[7]);
        fs::rename(&other, &file).unwrap();
        let news = reader.read(&alone);
        assert_eq!((told(&news), counted(&news)), (Some((vec![7], 0, 0)), vec![(1, 1)]));
        fs::remove_file(&file).unwrap();
        assert_eq!(told(&reader.read(&alone)), None);
    }

    #[tokio::test]
    async fn a_written_ledger_rings_and_is_read_four_times_a_second_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ledger.db");
        let (sender, mut heard) = channel(16);
        let mut requests = Requests::new(&file, sender);
        let (reader, _) = requests.begin().unwrap();
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
