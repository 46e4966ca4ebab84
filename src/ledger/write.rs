//! The thread that writes. It takes what has come so far in one transaction, so that nothing waits for more to come.
//!
//! It opens the ledger, too: while somebody else has locked it, or the disk is full, the session goes on, and what is to
//! be kept waits in the queue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::TransactionBehavior;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::open::may_pass;
use super::scribe::Place;
use super::{Answer, Ending, Ledger, LedgerError, SessionRow, rows, session};
use crate::router::Record;

/// Entries that wait for the disk. What comes on top is lost, and counted.
const WAITING: usize = 1024;

/// Entries in one transaction: other sessions want to write too.
const BATCH: usize = 256;

/// How long somebody else's lock is waited for, and a full disk, until it is tried again.
const PAUSE: Duration = Duration::from_millis(200);

/// At the end the thread gives up this long before whoever waits for it.
const AHEAD: Duration = Duration::from_millis(500);

/// What is written.
#[derive(Debug)]
pub(super) enum Entry {
    /// The session itself, before everything of it.
    Session(Box<SessionRow>),
    Request(Arc<Record>),
    /// Claude Code's own id of what is said from now on.
    Conversation {
        at: i64,
        id: String,
    },
    Answer(Answer),
    Ending(Ending),
}

/// The way to the thread. Nothing but [`Writer::finish`] waits.
#[derive(Debug)]
pub(super) struct Writer {
    entries: SyncSender<Entry>,
    tally: Arc<Tally>,
    /// How many could not be kept in all, once everything is written.
    ended: Receiver<u64>,
    /// Dropped with it.
    _presence: Presence,
}

/// What a thread tells of its beginning, each once.
#[derive(Debug)]
pub(super) struct Beginning {
    /// The ledger is open, or never will be.
    pub(super) opened: oneshot::Receiver<Result<(), LedgerError>>,
    /// The first that came is on the disk.
    pub(super) kept: oneshot::Receiver<()>,
}

/// What both sides of the queue know.
#[derive(Debug, Default)]
struct Tally {
    /// Requests that can't be kept, and that no gap tells of yet.
    lost: AtomicU64,
    /// From then on nobody waits for another try.
    until: OnceLock<Instant>,
}

/// Once it is gone, nothing is tried again.
#[derive(Debug)]
struct Presence(Arc<Tally>);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.until.get_or_init(Instant::now);
    }
}

impl Writer {
    /// Once the ledger is open, what is too old is forgotten first, so that it can't stand in the way of what comes.
    pub(super) fn start(place: Place, session: Uuid) -> std::io::Result<(Self, Beginning)> {
        let (entries, waiting) = sync_channel(WAITING);
        let (end, ended) = sync_channel(1);
        let (open, opened) = oneshot::channel();
        let (keep, kept) = oneshot::channel();
        let tally = Arc::<Tally>::default();
        let shared = Arc::clone(&tally);
        thread::Builder::new().name("ledger".to_owned()).spawn(move || {
            let unkept = match shared.opened(&place, open) {
                Some(ledger) => {
                    Desk { ledger, session: session.to_string(), tally: shared, kept: Some(keep) }
                        .work(&waiting)
                }
                None => shared.abandoned(&waiting),
            };
            // Nobody may be waiting any more.
            let _ = end.try_send(unkept);
        })?;
        let presence = Presence(Arc::clone(&tally));
        Ok((Self { entries, tally, ended, _presence: presence }, Beginning { opened, kept }))
    }

    /// Never waits: where there is no room, a request is counted as lost.
    pub(super) fn write(&self, entry: Entry) {
        let requests = entry.requests();
        if self.entries.try_send(entry).is_err() {
            self.lose(requests);
            if requests == 0 {
                tracing::warn!("the ledger is behind, and something of this session is not kept");
            }
        }
    }

    /// Requests that were lost before they came here.
    pub(super) fn lose(&self, requests: u64) {
        self.tally.lost.fetch_add(requests, Ordering::Relaxed);
    }

    /// Waits until everything is written, `limit` at most. Gives how many requests could not be kept; `None`: it
    /// isn't known yet.
    pub(super) fn finish(self, ending: Ending, limit: Duration) -> Option<u64> {
        // Where there is no room even now, the disk is the trouble, and a session without an end is the least of it.
        self.write(Entry::Ending(ending));
        self.tally.until.get_or_init(|| Instant::now() + limit.saturating_sub(AHEAD));
        drop(self.entries);
        self.ended.recv_timeout(limit).ok()
    }
}

impl Entry {
    fn requests(&self) -> u64 {
        u64::from(matches!(self, Self::Request(_)))
    }
}

impl Tally {
    /// `None`: it can't be opened, or it took too long and nobody waits any more.
    fn opened(&self, place: &Place, open: oneshot::Sender<Result<(), LedgerError>>) -> Option<Ledger> {
        loop {
            let error = match Ledger::open_within(&place.file, PAUSE) {
                Ok(mut ledger) => {
                    forget(&mut ledger, place);
                    // Nobody may be waiting for it.
                    let _ = open.send(Ok(()));
                    return Some(ledger);
                }
                Err(error) => error,
            };
            tracing::warn!(%error, "the ledger could not be opened");
            if !error.may_pass() || self.is_over() {
                let _ = open.send(Err(error));
                return None;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Nothing can be kept. How much that was in the end.
    fn abandoned(&self, entries: &Receiver<Entry>) -> u64 {
        let requests: u64 = entries.iter().map(|entry| entry.requests()).sum();
        requests + self.lost.load(Ordering::Relaxed)
    }

    /// Whether nobody waits any more.
    fn is_over(&self) -> bool {
        self.until.get().is_some_and(|until| Instant::now() >= *until)
    }
}

/// The sessions of `living` stay.
fn forget(ledger: &mut Ledger, place: &Place) {
    let now = jiff::Timestamp::now().as_millisecond();
    if let Err(error) = ledger.forget(place.retention, now, &place.living) {
        tracing::warn!(%error, "what is too old for the ledger stays in it");
    }
}

/// The thread's own.
struct Desk {
    ledger: Ledger,
    session: String,
    tally: Arc<Tally>,
    /// Whom to tell of the first that is kept.
    kept: Option<oneshot::Sender<()>>,
}

impl Desk {
    /// Until the sender is gone.
    fn work(mut self, entries: &Receiver<Entry>) -> u64 {
        let (mut unkept, mut batch) = (0, Vec::new());
        let mut is_more = more(entries, &mut batch);
        while is_more {
            let lost = self.tally.lost.swap(0, Ordering::Relaxed);
            match self.write(&batch, lost) {
                Ok(()) => {
                    unkept += lost;
                    self.kept.take().map(|kept| kept.send(()));
                    batch.clear();
                }
                Err(error) => {
                    self.tally.lost.fetch_add(lost, Ordering::Relaxed);
                    self.failed(&error, &mut batch);
                    is_more = more(entries, &mut batch);
                    continue;
                }
            }
            // What was lost meanwhile is told as soon as it can be.
            is_more = self.tally.lost.load(Ordering::Relaxed) > 0 || more(entries, &mut batch);
        }
        unkept + self.tally.lost.load(Ordering::Relaxed)
    }

    /// What can't be tried again is lost.
    fn failed(&self, error: &rusqlite::Error, batch: &mut Vec<Entry>) {
        tracing::warn!(%error, "the ledger could not be written");
        if may_pass(error) && !self.tally.is_over() {
            thread::sleep(PAUSE);
        } else {
            let requests = batch.drain(..).map(|entry| entry.requests()).sum();
            self.tally.lost.fetch_add(requests, Ordering::Relaxed);
        }
    }

    fn write(&mut self, batch: &[Entry], lost: u64) -> rusqlite::Result<()> {
        let connection = &mut self.ledger.connection;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let session = &self.session;
        for entry in batch {
            match entry {
                Entry::Session(row) => session::begin(&transaction, row)?,
                Entry::Request(record) => rows::request(&transaction, session, record)?,
                Entry::Conversation { at, id } => rows::conversation(&transaction, session, *at, id)?,
                Entry::Answer(answer) => rows::answer(&transaction, session, answer)?,
                Entry::Ending(ending) => rows::end(&transaction, session, *ending)?,
            }
        }
        if lost > 0 {
            rows::gap(&transaction, session, lost)?;
        }
        transaction.commit()
    }
}

/// Waits for an entry, if none is left of the last try, and takes what else has come. Whether there is anything.
fn more(entries: &Receiver<Entry>, batch: &mut Vec<Entry>) -> bool {
    if batch.is_empty() {
        let Ok(first) = entries.recv() else { return false };
        batch.push(first);
    }
    batch.extend(entries.try_iter().take(BATCH - batch.len()));
    true
}
