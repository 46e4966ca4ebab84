//! What was used of routes, and by which agents: for budgets.

use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use uuid::Uuid;

use super::{Ledger, LedgerError};
use crate::router::Spent;
use crate::router::tap::Usage;

/// What an agent has used of a route.
#[derive(Debug, Clone, PartialEq)]
pub struct Used {
    pub agent: String,
    /// `provider/model`, or `default`.
    pub route: String,
    pub spent: Spent,
}

/// Whose requests count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Everybody,
    Session(Uuid),
    /// All but this session's from `since` on, in milliseconds since 1970: one that is taken up again counts what it
    /// did before like anybody else's.
    AllBut {
        session: Uuid,
        since: i64,
    },
}

const SUMS: &str = "count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), \
                    coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_write_tokens), 0), sum(cost)";

impl Ledger {
    /// What was used from `since` on, in milliseconds since 1970. What the router itself refused was never sent, and
    /// isn't in it.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn used_since(&self, since: i64, whose: Whose) -> Result<Vec<Used>, LedgerError> {
        self.sums_of_use(since, whose).map_err(|source| self.told(source))
    }

    fn sums_of_use(&self, since: i64, whose: Whose) -> rusqlite::Result<Vec<Used>> {
        let (picked, more) = whose.sql();
        let sql = format!(
            "SELECT agent, route, {SUMS} FROM requests WHERE at >= ? AND blame IS NOT 'us' AND {picked} GROUP BY 1, 2"
        );
        let values: Vec<Value> = std::iter::once(since.into()).chain(more).collect();
        self.connection.prepare_cached(&sql)?.query_map(params_from_iter(values), used)?.collect()
    }
}

impl Whose {
    /// A condition and its values.
    fn sql(self) -> (&'static str, Vec<Value>) {
        match self {
            Self::Everybody => ("true", Vec::new()),
            Self::Session(session) => ("session = ?", vec![session.to_string().into()]),
            Self::AllBut { session, since } => {
                ("(session <> ? OR at < ?)", vec![session.to_string().into(), since.into()])
            }
        }
    }
}

fn used(row: &Row<'_>) -> rusqlite::Result<Used> {
    let count = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
    let tokens = |at: usize| count(at).map(Some);
    let usage =
        Usage { input: tokens(3)?, output: tokens(4)?, cache_read: tokens(5)?, cache_write: tokens(6)? };
    let spent = Spent { requests: count(2)?, usage, cost: row.get(7)?, exhausted: false };
    Ok(Used { agent: row.get(0)?, route: row.get(1)?, spent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{rows, testing};
    use crate::router::Blame;
    use crate::router::Record;

    fn requests(ledger: &Ledger, since: i64, whose: Whose) -> u64 {
        ledger.used_since(since, whose).unwrap().iter().map(|used| used.spent.requests).sum()
    }

    #[test]
    fn sums_are_kept_apart_by_agent_and_route() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ledger.db");
        testing::keep(&file, 1, &[10, 20]);
        let ledger = Ledger::open(&file).unwrap();
        let more = [
            Record { agent: "critic".into(), cost: Some(0.5), ..testing::record(30) },
            Record { blame: Some(Blame::Us), ..testing::record(30) },
        ];
        for record in more {
            rows::request(&ledger.connection, &Uuid::from_u128(1).to_string(), &record).unwrap();
        }
        let used = ledger.used_since(10, Whose::Everybody).unwrap();
        let told: Vec<_> = used
            .iter()
            .map(|used| {
                let Used { agent, route, spent } = used;
                (agent.as_str(), route.as_str(), spent.requests, spent.usage.uncached(), spent.cost)
            })
            .collect();
        let expect = [("critic", "glm/glm-5", 1, 12, Some(0.5)), ("reviewer", "glm/glm-5", 2, 24, None)];
        assert_eq!(told, expect);
    }

    #[test]
    fn what_a_session_did_before_it_was_taken_up_again_is_not_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ledger.db");
        testing::keep(&file, 1, &[10, 20, 30]);
        testing::keep(&file, 2, &[25]);
        let ledger = Ledger::open(&file).unwrap();
        let session = Uuid::from_u128(1);
        for (since, whose, expect) in [
            (0, Whose::Everybody, 4),
            (20, Whose::Everybody, 3),
            (0, Whose::Session(session), 3),
            (0, Whose::AllBut { session, since: 0 }, 1),
            (0, Whose::AllBut { session, since: 30 }, 3),
            (15, Whose::AllBut { session, since: 30 }, 2),
        ] {
            assert_eq!(requests(&ledger, since, whose), expect, "{since} {whose:?}");
        }
    }
}
