//! The thread that writes. It takes what has come so far in one transaction, so that nothing waits for more to come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use rusqlite::{ErrorCode, TransactionBehavior};
use uuid::Uuid;

use super::rows;
use super::{Answer, Ending, Ledger};
use crate::config::Retention;
use crate::router::Record;

/// Entries that wait for the disk. What comes on top is lost, and counted.
const WAITING: usize = 1024;

/// Entries in one transaction: other sessions want to write too.
const BATCH: usize = 256;

/// How long a full disk or somebody else's lock is waited for until it is tried again.
const PAUSE: Duration = Duration::from_millis(200);

/// What is written.
#[derive(Debug)]
pub(super) enum Entry {
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
}

/// What both sides of the queue know.
#[derive(Debug, Default)]
struct Tally {
    /// Requests that can't be kept, and that no gap tells of yet.
    lost: AtomicU64,
    /// Nobody will wait for another try.
    closing: AtomicBool,
}

impl Writer {
    /// What is too old at the start is forgotten, but for the sessions of `living`.
    pub(super) fn start(
        ledger: Ledger,
        session: Uuid,
        retention: Retention,
        living: Vec<Uuid>,
    ) -> std::io::Result<Self> {
        let (entries, waiting) = sync_channel(WAITING);
        let (end, ended) = sync_channel(1);
        let tally = Arc::<Tally>::default();
        let mut desk = Desk { ledger, session: session.to_string(), tally: Arc::clone(&tally) };
        thread::Builder::new().name("ledger".to_owned()).spawn(move || {
            desk.forget(retention, &living);
            let unkept = desk.work(&waiting);
            // Nobody may be waiting any more.
            let _ = end.try_send(unkept);
        })?;
        Ok(Self { entries, tally, ended })
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
        self.tally.closing.store(true, Ordering::Relaxed);
        drop(self.entries);
        self.ended.recv_timeout(limit).ok()
    }
}

impl Entry {
    fn requests(&self) -> u64 {
        u64::from(matches!(self, Self::Request(_)))
    }
}

/// The thread's own.
struct Desk {
    ledger: Ledger,
    session: String,
    tally: Arc<Tally>,
}

impl Desk {
    /// What is too old goes first, so that it can't stand in the way of what comes.
    fn forget(&mut self, retention: Retention, living: &[Uuid]) {
        let now = jiff::Timestamp::now().as_millisecond();
        if let Err(error) = self.ledger.forget(retention, now, living) {
            tracing::warn!(%error, "what is too old for the ledger stays in it");
        }
    }

    /// Until the sender is gone.
    fn work(mut self, entries: &Receiver<Entry>) -> u64 {
        let (mut unkept, mut batch) = (0, Vec::new());
        while more(entries, &mut batch) {
            let lost = self.tally.lost.swap(0, Ordering::Relaxed);
            match self.write(&batch, lost) {
                Ok(()) => unkept += lost,
                Err(error) => {
                    self.tally.lost.fetch_add(lost, Ordering::Relaxed);
                    tracing::warn!(%error, "the ledger could not be written");
                    if may_pass(&error) && !self.tally.closing.load(Ordering::Relaxed) {
                        thread::sleep(PAUSE);
                        continue;
                    }
                    let requests = batch.iter().map(Entry::requests).sum();
                    self.tally.lost.fetch_add(requests, Ordering::Relaxed);
                }
            }
            batch.clear();
        }
        unkept + self.tally.lost.load(Ordering::Relaxed)
    }

    fn write(&mut self, batch: &[Entry], lost: u64) -> rusqlite::Result<()> {
        let Self { ledger, session, .. } = self;
        let transaction = ledger.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for entry in batch {
            match entry {
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

/// Somebody else's lock goes, and room can be made on a disk.
fn may_pass(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    code.is_some_and(|code| {
        matches!(
            code,
            ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
        )
    })
}
