//! A session's figures from what is remembered of it, for those that nobody can ask. Pure.
//!
//! They have the shape of `--stats-file`. What the ledger doesn't hold isn't in them: requests on their way, and strays
//! that were refused.

use std::collections::BTreeMap;

use crate::ledger::Request;
use crate::router::{Figures, Percentiles, Row, Stray};

/// What a session's requests come to, each added once.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// By agent and route.
    sums: BTreeMap<(String, String), Sum>,
    /// Those that left their agent's route, by agent and model.
    strays: BTreeMap<(String, String), u64>,
}

#[derive(Debug, Clone, Default)]
struct Sum {
    ok: u64,
    client_error: u64,
    upstream_error: u64,
    cancelled: u64,
    /// Input, output, read from the cache, written to it.
    tokens: [u64; 4],
    cost: Option<f64>,
    ttfb: Vec<u64>,
    total: Vec<u64>,
}

impl Account {
    pub fn add(&mut self, request: &Request) {
        let key = (request.agent.clone(), request.route.clone());
        self.sums.entry(key).or_default().add(request);
        if request.stray {
            let model = request.wire_model.clone().unwrap_or_default();
            *self.strays.entry((request.agent.clone(), model)).or_default() += 1;
        }
    }

    pub fn figures(&self) -> Figures {
        let mut routes = BTreeMap::<&String, Sum>::new();
        for ((_, route), sum) in &self.sums {
            routes.entry(route).or_default().merge(sum);
        }
        let agents = self.sums.iter().map(|((agent, route), sum)| sum.row(Some(agent), route));
        let strays = self.strays.iter().map(|((agent, model), requests)| Stray {
            agent: Some(agent.clone()),
            model: model.clone(),
            requests: *requests,
            refused: 0,
        });
        Figures {
            routes: routes.iter().map(|(route, sum)| sum.row(None, route)).collect(),
            agents: agents.collect(),
            strays: strays.collect(),
        }
    }
}

impl Sum {
    fn add(&mut self, request: &Request) {
        let count = match request.outcome.as_str() {
            "ok" => &mut self.ok,
            "client_error" => &mut self.client_error,
            "upstream_error" => &mut self.upstream_error,
            _ => &mut self.cancelled,
        };
        *count += 1;
        let told = [
            request.input_tokens,
            request.output_tokens,
            request.cache_read_tokens,
            request.cache_write_tokens,
        ];
        for (sum, tokens) in self.tokens.iter_mut().zip(told) {
            *sum += tokens.unwrap_or(0);
        }
        self.pay(request.cost_usd);
        self.ttfb.extend(request.ttfb);
        self.total.push(request.total);
    }

    fn merge(&mut self, other: &Self) {
        self.ok += other.ok;
        self.client_error += other.client_error;
        self.upstream_error += other.upstream_error;
        self.cancelled += other.cancelled;
        for (sum, tokens) in self.tokens.iter_mut().zip(other.tokens) {
            *sum += tokens;
        }
        self.pay(other.cost);
        self.ttfb.extend(&other.ttfb);
        self.total.extend(&other.total);
    }

    fn pay(&mut self, cost: Option<f64>) {
        if let Some(cost) = cost {
            *self.cost.get_or_insert(0.0) += cost;
        }
    }

    fn row(&self, agent: Option<&String>, route: &str) -> Row {
        let [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens] = self.tokens;
        Row {
            agent: agent.cloned(),
            route: route.to_owned(),
            circuit: None,
            mending: None,
            requests: self.ok + self.client_error + self.upstream_error + self.cancelled,
            in_flight: 0,
            queued: 0,
            ok: self.ok,
            client_error: self.client_error,
            upstream_error: self.upstream_error,
            cancelled: self.cancelled,
            input_tokens,
            output_tokens,
            cache_read_tokens,
            cache_write_tokens,
            cost_usd: self.cost,
            ttfb_ms: percentiles(&self.ttfb),
            total_ms: percentiles(&self.total),
            other: 0,
        }
    }
}

fn percentiles(millis: &[u64]) -> Percentiles {
    let mut sorted = millis.to_vec();
    sorted.sort_unstable();
    // The smallest that so many of a hundred don't exceed.
    let at = |percent: usize| {
        let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(rank).copied().unwrap_or(0)
    };
    Percentiles { p50: at(50), p95: at(95) }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn percentiles_are_of_what_was_measured() {
        for (millis, p50, p95) in [(vec![], 0, 0), (vec![4], 4, 4), ((1..=100).rev().collect(), 50, 95)] {
            assert_eq!(percentiles(&millis), Percentiles { p50, p95 });
        }
    }
}
