//! One launch: when, where, and with what; and what became of it.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::rows;
use super::{Ledger, LedgerError};
use crate::config::digest::sha256;

/// What is known of a session at its start.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    pub id: Uuid,
    /// Milliseconds since 1970.
    pub started: i64,
    /// Where Claude Code runs.
    pub folder: PathBuf,
    /// What the person calls it.
    pub name: String,
    pub kind: Kind,
    pub invocation: Invocation,
    /// What it was launched with: agents, routes, policy; never a secret.
    pub snapshot: Value,
    /// Claude Code's own id of what is said in it, where that is known beforehand.
    pub conversation: Option<String>,
}

/// Whose terminal a session has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The person's own.
    Terminal,
    /// One that a host keeps.
    Host,
}

/// What a launch was asked for. Nothing that was said to a model, and no value that may hold a key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Invocation {
    /// `--profile`
    pub profile: Option<String>,
    /// `--agent`
    pub agents: Vec<String>,
    /// The profile's options for Claude Code.
    pub profile_words: Vec<String>,
    /// The person's own.
    pub words: Vec<String>,
    /// Options of either that are left out, because they may hold a key.
    pub withheld: Vec<String>,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// Milliseconds since 1970.
    pub at: i64,
    pub exit_code: u8,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Host => "host",
        }
    }

    pub(super) fn of(word: &str) -> Option<Self> {
        [Self::Terminal, Self::Host].into_iter().find(|kind| kind.as_str() == word)
    }
}

impl Ledger {
    /// Keeps a session, before its first request. One that is resumed keeps its first start.
    ///
    /// # Errors
    /// The database can't be written.
    pub fn begin(&mut self, session: &SessionRow) -> Result<(), LedgerError> {
        self.begun(session).map_err(|source| self.told(source))
    }

    fn begun(&mut self, session: &SessionRow) -> rusqlite::Result<()> {
        let transaction =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        begin(&transaction, session)?;
        transaction.commit()
    }
}

/// Within a transaction, which nobody else writes beside.
pub(super) fn begin(connection: &Connection, session: &SessionRow) -> rusqlite::Result<()> {
    let id = session.id.to_string();
    let snapshot = intern(connection, &session.snapshot.to_string())?;
    let sql = "INSERT INTO sessions (id, started, folder, name, kind, invocation, snapshot_id) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
               ON CONFLICT (id) DO UPDATE SET ended = NULL, exit_code = NULL, folder = excluded.folder, \
               name = excluded.name, kind = excluded.kind, invocation = excluded.invocation, \
               snapshot_id = excluded.snapshot_id";
    connection.execute(
        sql,
        params![
            id,
            session.started,
            session.folder.to_string_lossy(),
            session.name,
            session.kind.as_str(),
            serde_json::json!(session.invocation).to_string(),
            snapshot,
        ],
    )?;
    if let Some(conversation) = &session.conversation {
        rows::conversation(connection, &id, session.started, conversation)?;
    }
    forget_unused(connection)
}

/// The number that a snapshot is kept under.
pub(super) fn intern(connection: &Connection, content: &str) -> rusqlite::Result<i64> {
    let digest = sha256(content.as_bytes());
    let known = connection
        .query_row("SELECT id FROM snapshots WHERE digest = ?1", [&digest], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    let sql = "INSERT INTO snapshots (digest, content) VALUES (?1, ?2)";
    connection.execute(sql, params![digest, content])?;
    Ok(connection.last_insert_rowid())
}

/// Snapshots that no session has any more.
pub(super) fn forget_unused(connection: &Connection) -> rusqlite::Result<()> {
    let sql =
        "DELETE FROM snapshots WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE snapshot_id = snapshots.id)";
    connection.execute(sql, []).map(|_| ())
}
