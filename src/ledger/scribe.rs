//! Takes what is to be kept of a session to the ledger, beside the requests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, watch};
use uuid::Uuid;

use super::write::{Entry, Writer};
use super::{Answer, Ending, Ledger, LedgerError, SessionRow};
use crate::config::Retention;
use crate::router::Record;

/// How long the end of a session may wait for the disk.
const PATIENCE: Duration = Duration::from_secs(2);

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

/// One session's way into the ledger.
#[derive(Debug)]
pub struct Scribe {
    news: News,
    writer: Writer,
}

impl Scribe {
    /// Keeps the session, and then what it tells.
    ///
    /// # Errors
    /// The ledger can't be opened or written. The session can go on without.
    pub fn begin(place: &Place, session: &SessionRow, news: News) -> Result<Self, LedgerError> {
        let Place { file, retention, living } = place;
        let mut ledger = Ledger::open(file)?;
        ledger.begin(session)?;
        let writer = Writer::start(ledger, session.id, *retention, living.clone());
        let writer = writer.map_err(|source| LedgerError::File { file: file.clone(), source })?;
        Ok(Self { news, writer })
    }

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
