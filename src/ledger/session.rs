//! One launch: when, where, and with what.

use std::path::PathBuf;

use rusqlite::params;
use serde_json::Value;
use uuid::Uuid;

use super::{Ledger, LedgerError};

/// What is known of a session at its start.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    pub id: Uuid,
    /// Milliseconds since 1970.
    pub started: i64,
    /// Where Claude Code runs.
    pub folder: PathBuf,
    /// What it was launched with: agents, routes, policy; never a secret.
    pub snapshot: Value,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// Milliseconds since 1970.
    pub at: i64,
    pub exit_code: u8,
}

impl Ledger {
    /// Keeps a session, before its first request. One that is resumed keeps its first start.
    ///
    /// # Errors
    /// The database can't be written.
    pub fn begin(&self, session: &SessionRow) -> Result<(), LedgerError> {
        let folder = session.folder.to_string_lossy();
        let row = params![session.id.to_string(), session.started, folder, session.snapshot.to_string()];
        let sql = "INSERT INTO sessions (id, started, folder, snapshot) VALUES (?1, ?2, ?3, ?4) \
                   ON CONFLICT (id) DO UPDATE SET ended = NULL, exit_code = NULL, snapshot = excluded.snapshot";
        self.connection.execute(sql, row).map(|_| ()).map_err(|source| self.told(source))
    }
}
