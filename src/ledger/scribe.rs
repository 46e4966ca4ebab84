//! Takes a session's records from the meter to the ledger, beside the requests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::write::Writer;
use super::{Ending, Ledger, LedgerError, SessionRow};
use crate::config::Retention;
use crate::router::Record;

/// How long the end of a session may wait for the disk.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where sessions are remembered, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    pub retention: Retention,
}

/// One session's way into the ledger.
#[derive(Debug)]
pub struct Scribe {
    records: Receiver<Arc<Record>>,
    writer: Writer,
}

impl Scribe {
    /// Keeps the session, and then what `records` tells.
    ///
    /// # Errors
    /// The ledger can't be opened or written. The session can go on without.
    pub fn begin(
        place: &Place,
        session: &SessionRow,
        records: Receiver<Arc<Record>>,
    ) -> Result<Self, LedgerError> {
        let Place { file, retention } = place;
        let ledger = Ledger::open(file)?;
        ledger.begin(session)?;
        let writer = Writer::start(ledger, session.id, *retention);
        let writer = writer.map_err(|source| LedgerError::File { file: file.clone(), source })?;
        Ok(Self { records, writer })
    }

    /// Passes on what comes, for as long as it is polled.
    pub async fn work(&mut self) {
        loop {
            match self.records.recv().await {
                Ok(record) => self.writer.request(record),
                Err(RecvError::Lagged(requests)) => self.writer.lose(requests),
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    /// Passes on what is left and waits for the disk, 2 s at most. Gives how many requests could not be kept;
    /// `None`: the disk was too slow to say.
    pub fn finish(mut self, ending: Ending) -> Option<u64> {
        loop {
            match self.records.try_recv() {
                Ok(record) => self.writer.request(record),
                Err(TryRecvError::Lagged(requests)) => self.writer.lose(requests),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        self.writer.finish(ending, PATIENCE)
    }
}
