//! A session's figures in one line. Pure but for the ledger's answers.

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::ledger::{By, Filter, Ledger, LedgerError};

/// What came of a session so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tally {
    /// Agents that were heard of, in the order of their names, the main session among them.
    pub agents: Vec<String>,
    /// Routes that were used, `default` for the default upstream.
    pub routes: Vec<String>,
    pub requests: u64,
    pub in_flight: u64,
    /// USD, of the requests that have a price; `None`: none has.
    pub cost_usd: Option<f64>,
}

impl Tally {
    /// Of a session's figures as `--stats-file` writes them. What isn't there counts as nothing.
    pub fn of(stats: &Value) -> Self {
        let rows = |name: &str| stats[name].as_array().cloned().unwrap_or_default();
        let used: Vec<Value> =
            rows("routes").into_iter().filter(|row| row["requests"].as_u64() > Some(0)).collect();
        let sum = |name: &str| used.iter().filter_map(|row| row[name].as_u64()).sum();
        let costs: Vec<f64> = used.iter().filter_map(|row| row["cost_usd"].as_f64()).collect();
        Self {
            agents: names(rows("agents").iter().filter_map(|row| row["agent"].as_str())),
            routes: names(used.iter().filter_map(|row| row["route"].as_str())),
            requests: sum("requests"),
            in_flight: sum("in_flight"),
            cost_usd: (!costs.is_empty()).then(|| costs.iter().sum()),
        }
    }

    /// Of what is remembered of a session.
    ///
    /// # Errors
    /// The ledger can't be read.
    pub fn remembered(ledger: &Ledger, session: Uuid) -> Result<Self, LedgerError> {
        let filter = Filter { session: Some(session), ..Filter::default() };
        let agents = ledger.report(By::Agent, &filter)?;
        let routes = ledger.report(By::Route, &filter)?;
        Ok(Self {
            agents: names(agents.rows.iter().map(|row| row.key.as_str())),
            routes: names(routes.rows.iter().map(|row| row.key.as_str())),
            requests: routes.total.requests,
            in_flight: 0,
            cost_usd: routes.total.cost_usd,
        })
    }
}

/// Each once.
fn names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_are_summed_up_over_the_routes_that_were_used() {
        let stats = json!({
            "routes": [
                {"route": "default", "requests": 3, "in_flight": 1, "cost_usd": null},
                {"route": "glm/glm-5", "requests": 2, "in_flight": 0, "cost_usd": 0.5},
                {"route": "ollama/m", "requests": 0, "in_flight": 0, "cost_usd": null},
            ],
            "agents": [{"agent": "reviewer", "route": "glm/glm-5"}, {"agent": "main", "route": "default"},
                       {"agent": "reviewer", "route": "default"}],
        });
        let expect = Tally {
            agents: vec!["main".to_owned(), "reviewer".to_owned()],
            routes: vec!["default".to_owned(), "glm/glm-5".to_owned()],
            requests: 5,
            in_flight: 1,
            cost_usd: Some(0.5),
        };
        assert_eq!(Tally::of(&stats), expect);
        for nothing in [json!(null), json!({"routes": []}), json!({"routes": 7})] {
            assert_eq!(Tally::of(&nothing), Tally::default());
        }
    }
}
