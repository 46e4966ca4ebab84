//! The last error of each row, as the requests themselves tell it.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::figures::Key;
use crate::ledger::Request;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// Milliseconds since 1970.
    pub(super) at: i64,
    pub(super) status: Option<u16>,
    /// Who is to blame.
    pub(super) blame: String,
}

/// By session, agent and route.
#[derive(Debug, Default)]
pub(super) struct Errors {
    last: BTreeMap<(String, String, String), Failure>,
}

impl Errors {
    pub(super) fn learn(&mut self, row: &Request) {
        if !row.outcome.ends_with("_error") {
            return;
        }
        let key = (row.session.clone(), row.agent.clone(), row.route.clone());
        let blame = row.blame.clone().unwrap_or_else(|| row.outcome.replace("_error", ""));
        self.last.insert(key, Failure { at: row.at, status: row.status, blame });
    }

    /// Forgets all sessions but these.
    pub(super) fn keep(&mut self, sessions: &[String]) {
        self.last.retain(|(session, _, _), _| sessions.contains(session));
    }

    /// The last of a row in these sessions.
    pub(super) fn last(&self, sessions: &[Uuid], key: &Key) -> Option<&Failure> {
        let sessions: Vec<String> = sessions.iter().map(Uuid::to_string).collect();
        let is_it = |(session, agent, route): &(String, String, String)| {
            *route == key.route
                && key.agent.as_ref().is_none_or(|one| one == agent)
                && sessions.contains(session)
        };
        let found = self.last.iter().filter(|(of, _)| is_it(of)).map(|(_, failure)| failure);
        found.max_by_key(|failure| failure.at)
    }
}
