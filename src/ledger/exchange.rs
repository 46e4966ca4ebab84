//! The whole ledger as lines of JSON, out and in again: for a backup, another machine, another program.
//!
//! A line is `{"session":{…},"requests":[…],"gaps":[…]}`: all that is remembered of one session.

use std::io::{self, BufRead, Write};

use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, Row, TransactionBehavior, params_from_iter};
use serde_json::{Map, Value};

use super::session::intern;
use super::{Ledger, LedgerError};

/// Why a line isn't taken in. Nothing is, then.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("line {line} is no session of a ledger: {reason}; nothing was taken in")]
    Line { line: usize, reason: String },
    #[error("the lines can't be read: {0}; nothing was taken in")]
    Read(#[from] io::Error),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// What an import did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    pub sessions: u64,
    /// Sessions that were there already, and stayed as they were.
    pub known: u64,
}

/// The tables that belong to a session, and where they stand in a line.
const BELOW: [&str; 4] = ["requests", "gaps", "conversations", "answers"];

/// The number of a snapshot here, which means nothing in another file: there its text stands.
const SNAPSHOT_NUMBER: &str = "snapshot_id";

const SESSIONS: &str = "SELECT sessions.*, content AS snapshot FROM sessions LEFT JOIN snapshots \
                        ON snapshots.id = snapshot_id ORDER BY started, sessions.id";

impl Ledger {
    /// Writes a line for each session, oldest first.
    ///
    /// # Errors
    /// The database can't be read, or the lines can't be written.
    pub fn export(&self, out: &mut impl Write) -> Result<u64, LedgerError> {
        let sessions = rows(&self.connection, SESSIONS, &[]);
        let sessions = sessions.map_err(|source| self.told(source))?;
        for session in &sessions {
            let line = line(&self.connection, session).map_err(|source| self.told(source))?;
            writeln!(out, "{line}").map_err(|source| self.unwritten(source))?;
        }
        out.flush().map_err(|source| self.unwritten(source))?;
        Ok(sessions.len() as u64)
    }

    /// Takes in what [`Ledger::export`] wrote: all of it or nothing. Sessions that are known stay as they are.
    ///
    /// # Errors
    /// A line isn't one of ours, or the database can't be written.
    pub fn import(&mut self, lines: impl BufRead) -> Result<Imported, ImportError> {
        let file = self.file().to_owned();
        let told = |source| LedgerError::Database { file: file.clone(), source };
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(told)?;
        let mut imported = Imported::default();
        for (at, line) in lines.lines().enumerate() {
            let refused = |reason: String| ImportError::Line { line: at + 1, reason };
            let line: Map<String, Value> =
                serde_json::from_str(&line?).map_err(|error| refused(error.to_string()))?;
            if take_in(&transaction, &line).map_err(|error| refused(error.to_string()))? {
                imported.sessions += 1;
            } else {
                imported.known += 1;
            }
        }
        transaction.commit().map_err(told)?;
        Ok(imported)
    }
}

fn line(connection: &Connection, session: &Map<String, Value>) -> rusqlite::Result<Value> {
    let id = session.get("id").and_then(Value::as_str).unwrap_or_default();
    let own = session.iter().filter(|(key, _)| *key != SNAPSHOT_NUMBER);
    let own: Map<String, Value> = own.map(|(key, value)| (key.clone(), value.clone())).collect();
    let mut line = Map::from_iter([("session".to_owned(), Value::Object(own))]);
    for table in BELOW {
        let mut rows =
            rows(connection, &format!("SELECT * FROM {table} WHERE session = ? ORDER BY id"), &[id])?;
        for row in &mut rows {
            // Numbers of this file, which mean nothing in another.
            row.remove("id");
            row.remove("session");
        }
        line.insert(table.to_owned(), rows.into_iter().map(Value::Object).collect());
    }
    Ok(Value::Object(line))
}

fn rows(connection: &Connection, sql: &str, values: &[&str]) -> rusqlite::Result<Vec<Map<String, Value>>> {
    let mut statement = connection.prepare(sql)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    statement.query_map(params_from_iter(values), |row| object(row, &names))?.collect()
}

fn object(row: &Row<'_>, names: &[String]) -> rusqlite::Result<Map<String, Value>> {
    let entry = |(at, name): (usize, &String)| Ok((name.clone(), json(row.get_ref(at)?)));
    names.iter().enumerate().map(entry).collect()
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
    }
}

/// Whether the session was new.
fn take_in(connection: &Connection, line: &Map<String, Value>) -> Result<bool, Box<dyn std::error::Error>> {
    let session = line.get("session").and_then(Value::as_object).ok_or("it has no `session`")?;
    let id = session.get("id").and_then(Value::as_str).ok_or("its session has no `id`")?;
    let known: bool =
        connection.query_row("SELECT count(*) > 0 FROM sessions WHERE id = ?", [id], |row| row.get(0))?;
    if known {
        return Ok(false);
    }
    insert(connection, "sessions", &with_number(connection, session)?)?;
    for table in BELOW {
        for row in line.get(table).and_then(Value::as_array).into_iter().flatten() {
            let mut row = row.as_object().cloned().ok_or("a row is no object")?;
            row.insert("session".to_owned(), id.into());
            insert(connection, table, &row)?;
        }
    }
    Ok(true)
}

/// The session's row, with its snapshot kept.
fn with_number(
    connection: &Connection,
    session: &Map<String, Value>,
) -> Result<Map<String, Value>, Box<dyn std::error::Error>> {
    let mut row = session.clone();
    let snapshot = row.remove("snapshot").ok_or("its session has no `snapshot`")?;
    let snapshot = snapshot.as_str().ok_or("its session's `snapshot` is no text")?;
    if row.insert(SNAPSHOT_NUMBER.to_owned(), intern(connection, snapshot)?.into()).is_some() {
        return Err(format!("`{SNAPSHOT_NUMBER}` is no column of sessions").into());
    }
    Ok(row)
}

/// Column names come from a file, so only those that the table has are let into the statement.
fn insert(
    connection: &Connection,
    table: &str,
    row: &Map<String, Value>,
) -> Result<(), Box<dyn std::error::Error>> {
    let sql = format!("SELECT name FROM pragma_table_info('{table}')");
    let columns = connection
        .prepare_cached(&sql)?
        .query_map([], |row| row.get(0))?
        .collect::<Result<Vec<String>, _>>()?;
    if let Some(unknown) = row.keys().find(|key| !columns.contains(key)) {
        return Err(format!("`{unknown}` is no column of {table}").into());
    }
    let names: Vec<String> = row.keys().map(|name| format!("\"{name}\"")).collect();
    let places = vec!["?"; names.len()].join(", ");
    let sql = format!("INSERT INTO {table} ({}) VALUES ({places})", names.join(", "));
    let values = row
        .values()
        .map(sql_value)
        .collect::<Option<Vec<SqlValue>>>()
        .ok_or("a value is a list or an object")?;
    connection.prepare_cached(&sql)?.execute(params_from_iter(values))?;
    Ok(())
}

fn sql_value(value: &Value) -> Option<SqlValue> {
    Some(match value {
        Value::Null => SqlValue::Null,
        Value::Bool(flag) => SqlValue::Integer(i64::from(*flag)),
        Value::Number(number) => number
            .as_i64()
            .map_or_else(|| number.as_f64().map(SqlValue::Real), |number| Some(SqlValue::Integer(number)))?,
        Value::String(text) => SqlValue::Text(text.clone()),
        Value::Array(_) | Value::Object(_) => return None,
    })
}
