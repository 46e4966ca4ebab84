//! A session's figures from what is remembered of it, for those that nobody can ask. Pure.
//!
//! They have the shape of `--stats-file`. What the ledger doesn't hold isn't in them: requests on their way, and strays
//! that were refused.

use std::collections::BTreeMap;

use crate::ledger::Request;
use crate::router::tap::Usage;
use crate::router::{Figures, Outcome, Stray, Sums};

/// What a session's requests come to, each added once.
#[derive(Debug, Clone, Default)]
pub struct Account {
    sums: Sums,
    /// Those that left their agent's route, by agent and model.
    strays: BTreeMap<(String, String), u64>,
}

impl Account {
    pub fn add(&mut self, request: &Request) {
        let usage = Usage {
            input: request.input_tokens,
            output: request.output_tokens,
            cache_read: request.cache_read_tokens,
            cache_write: request.cache_write_tokens,
        };
        let times = request.ttfb.map(|ttfb| [ttfb, request.total]);
        let place = self.sums.place(&request.agent, &request.route);
        self.sums.at(place).end(Outcome::named(&request.outcome), &usage, request.cost_usd, times);
        if request.stray {
            let model = request.wire_model.clone().unwrap_or_default();
            *self.strays.entry((request.agent.clone(), model)).or_default() += 1;
        }
    }

    pub fn figures(&self) -> Figures {
        let strays = self.strays.iter().map(|((agent, model), requests)| Stray {
            agent: Some(agent.clone()),
            model: model.clone(),
            requests: *requests,
            refused: 0,
        });
        Figures { routes: self.sums.routes(&[]), agents: self.sums.agents(), strays: strays.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::Percentiles;

    fn request(agent: &str, outcome: &str, ttfb: Option<u64>) -> Request {
        Request {
            agent: agent.to_owned(),
            route: "glm/glm-5".to_owned(),
            outcome: outcome.to_owned(),
            ttfb,
            total: 100,
            input_tokens: Some(7),
            cost_usd: (outcome == "ok").then_some(0.5),
            ..Request::default()
        }
    }

    #[test]
    fn each_request_is_in_its_agent_and_its_route() {
        let mut account = Account::default();
        for (agent, outcome, ttfb) in [
            ("main", "ok", Some(10)),
            ("main", "ok", Some(30)),
            ("fixer", "upstream_error", Some(20)),
            ("fixer", "client_error", None),
            ("fixer", "cancelled", None),
        ] {
            account.add(&request(agent, outcome, ttfb));
        }
        let figures = account.figures();
        let [route] = figures.routes.as_slice() else { panic!("{figures:?}") };
        assert_eq!(
            [route.requests, route.ok, route.client_error, route.upstream_error, route.cancelled],
            [5, 2, 1, 1, 1]
        );
        assert_eq!((route.input_tokens, route.cost_usd, route.in_flight), (35, Some(1.0), 0));
        assert_eq!((route.ttfb_ms, route.total_ms.p95), (Percentiles { p50: 20, p95: 30 }, 100));
        let agents: Vec<_> =
            figures.agents.iter().map(|row| (row.agent.as_deref(), row.requests, row.cost_usd)).collect();
        assert_eq!(agents, [(Some("fixer"), 3, None), (Some("main"), 2, Some(1.0))]);
        assert_eq!(figures.strays, []);
    }

    #[test]
    fn strays_that_were_let_through_are_counted_by_their_model() {
        let mut account = Account::default();
        for model in ["opus", "opus", "haiku"] {
            let wire_model = Some(model.to_owned());
            account.add(&Request { stray: true, wire_model, ..request("fixer", "ok", None) });
        }
        let strays: Vec<_> =
            account.figures().strays.iter().map(|one| (one.model.clone(), one.requests)).collect();
        assert_eq!(strays, [("haiku".to_owned(), 1), ("opus".to_owned(), 2)]);
    }
}
