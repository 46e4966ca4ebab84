//! The thread that writes. It takes what has come so far in one transaction.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use rusqlite::{Transaction, TransactionBehavior, params};
use uuid::Uuid;

use super::{Ending, Ledger};
use crate::config::Retention;
use crate::router::Record;

/// Entries that wait for the disk. What comes on top is lost, and counted.
const WAITING: usize = 1024;

/// Entries in one transaction: other sessions want to write too.
const BATCH: usize = 256;

/// What is written.
#[derive(Debug)]
enum Entry {
    Request(Arc<Record>),
    Ending(Ending),
}

/// The way to the thread. Nothing but [`Writer::finish`] waits.
#[derive(Debug)]
pub(super) struct Writer {
    entries: SyncSender<Entry>,
    /// Requests that can't be kept, and that no gap tells of yet.
    lost: Arc<AtomicU64>,
    /// How many could not be kept in all, once everything is written.
    ended: Receiver<u64>,
}

impl Writer {
    pub(super) fn start(ledger: Ledger, session: Uuid, retention: Retention) -> std::io::Result<Self> {
        let (entries, waiting) = sync_channel(WAITING);
        let (end, ended) = sync_channel(1);
        let lost = Arc::new(AtomicU64::new(0));
        let mut desk = Desk { ledger, session: session.to_string(), lost: Arc::clone(&lost) };
        thread::Builder::new().name("ledger".to_owned()).spawn(move || {
            desk.forget(retention);
            let unkept = desk.work(&waiting);
            // Nobody may be waiting any more.
            let _ = end.try_send(unkept);
        })?;
        Ok(Self { entries, lost, ended })
    }

    pub(super) fn request(&self, record: Arc<Record>) {
        if self.entries.try_send(Entry::Request(record)).is_err() {
            self.lose(1);
        }
    }

    /// Requests that were lost before they came here.
    pub(super) fn lose(&self, requests: u64) {
        self.lost.fetch_add(requests, Ordering::Relaxed);
    }

    /// Waits until everything is written, `limit` at most. Gives how many requests could not be kept; `None`: it
    /// isn't known yet.
    pub(super) fn finish(self, ending: Ending, limit: Duration) -> Option<u64> {
        // Where there is no room even now, the disk is the trouble, and a session without an end is the least of it.
        let _ = self.entries.try_send(Entry::Ending(ending));
        drop(self.entries);
        self.ended.recv_timeout(limit).ok()
    }
}

/// The thread's own.
struct Desk {
    ledger: Ledger,
    session: String,
    lost: Arc<AtomicU64>,
}

impl Desk {
    /// What is too old goes first, so that it can't stand in the way of what comes.
    fn forget(&mut self, retention: Retention) {
        let now = jiff::Timestamp::now().as_millisecond();
        if let Err(error) = self.ledger.forget(retention, now) {
            tracing::warn!(%error, "what is too old for the ledger stays in it");
        }
    }

    /// Until the sender is gone.
    fn work(mut self, entries: &Receiver<Entry>) -> u64 {
        let mut unkept = 0;
        while let Ok(first) = entries.recv() {
            let batch: Vec<Entry> =
                std::iter::once(first).chain(entries.try_iter().take(BATCH - 1)).collect();
            let lost = self.lost.swap(0, Ordering::Relaxed);
            if let Err(error) = self.write(&batch, lost) {
                tracing::warn!(%error, "the ledger could not be written");
                let requests = batch.iter().filter(|entry| matches!(entry, Entry::Request(_))).count() as u64;
                self.lost.fetch_add(lost + requests, Ordering::Relaxed);
            } else {
                unkept += lost;
            }
        }
        unkept + self.lost.load(Ordering::Relaxed)
    }

    fn write(&mut self, batch: &[Entry], lost: u64) -> rusqlite::Result<()> {
        let Self { ledger, session, .. } = self;
        let transaction = ledger.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for entry in batch {
            match entry {
                Entry::Request(record) => insert(&transaction, session, record)?,
                Entry::Ending(ending) => end(&transaction, session, *ending)?,
            }
        }
        if lost > 0 {
            gap(&transaction, session, lost)?;
        }
        transaction.commit()
    }
}

fn insert(transaction: &Transaction<'_>, session: &str, record: &Record) -> rusqlite::Result<()> {
    let sql = "INSERT INTO requests (session, at, claude_session, agent_id, parent_agent_id, class, attempt, agent, \
               route, wire_model, path, status, outcome, blame, bytes_in, bytes_out, ttfb, total, stop_reason, \
               input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost, stray) VALUES \
               (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let (caller, usage) = (&record.caller, record.usage);
    transaction.prepare_cached(sql)?.execute(params![
        session,
        record.at,
        caller.session,
        caller.agent_id,
        caller.parent_id,
        caller.class,
        caller.attempt,
        record.agent,
        record.route,
        record.wire_model,
        record.path,
        record.status,
        record.outcome.as_str(),
        record.blame.map(crate::router::Blame::as_str),
        record.bytes_in.cast_signed(),
        record.bytes_out.cast_signed(),
        record.ttfb.map(u64::cast_signed),
        record.total.cast_signed(),
        record.stop_reason,
        usage.input.map(u64::cast_signed),
        usage.output.map(u64::cast_signed),
        usage.cache_read.map(u64::cast_signed),
        usage.cache_write.map(u64::cast_signed),
        record.cost,
        record.stray,
    ])?;
    Ok(())
}

fn end(transaction: &Transaction<'_>, session: &str, ending: Ending) -> rusqlite::Result<()> {
    let sql = "UPDATE sessions SET ended = ?2, exit_code = ?3 WHERE id = ?1";
    transaction.execute(sql, params![session, ending.at, ending.exit_code]).map(|_| ())
}

fn gap(transaction: &Transaction<'_>, session: &str, requests: u64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO gaps (session, at, requests) VALUES (?1, unixepoch('subsec') * 1000, ?2)";
    transaction.execute(sql, params![session, requests.cast_signed()]).map(|_| ())
}
