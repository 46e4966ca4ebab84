//! What is remembered of sessions, one by one. Whether one lives, the ledger doesn't know.

use std::collections::HashMap;
use std::path::PathBuf;

use rusqlite::{OptionalExtension, Row};
use serde_json::Value;
use uuid::Uuid;

use super::{Ending, Invocation, Kind, Ledger, LedgerError};

/// A session, and what it came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub id: Uuid,
    /// `None`: it was kept by a version that knew no names.
    pub name: Option<String>,
    pub kind: Option<Kind>,
    /// Where Claude Code ran.
    pub folder: PathBuf,
    /// Milliseconds since 1970.
    pub started: i64,
    /// When something was last heard of it: its end, a request, or its start. Milliseconds since 1970.
    pub heard: i64,
    /// `None`: it lives, or was interrupted.
    pub ending: Option<Ending>,
    pub requests: u64,
    /// USD, of the requests that have a price; `None`: none has.
    pub cost_usd: Option<f64>,
    /// Claude Code's own ids of what was said in it, each once, the one that was in use last at the end.
    pub conversations: Vec<String>,
}

impl Session {
    /// Whether there is something to take up again: delegations have no conversation of the person's.
    pub fn has_conversation(&self) -> bool {
        !self.conversations.is_empty()
    }
}

/// What a session was launched with.
#[derive(Debug, Clone, PartialEq)]
pub struct Launched {
    /// `None`: it was kept by a version that didn't know it.
    pub invocation: Option<Invocation>,
    pub snapshot: Value,
}

const SESSIONS: &str = "SELECT sessions.id, name, kind, folder, started, ended, exit_code, \
                        coalesce(ended, max(started, coalesce(latest, 0))), coalesce(requests, 0), cost \
                        FROM sessions LEFT JOIN (SELECT session, max(at) AS latest, count(*) AS requests, \
                        sum(cost) AS cost FROM requests GROUP BY session) ON session = sessions.id";

impl Ledger {
    /// All sessions, the one that was heard of last first.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn sessions(&self) -> Result<Vec<Session>, LedgerError> {
        let mut sessions = self.listed().map_err(|source| self.told(source))?;
        sessions.sort_by_key(|session| std::cmp::Reverse(session.heard));
        Ok(sessions)
    }

    /// What a session was launched with; `None`: there is no such session.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn launched(&self, session: Uuid) -> Result<Option<Launched>, LedgerError> {
        let sql = "SELECT invocation, content FROM sessions JOIN snapshots ON snapshots.id = snapshot_id \
                   WHERE sessions.id = ?1";
        let read = |row: &Row<'_>| {
            let (invocation, snapshot): (Option<String>, String) = (row.get(0)?, row.get(1)?);
            let invocation = invocation.and_then(|text| serde_json::from_str(&text).ok());
            Ok(Launched { invocation, snapshot: serde_json::from_str(&snapshot).unwrap_or_default() })
        };
        let found = self.connection.query_row(sql, [session.to_string()], read).optional();
        found.map_err(|source| self.told(source))
    }

    fn listed(&self) -> rusqlite::Result<Vec<Session>> {
        let mut statement = self.connection.prepare(SESSIONS)?;
        let rows = statement.query_map([], session)?.collect::<Result<Vec<_>, _>>()?;
        // Whatever was taken in from elsewhere under another kind of id is none of ours.
        let mut sessions: Vec<Session> = rows.into_iter().flatten().collect();
        let mut said = self.said()?;
        for session in &mut sessions {
            session.conversations = match said.remove(&session.id.to_string()) {
                Some(kept) => kept,
                // Only versions that knew no kinds kept no conversations either.
                None if session.kind.is_none() => self.asked(session.id)?,
                None => Vec::new(),
            };
        }
        Ok(sessions)
    }

    /// The conversations of each session.
    fn said(&self) -> rusqlite::Result<HashMap<String, Vec<String>>> {
        let sql = "SELECT session, conversation FROM conversations GROUP BY 1, 2 ORDER BY max(id)";
        let mut statement = self.connection.prepare(sql)?;
        let mut said = HashMap::<String, Vec<String>>::new();
        for row in statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
            let (session, conversation) = row?;
            said.entry(session).or_default().push(conversation);
        }
        Ok(said)
    }

    /// Of a session of an older version, only its requests tell.
    fn asked(&self, session: Uuid) -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT claude_session FROM requests WHERE session = ?1 AND claude_session IS NOT NULL \
                   GROUP BY 1 ORDER BY max(at)";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map([session.to_string()], |row| row.get(0))?.collect()
    }
}

fn session(row: &Row<'_>) -> rusqlite::Result<Option<Session>> {
    let Ok(id) = row.get::<_, String>(0)?.parse() else { return Ok(None) };
    let (ended, exit_code): (Option<i64>, Option<u8>) = (row.get(5)?, row.get(6)?);
    Ok(Some(Session {
        id,
        name: row.get(1)?,
        kind: row.get::<_, Option<String>>(2)?.and_then(|kind| Kind::of(&kind)),
        folder: PathBuf::from(row.get::<_, String>(3)?),
        started: row.get(4)?,
        heard: row.get(7)?,
        ending: ended.map(|at| Ending { at, exit_code: exit_code.unwrap_or_default() }),
        requests: row.get::<_, i64>(8)?.cast_unsigned(),
        cost_usd: row.get(9)?,
        conversations: Vec::new(),
    }))
}
