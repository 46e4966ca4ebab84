//! Exact live counters, per agent and route.
//!
//! Counts are state: one small lock around plain numbers, read as one consistent snapshot. Requests are events:
//! each ends as one [`Record`] on a bounded channel, where a slow reader loses the oldest and is told how many.
//! The request path never waits for a reader.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::Serialize;
use tokio::sync::{broadcast, watch};

use crate::config::{Price, RouteId};

use super::gate::{Allowances, Circuit};
use super::pass::Purse;
use super::record::{Outcome, Record};
use super::tap::Usage;

/// The route's name in all figures for what went to the default upstream.
pub const DEFAULT_ROUTE: &str = "default";

/// Records kept for a reader that lags behind.
const RECORDS: usize = 256;

/// The counters of one router.
#[derive(Debug)]
pub struct Meter {
    counts: Mutex<Counts>,
    records: broadcast::Sender<Arc<Record>>,
    /// Requests on their way, of all routes.
    in_flight: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Counts {
    /// A session has a few dozen at most: found by looking at each.
    cells: Vec<Cell>,
    /// Routes that are shown before their first request.
    routes: Vec<String>,
    strays: BTreeMap<(Option<String>, String), StrayCount>,
    /// Of routes that have another in their place.
    circuits: BTreeMap<String, Circuit>,
    /// The repair that would mend what a route refused last, as far as it told.
    mendings: BTreeMap<String, String>,
}

#[derive(Debug, Default, Clone, Copy)]
struct StrayCount {
    requests: u64,
    refused: u64,
}

/// The figures of one (agent, route).
#[derive(Debug, Clone)]
struct Cell {
    agent: String,
    route: String,
    in_flight: u64,
    queued: u64,
    ok: u64,
    client_error: u64,
    upstream_error: u64,
    cancelled: u64,
    other: u64,
    usage: [u64; 4],
    cost: Option<f64>,
    ttfb: Histogram<u32>,
    total: Histogram<u32>,
}

impl Cell {
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

    fn add(&mut self, other: &Self) {
        self.in_flight += other.in_flight;
        self.queued += other.queued;
        self.ok += other.ok;
        self.client_error += other.client_error;
        self.upstream_error += other.upstream_error;
        self.cancelled += other.cancelled;
        self.other += other.other;
        for (sum, more) in self.usage.iter_mut().zip(other.usage) {
            *sum += more;
        }
        if let Some(cost) = other.cost {
            *self.cost.get_or_insert(0.0) += cost;
        }
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

/// All figures of one moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figures {
    pub routes: Vec<Row>,
    pub agents: Vec<Row>,
    pub strays: Vec<Stray>,
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

/// Calls of routed agents off their routes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stray {
    /// `None`: the caller has no route of its own.
    pub agent: Option<String>,
    pub model: String,
    pub requests: u64,
    pub refused: u64,
}

impl Meter {
    /// `routes` are shown from the start, in this order.
    pub fn new(routes: Vec<String>) -> Self {
        let counts = Counts { routes, ..Counts::default() };
        let (records, in_flight) = (broadcast::channel(RECORDS).0, watch::Sender::new(0));
        Self { counts: Mutex::new(counts), records, in_flight }
    }

    /// Counts a request in. The guard counts it out, whatever happens.
    pub fn begin(self: &Arc<Self>, record: Record, purse: Arc<Purse>) -> Flight {
        let mut counts = self.lock();
        let cell = counts.cell(&record.agent, &record.route);
        counts.cells[cell].in_flight += 1;
        drop(counts);
        self.in_flight.send_modify(|count| *count += 1);
        Flight {
            meter: Arc::clone(self),
            cell,
            record: Box::new(record),
            purse,
            begun: Instant::now(),
            queued: None,
            charged: None,
            ended: false,
        }
    }

    /// Counts a call that is no inference.
    pub fn other(&self, agent: &str, route: &str) {
        let mut counts = self.lock();
        let cell = counts.cell(agent, route);
        counts.cells[cell].other += 1;
    }

    /// Counts a stray: a call or a request.
    pub fn stray(&self, agent: Option<&str>, model: &str, refused: bool) {
        let mut counts = self.lock();
        let count = counts.strays.entry((agent.map(str::to_owned), model.to_owned())).or_default();
        count.requests += 1;
        count.refused += u64::from(refused);
    }

    /// Whether a route is left alone.
    pub fn circuit(&self, route: &str, circuit: Circuit) {
        let mut counts = self.lock();
        match counts.circuits.get_mut(route) {
            Some(known) => *known = circuit,
            None => drop(counts.circuits.insert(route.to_owned(), circuit)),
        }
    }

    /// Whether any request has been counted.
    pub fn used(&self) -> bool {
        let counts = self.lock();
        !counts.cells.is_empty() || !counts.strays.is_empty()
    }

    /// One consistent reading.
    pub fn figures(&self) -> Figures {
        let counts = self.lock();
        let mut routes: Vec<Cell> = counts.routes.iter().map(|route| Cell::new("", route)).collect();
        for cell in &counts.cells {
            match routes.iter_mut().find(|sum| sum.route == cell.route) {
                Some(sum) => sum.add(cell),
                None => routes.push(cell.clone()),
            }
        }
        let mut agents: Vec<Row> = counts.cells.iter().map(|cell| cell.row(Some(&cell.agent))).collect();
        agents.sort_by(|a, b| (&a.agent, &a.route).cmp(&(&b.agent, &b.route)));
        let strays = counts.strays.iter().map(|((agent, model), count)| Stray {
            agent: agent.clone(),
            model: model.clone(),
            requests: count.requests,
            refused: count.refused,
        });
        let routes = routes.iter().map(|cell| Row {
            circuit: counts.circuits.get(&cell.route).copied(),
            mending: counts.mendings.get(&cell.route).cloned(),
            ..cell.row(None)
        });
        Figures { routes: routes.collect(), agents, strays: strays.collect() }
    }

    /// Every finished request from now on. Holds the last 256; who reads slower is told how many were lost.
    pub fn records(&self) -> broadcast::Receiver<Arc<Record>> {
        self.records.subscribe()
    }

    /// How many requests are on their way: now, and whenever one begins or ends.
    pub fn in_flight(&self) -> watch::Receiver<u64> {
        self.in_flight.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        // Plain numbers: a panic elsewhere leaves nothing half-written in them.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn cell(&mut self, agent: &str, route: &str) -> usize {
        let found = self.cells.iter().position(|cell| cell.agent == agent && cell.route == route);
        found.unwrap_or_else(|| {
            self.cells.push(Cell::new(agent, route));
            self.cells.len() - 1
        })
    }
}

/// Milliseconds, to two digits; grows with what is recorded.
fn latencies() -> Histogram<u32> {
    Histogram::new(2).expect("two digits are between zero and five")
}

/// One request in flight. Dropped without [`Flight::finish`], it counts as cancelled.
#[derive(Debug)]
pub struct Flight {
    meter: Arc<Meter>,
    cell: usize,
    record: Box<Record>,
    purse: Arc<Purse>,
    begun: Instant,
    /// Since when it waits for a place.
    queued: Option<Instant>,
    /// The budgets that it is charged to, and as whose.
    charged: Option<(Arc<Allowances>, RouteId)>,
    ended: bool,
}

impl Flight {
    /// The answer's head is here.
    pub fn head(&mut self, status: u16) {
        self.record.status = Some(status);
        self.record.ttfb = Some(millis(self.begun.elapsed()));
    }

    pub fn record(&mut self) -> &mut Record {
        &mut self.record
    }

    /// What it uses is charged to these budgets too.
    #[must_use]
    pub fn charging(mut self, allowances: Arc<Allowances>, route: &RouteId) -> Self {
        self.charged = (!allowances.is_empty()).then(|| (allowances, route.clone()));
        self
    }

    /// It waits for one of its route's places.
    pub fn queue(&mut self) {
        self.queued = Some(Instant::now());
        self.meter.lock().cells[self.cell].queued += 1;
    }

    /// It waits no longer.
    pub fn called(&mut self) {
        let Some(since) = self.queued.take() else { return };
        self.record.queued = Some(millis(since.elapsed()));
        self.meter.lock().cells[self.cell].queued -= 1;
    }

    /// Since the request was counted in.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    pub fn finish(mut self, outcome: Outcome) {
        self.end(outcome);
    }

    fn end(&mut self, outcome: Outcome) {
        self.called();
        self.ended = true;
        let record = &mut self.record;
        record.outcome = outcome;
        record.total = millis(self.begun.elapsed());
        record.cost = record.price.map(|price| cost(&price, &record.usage));
        let mut counts = self.meter.lock();
        let cell = &mut counts.cells[self.cell];
        cell.in_flight -= 1;
        match outcome {
            Outcome::Ok => cell.ok += 1,
            Outcome::ClientError => cell.client_error += 1,
            Outcome::UpstreamError => cell.upstream_error += 1,
            Outcome::Cancelled => cell.cancelled += 1,
        }
        for (sum, tokens) in cell.usage.iter_mut().zip(four(&record.usage)) {
            *sum += tokens;
        }
        if let Some(cost) = record.cost {
            *cell.cost.get_or_insert(0.0) += cost;
        }
        if let Some(ttfb) = record.ttfb {
            cell.ttfb.saturating_record(ttfb);
            cell.total.saturating_record(record.total);
        }
        if let Some(repair) = &record.mending {
            counts.mendings.insert(record.route.clone(), repair.clone());
        }
        drop(counts);
        self.purse.charge(&record.usage, record.cost);
        if let Some((allowances, route)) = &self.charged {
            let today = jiff::ZonedDateTime::now().date();
            allowances.charge(record, route, today);
        }
        self.meter.in_flight.send_modify(|count| *count -= 1);
        if self.meter.records.receiver_count() > 0 {
            let _ = self.meter.records.send(Arc::new(Record::clone(record)));
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if !self.ended {
            self.end(Outcome::Cancelled);
        }
    }
}

/// Rounded up: 0 stands for what was not measured.
fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros().div_ceil(1000)).unwrap_or(u64::MAX)
}

fn four(usage: &Usage) -> [u64; 4] {
    [usage.input, usage.output, usage.cache_read, usage.cache_write].map(Option::unwrap_or_default)
}

/// USD of one request.
#[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
fn cost(price: &Price, usage: &Usage) -> f64 {
    let rates = [
        price.input,
        price.output,
        price.cache_read.unwrap_or(price.input),
        price.cache_write.unwrap_or(price.input),
    ];
    four(usage).iter().zip(rates).map(|(&tokens, rate)| tokens as f64 * rate / 1e6).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(agent: &str, route: &str) -> Record {
        Record { agent: agent.into(), route: route.into(), path: "/v1/messages".into(), ..Record::default() }
    }

    fn add_up(row: &Row) -> bool {
        row.requests == row.in_flight + row.ok + row.client_error + row.upstream_error + row.cancelled
    }

    #[test]
    fn a_request_is_in_flight_until_it_ends_and_cancelled_when_it_is_dropped() {
        let meter = Arc::new(Meter::new(vec![DEFAULT_ROUTE.into(), "p/m".into()]));
        let kept = meter.begin(record("a", "p/m"), Arc::default());
        let dropped = meter.begin(record("a", "p/m"), Arc::default());
        let price = Some(Price { input: 3.0, output: 15.0, ..Price::default() });
        let mut done = meter.begin(Record { price, ..record("b", "p/m") }, Arc::default());
        done.head(200);
        done.record().usage = Usage { input: Some(1_000_000), output: Some(100_000), ..Usage::default() };
        done.finish(Outcome::Ok);
        drop(dropped);
        let mut refused = meter.begin(record("b", "q/m"), Arc::default());
        refused.record().mending = Some("drop-betas".into());
        refused.finish(Outcome::ClientError);
        let figures = meter.figures();
        assert_eq!(figures.routes[0].requests, 0, "the default route is shown before it is used");
        let row = &figures.routes[1];
        assert_eq!((row.requests, row.in_flight, row.ok, row.cancelled), (3, 1, 1, 1));
        assert_eq!((row.input_tokens, row.output_tokens, row.cost_usd), (1_000_000, 100_000, Some(4.5)));
        assert!(figures.routes.iter().chain(&figures.agents).all(add_up));
        assert_eq!((figures.agents.len(), figures.routes[2].mending.as_deref()), (3, Some("drop-betas")));
        assert_eq!(figures.agents[0].cost_usd, None, "no price, no cost");
        drop(kept);
    }

    #[tokio::test]
    async fn each_end_is_one_record_and_losses_are_told() {
        let meter = Arc::new(Meter::new(vec![]));
        let mut reader = meter.records();
        for _ in 0..RECORDS + 3 {
            meter.begin(record("a", "p/m"), Arc::default()).finish(Outcome::Ok);
        }
        assert!(matches!(reader.recv().await, Err(broadcast::error::RecvError::Lagged(3))));
        assert_eq!(reader.recv().await.unwrap().outcome, Outcome::Ok);
    }

    #[test]
    fn strays_are_counted_by_agent_and_model() {
        let meter = Meter::new(vec![]);
        meter.stray(Some("reviewer"), "opus", true);
        meter.stray(Some("reviewer"), "opus", false);
        let want = Stray { agent: Some("reviewer".into()), model: "opus".into(), requests: 2, refused: 1 };
        assert_eq!(meter.figures().strays, [want]);
    }
}
