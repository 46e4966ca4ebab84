//! What requests come to, by agent and route. Pure: the live counters and the ledger's rows are added up alike.

use hdrhistogram::Histogram;
use serde::Serialize;

use super::gate::Circuit;
use super::record::Outcome;
use super::tap::Usage;

/// One for each agent and route. A session has a few dozen at most: found by looking at each.
#[derive(Debug, Clone, Default)]
pub struct Sums(Vec<Sum>);

/// The figures of one (agent, route).
#[derive(Debug, Clone)]
pub struct Sum {
    agent: String,
    route: String,
    pub(super) in_flight: u64,
    pub(super) queued: u64,
    ok: u64,
    client_error: u64,
    upstream_error: u64,
    cancelled: u64,
    pub(super) other: u64,
    usage: [u64; 4],
    cost: Option<f64>,
    ttfb: Histogram<u32>,
    total: Histogram<u32>,
}

impl Sums {
    /// Where the agent's requests on this route are added up.
    pub fn place(&mut self, agent: &str, route: &str) -> usize {
        let found = self.0.iter().position(|sum| sum.agent == agent && sum.route == route);
        found.unwrap_or_else(|| {
            self.0.push(Sum::new(agent, route));
            self.0.len() - 1
        })
    }

    pub fn at(&mut self, place: usize) -> &mut Sum {
        &mut self.0[place]
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A row for each route: first these, whether they were used or not.
    pub fn routes(&self, first: &[String]) -> Vec<Row> {
        let mut routes: Vec<Sum> = first.iter().map(|route| Sum::new("", route)).collect();
        for sum in &self.0 {
            match routes.iter_mut().find(|all| all.route == sum.route) {
                Some(all) => all.add(sum),
                None => routes.push(sum.clone()),
            }
        }
        routes.iter().map(|sum| sum.row(None)).collect()
    }

    /// A row for each agent on each of its routes, by name.
    pub fn agents(&self) -> Vec<Row> {
        let mut agents: Vec<Row> = self.0.iter().map(|sum| sum.row(Some(&sum.agent))).collect();
        agents.sort_by(|a, b| (&a.agent, &a.route).cmp(&(&b.agent, &b.route)));
        agents
    }
}

impl Sum {
    fn new(agent: &str, route: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            route: route.to_owned(),
            in_flight: 0,
            queued: 0,
            ok: 0,
            client_error: 0,
            upstream_error: 0,
            cancelled: 0,
            other: 0,
            usage: [0; 4],
            cost: None,
            ttfb: latencies(),
            total: latencies(),
        }
    }

    /// A request has ended. `times` are milliseconds to the answer's head and to its end; `None`: there was no answer.
    pub fn end(&mut self, outcome: Outcome, usage: &Usage, cost: Option<f64>, times: Option<[u64; 2]>) {
        match outcome {
            Outcome::Ok => self.ok += 1,
            Outcome::ClientError => self.client_error += 1,
            Outcome::UpstreamError => self.upstream_error += 1,
            Outcome::Cancelled => self.cancelled += 1,
        }
        self.spend(four(usage), cost);
        if let Some([ttfb, total]) = times {
            self.ttfb.saturating_record(ttfb);
            self.total.saturating_record(total);
        }
    }

    fn spend(&mut self, usage: [u64; 4], cost: Option<f64>) {
        for (sum, tokens) in self.usage.iter_mut().zip(usage) {
            *sum += tokens;
        }
        if let Some(cost) = cost {
            *self.cost.get_or_insert(0.0) += cost;
        }
    }

    fn add(&mut self, other: &Self) {
        self.in_flight += other.in_flight;
        self.queued += other.queued;
        self.ok += other.ok;
        self.client_error += other.client_error;
        self.upstream_error += other.upstream_error;
        self.cancelled += other.cancelled;
        self.other += other.other;
        self.spend(other.usage, other.cost);
        // Both grow by themselves, so that neither addition can fail.
        let _ = self.ttfb.add(&other.ttfb);
        let _ = self.total.add(&other.total);
    }

    fn row(&self, agent: Option<&str>) -> Row {
        let [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens] = self.usage;
        Row {
            agent: agent.map(str::to_owned),
            route: self.route.clone(),
            circuit: None,
            mending: None,
            requests: self.in_flight + self.ok + self.client_error + self.upstream_error + self.cancelled,
            in_flight: self.in_flight,
            queued: self.queued,
            ok: self.ok,
            client_error: self.client_error,
            upstream_error: self.upstream_error,
            cancelled: self.cancelled,
            input_tokens,
            output_tokens,
            cache_read_tokens,
            cache_write_tokens,
            cost_usd: self.cost,
            ttfb_ms: Percentiles::of(&self.ttfb),
            total_ms: Percentiles::of(&self.total),
            other: self.other,
        }
    }
}

/// `requests = in_flight + ok + client_error + upstream_error + cancelled`, always.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    pub route: String,
    /// Whether the route is left alone after failures; only of a route that has another in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub circuit: Option<Circuit>,
    /// The repair that would mend what the route refused last, as far as it told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mending: Option<String>,
    pub requests: u64,
    pub in_flight: u64,
    /// Of those in flight: they wait for one of their route's places.
    pub queued: u64,
    pub ok: u64,
    pub client_error: u64,
    pub upstream_error: u64,
    pub cancelled: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
    /// USD; `None` without a price.
    pub cost_usd: Option<f64>,
    pub ttfb_ms: Percentiles,
    pub total_ms: Percentiles,
    /// Calls that are no inference: `count_tokens`, `models`, …
    pub other: u64,
}

/// Milliseconds; 0 before the first request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Percentiles {
    pub p50: u64,
    pub p95: u64,
}

impl Percentiles {
    fn of(histogram: &Histogram<u32>) -> Self {
        Self { p50: histogram.value_at_quantile(0.5), p95: histogram.value_at_quantile(0.95) }
    }
}

/// Milliseconds, to two digits; grows with what is recorded.
fn latencies() -> Histogram<u32> {
    Histogram::new(2).expect("two digits are between zero and five")
}

/// Input, output, read from the cache, written to it.
pub(super) fn four(usage: &Usage) -> [u64; 4] {
    [usage.input, usage.output, usage.cache_read, usage.cache_write].map(Option::unwrap_or_default)
}
