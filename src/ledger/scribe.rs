//! Takes what is to be kept of a session to the ledger, beside the requests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, oneshot, watch};
use tokio::time::timeout;
use uuid::Uuid;

use super::write::{Beginning, Entry, Writer};
use super::{Answer, Ending, LedgerError, SessionRow};
use crate::config::Retention;
use crate::router::Record;

/// How long the end of a session may wait for the disk.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long its beginning may. The disk takes milliseconds, unless somebody holds it up.
const PROMPTNESS: Duration = Duration::from_secs(1);

/// Where sessions are remembered, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    pub retention: Retention,
    /// Sessions that are remembered however old they are.
    pub living: Vec<Uuid>,
}

/// What a running session tells of itself.
#[derive(Debug)]
pub struct News {
    /// Every finished request.
    pub records: broadcast::Receiver<Arc<Record>>,
    /// Claude Code's own id of what is said.
    pub conversations: watch::Receiver<Option<String>>,
}

/// A session that is about to be kept. Nothing is written of it yet: it may not come to a child.
#[derive(Debug)]
pub struct Draft {
    session: SessionRow,
    scribe: Scribe,
    kept: oneshot::Receiver<()>,
    /// Whether the ledger could be opened so far.
    pub readiness: Readiness,
}

/// How it stands with the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Open,
    /// Somebody has locked it, or the disk is full. It is tried again and again.
    Awaited,
}

impl Draft {
    /// Opens the ledger.
    ///
    /// # Errors
    /// It can't be opened, now or later. The session can go on without.
    pub async fn open(place: &Place, session: SessionRow, news: News) -> Result<Self, LedgerError> {
        let started = Writer::start(place.clone(), session.id);
        let started = started.map_err(|source| LedgerError::File { file: place.file.clone(), source });
        let (writer, Beginning { opened, kept }) = started?;
        let readiness = match timeout(PROMPTNESS, opened).await {
            Ok(Ok(opened)) => opened.map(|()| Readiness::Open)?,
            // A thread that has gone tells it at the end.
            Ok(Err(_)) | Err(_) => Readiness::Awaited,
        };
        Ok(Self { session, scribe: Scribe { news, writer }, kept, readiness })
    }

    /// Keeps the session, and from then on what it tells. Waits a moment for the disk, and no longer.
    pub async fn begin(self) -> Scribe {
        let Self { session, scribe, kept, .. } = self;
        scribe.writer.write(Entry::Session(Box::new(session)));
        // Later is as well.
        let _ = timeout(PROMPTNESS, kept).await;
        scribe
    }
}

/// One session's way into the ledger.
#[derive(Debug)]
pub struct Scribe {
    news: News,
    writer: Writer,
}

impl Scribe {
    /// Passes on what comes, for as long as it is polled. Never ends, and loses nothing when it is dropped.
    pub async fn work(&mut self) {
        let Self { news: News { records, conversations }, writer } = self;
        loop {
            tokio::select! {
                record = records.recv() => match record {
                    Ok(record) => writer.write(Entry::Request(record)),
                    Err(RecvError::Lagged(requests)) => writer.lose(requests),
                    Err(RecvError::Closed) => std::future::pending().await,
                },
                Ok(()) = conversations.changed() => converse(conversations, writer),
            }
        }
    }

    /// Keeps an answer to a permission dialog.
    pub fn answer(&self, answer: Answer) {
        self.writer.write(Entry::Answer(answer));
    }

    /// Passes on what is left and waits for the disk, 2 s at most. Gives how many requests could not be kept;
    /// `None`: the disk was too slow to say.
    pub fn finish(mut self, ending: Ending) -> Option<u64> {
        loop {
            match self.news.records.try_recv() {
                Ok(record) => self.writer.write(Entry::Request(record)),
                Err(TryRecvError::Lagged(requests)) => self.writer.lose(requests),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        if self.news.conversations.has_changed().unwrap_or(true) {
            converse(&mut self.news.conversations, &self.writer);
        }
        self.writer.finish(ending, PATIENCE)
    }
}

fn converse(conversations: &mut watch::Receiver<Option<String>>, writer: &Writer) {
    if let Some(id) = conversations.borrow_and_update().clone() {
        writer.write(Entry::Conversation { at: Timestamp::now().as_millisecond(), id });
    }
}
