//! Sums over what is remembered. Tokens and costs that nobody told are left out, and how many is said.

use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Ledger, LedgerError};

/// What the rows of a report are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Days where the person is.
    Day,
    Session,
    Agent,
    Route,
    /// The model that the client named.
    Model,
}

impl By {
    /// As commands name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Session => "session",
            Self::Agent => "agent",
            Self::Route => "route",
            Self::Model => "model",
        }
    }

    fn column(self) -> &'static str {
        match self {
            Self::Day => "strftime('%Y-%m-%d', at / 1000, 'unixepoch', 'localtime')",
            Self::Session => "session",
            Self::Agent => "agent",
            Self::Route => "route",
            Self::Model => "coalesce(wire_model, 'unknown')",
        }
    }
}

/// Which requests count. Times in milliseconds since 1970.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// At this time or later.
    pub since: Option<i64>,
    /// Before this time.
    pub until: Option<i64>,
    pub session: Option<Uuid>,
    pub agent: Option<String>,
    pub route: Option<String>,
}

/// The sums, and what they leave out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub rows: Vec<Sum>,
    pub total: Sum,
    /// Requests that were made and could not be kept.
    pub lost: u64,
}

/// `requests = ok + client_error + upstream_error + cancelled`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sum {
    /// The day, the session, …; empty in the total.
    pub key: String,
    /// What the session is called, where the rows are sessions.
    pub name: Option<String>,
    pub requests: u64,
    pub ok: u64,
    pub client_error: u64,
    pub upstream_error: u64,
    pub cancelled: u64,
    /// Tokens that were neither read from nor written to a cache.
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
    /// USD, of the requests that have a price; `None`: none has.
    pub cost_usd: Option<f64>,
    /// Requests that aren't in `cost_usd`, because their route has no price.
    pub unpriced: u64,
}

const SUMS: &str = "count(*), total(outcome = 'ok'), total(outcome = 'client_error'), \
                    total(outcome = 'upstream_error'), total(outcome = 'cancelled'), total(input_tokens), \
                    total(output_tokens), total(cache_read_tokens), total(cache_write_tokens), sum(cost), \
                    total(cost IS NULL)";

/// Sessions of older versions have no name.
const NAME: &str = "(SELECT name FROM sessions WHERE id = requests.session)";

impl Ledger {
    /// The sums of the requests that the filter picks, most requests first, days in their order.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn report(&self, by: By, filter: &Filter) -> Result<Report, LedgerError> {
        self.sums(by, filter).map_err(|source| self.told(source))
    }

    fn sums(&self, by: By, filter: &Filter) -> rusqlite::Result<Report> {
        let (picked, values) = filter.sql();
        let order = if by == By::Day { "1" } else { "2 DESC, 1" };
        let column = by.column();
        let name = if by == By::Session { NAME } else { "NULL" };
        let sql = format!(
            "SELECT {column}, {SUMS}, {name} FROM requests WHERE {picked} GROUP BY 1 ORDER BY {order}"
        );
        let mut statement = self.connection.prepare(&sql)?;
        let rows: rusqlite::Result<Vec<Sum>> = statement.query_map(params_from_iter(&values), sum)?.collect();
        let sql = format!("SELECT '', {SUMS}, NULL FROM requests WHERE {picked}");
        let total = self.connection.query_row(&sql, params_from_iter(&values), sum)?;
        Ok(Report { rows: rows?, total, lost: self.lost(filter)? })
    }

    /// Gaps know their session and their time only.
    fn lost(&self, filter: &Filter) -> rusqlite::Result<u64> {
        let filter = Filter { agent: None, route: None, ..filter.clone() };
        let (picked, values) = filter.sql();
        let sql = format!("SELECT total(requests) FROM gaps WHERE {picked}");
        self.connection.query_row(&sql, params_from_iter(&values), |row| count(row, 0))
    }
}

impl Filter {
    /// A condition and its values.
    pub(super) fn sql(&self) -> (String, Vec<Value>) {
        let conditions = [
            ("at >= ?", self.since.map(Value::from)),
            ("at < ?", self.until.map(Value::from)),
            ("session = ?", self.session.map(|session| Value::from(session.to_string()))),
            ("agent = ?", self.agent.clone().map(Value::from)),
            ("route = ?", self.route.clone().map(Value::from)),
        ];
        let given = conditions.into_iter().filter_map(|(sql, value)| Some((sql, value?)));
        let (mut sql, values): (Vec<&str>, Vec<Value>) = given.unzip();
        sql.push("true");
        (sql.join(" AND "), values)
    }
}

fn sum(row: &Row<'_>) -> rusqlite::Result<Sum> {
    Ok(Sum {
        key: row.get(0)?,
        requests: count(row, 1)?,
        ok: count(row, 2)?,
        client_error: count(row, 3)?,
        upstream_error: count(row, 4)?,
        cancelled: count(row, 5)?,
        input_tokens: count(row, 6)?,
        output_tokens: count(row, 7)?,
        cache_read_tokens: count(row, 8)?,
        cache_write_tokens: count(row, 9)?,
        cost_usd: row.get(10)?,
        unpriced: count(row, 11)?,
        name: row.get(12)?,
    })
}

/// `total()` gives a float, so that an empty sum is 0; counts are whole and far below 2^53.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count is whole and not negative"
)]
fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, f64>(column).map(|count| count as u64)
}
