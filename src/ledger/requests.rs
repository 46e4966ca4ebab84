//! Requests one by one, as they are remembered: for lists that people look through.

use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use serde::{Deserialize, Serialize};

use super::{Filter, Ledger, LedgerError};

/// One request as it stands in the ledger. Times in milliseconds, UTC.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Grows with each request that is kept, whatever session it is of.
    pub id: i64,
    pub session: String,
    /// What the session is called; `None`: it was kept by a version that knew no names.
    pub name: Option<String>,
    /// When it was admitted, in milliseconds since 1970.
    pub at: i64,
    /// The agent's name; `main` for the main session.
    pub agent: String,
    /// `provider/model`, or `default`.
    pub route: String,
    /// The `model` that the client sent.
    pub wire_model: Option<String>,
    /// The `model` that was sent on.
    pub upstream_model: Option<String>,
    pub effort: Option<String>,
    pub path: String,
    /// `None`: cancelled before there was one.
    pub status: Option<u16>,
    /// `ok`, `client_error`, `upstream_error`, `cancelled`
    pub outcome: String,
    /// `client`, `us`, `provider`: who is to blame for an error.
    pub blame: Option<String>,
    /// Bytes of the bodies, from the client and to it.
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// Until the answer's head; `None`: there was none.
    pub ttfb: Option<u64>,
    pub total: u64,
    pub stop_reason: Option<String>,
    /// `None`: the provider didn't tell.
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub cache_read_tokens: Option<u64>,
    pub cache_write_tokens: Option<u64>,
    /// USD; `None`: the route has no price.
    pub cost_usd: Option<f64>,
    /// A routed agent off its route, let through by the policy.
    pub stray: bool,
    /// How long it waited for one of the route's places; `None`: it didn't.
    pub queued: Option<u64>,
    /// The route that had failed, in whose place this one was tried.
    pub instead_of: Option<String>,
    /// The repair that would mend what the provider refused, as far as its wording tells.
    pub mending: Option<String>,
    /// What Claude Code's own headers say.
    pub class: Option<String>,
    /// 0 for the first try.
    pub attempt: Option<u32>,
    pub prompt_id: Option<String>,
    pub agent_id: Option<String>,
    pub parent_agent_id: Option<String>,
}

/// Up to where the ledger was read. What comes later is newer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mark {
    request: i64,
    gap: i64,
}

impl Mark {
    /// Whether the request stood there already.
    pub fn has(self, request: &Request) -> bool {
        request.id <= self.request
    }
}

/// What was newer than a mark.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Newer {
    /// In the order in which they were kept.
    pub rows: Vec<Request>,
    /// Requests that are newer too, and are left out because there are so many.
    pub skipped: u64,
    /// Requests that could not be kept since.
    pub lost: u64,
    pub mark: Mark,
}

const COLUMNS: &str = "id, session, (SELECT name FROM sessions WHERE sessions.id = session), at, agent, route, \
                       wire_model, upstream_model, effort, path, status, outcome, blame, bytes_in, bytes_out, ttfb, \
                       total, stop_reason, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost, \
                       stray, class, attempt, prompt_id, agent_id, parent_agent_id, queued, \
                       instead_of, mending";

impl Ledger {
    /// The newest requests that are newer than the mark, `limit` of them at most. Where the ledger has fewer than the
    /// mark says, because all was forgotten and it began anew, everything in it is newer.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn since(&self, mark: Mark, limit: u32) -> Result<Newer, LedgerError> {
        self.newer(mark, limit).map_err(|source| self.told(source))
    }

    /// The last requests that the filter picks, `limit` of them at most, in the order in which they were kept; and how
    /// many it picks.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn requests(&self, filter: &Filter, limit: u32) -> Result<(Vec<Request>, u64), LedgerError> {
        let (picked, values) = filter.sql();
        self.last(&picked, values, limit).map_err(|source| self.told(source))
    }

    fn newer(&self, mark: Mark, limit: u32) -> rusqlite::Result<Newer> {
        // Numbers begin anew where everything was forgotten.
        let known = |newest: i64, mark: i64| if newest < mark { 0 } else { mark };
        let mark = Mark {
            request: known(self.newest("requests")?, mark.request),
            gap: known(self.newest("gaps")?, mark.gap),
        };
        let (rows, count) = self.last("id > ?", vec![mark.request.into()], limit)?;
        let sql = "SELECT coalesce(max(id), ?1), coalesce(sum(requests), 0) FROM gaps WHERE id > ?1";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()));
        let (gap, lost) = self.connection.prepare_cached(sql)?.query_row([mark.gap], read)?;
        let request = rows.last().map_or(mark.request, |row| row.id);
        let skipped = count.saturating_sub(rows.len() as u64);
        Ok(Newer { rows, skipped, lost, mark: Mark { request, gap } })
    }

    fn newest(&self, table: &str) -> rusqlite::Result<i64> {
        let sql = format!("SELECT coalesce(max(id), 0) FROM {table}");
        self.connection.prepare_cached(&sql)?.query_row([], |row| row.get(0))
    }

    fn last(
        &self,
        picked: &str,
        mut values: Vec<Value>,
        limit: u32,
    ) -> rusqlite::Result<(Vec<Request>, u64)> {
        let sql = format!("SELECT count(*) FROM requests WHERE {picked}");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let count: i64 = statement.query_row(params_from_iter(&values), |row| row.get(0))?;
        let sql = format!("SELECT {COLUMNS} FROM requests WHERE {picked} ORDER BY id DESC LIMIT ?");
        values.push(limit.into());
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(&values), request)?;
        let mut rows = rows.collect::<rusqlite::Result<Vec<Request>>>()?;
        rows.reverse();
        Ok((rows, count.cast_unsigned()))
    }
}

fn request(row: &Row<'_>) -> rusqlite::Result<Request> {
    let count = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
    let known = |at: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(i64::cast_unsigned));
    Ok(Request {
        id: row.get(0)?,
        session: row.get(1)?,
        name: row.get(2)?,
        at: row.get(3)?,
        agent: row.get(4)?,
        route: row.get(5)?,
        wire_model: row.get(6)?,
        upstream_model: row.get(7)?,
        effort: row.get(8)?,
        path: row.get(9)?,
        status: row.get(10)?,
        outcome: row.get(11)?,
        blame: row.get(12)?,
        bytes_in: count(13)?,
        bytes_out: count(14)?,
        ttfb: known(15)?,
        total: count(16)?,
        stop_reason: row.get(17)?,
        input_tokens: known(18)?,
        output_tokens: known(19)?,
        cache_read_tokens: known(20)?,
        cache_write_tokens: known(21)?,
        cost_usd: row.get(22)?,
        stray: row.get(23)?,
        class: row.get(24)?,
        attempt: row.get(25)?,
        prompt_id: row.get(26)?,
        agent_id: row.get(27)?,
        parent_agent_id: row.get(28)?,
        queued: known(29)?,
        instead_of: row.get(30)?,
        mending: row.get(31)?,
    })
}
