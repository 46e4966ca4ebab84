//! Exact live counters, per agent and route.
//!
//! Counts are state: one small lock around plain numbers, read as one consistent snapshot. Requests are events:
//! each ends as one [`Record`] on a bounded channel, where a slow reader loses the oldest and is told how many.
//! The request path never waits for a reader.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::sync::{broadcast, watch};

use crate::config::{Price, RouteId};

use super::gate::{Allowances, Circuit};
use super::pass::Purse;
use super::record::{Outcome, Record};
use super::sums::{Row, Sums, four};
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
    sums: Sums,
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

/// All figures of one moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figures {
    pub routes: Vec<Row>,
    pub agents: Vec<Row>,
    pub strays: Vec<Stray>,
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
        let sum = counts.sums.place(&record.agent, &record.route);
        counts.sums.at(sum).in_flight += 1;
        drop(counts);
        self.in_flight.send_modify(|count| *count += 1);
        Flight {
            meter: Arc::clone(self),
            sum,
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
        let sum = counts.sums.place(agent, route);
        counts.sums.at(sum).other += 1;
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
        !counts.sums.is_empty() || !counts.strays.is_empty()
    }

    /// One consistent reading.
    pub fn figures(&self) -> Figures {
        let counts = self.lock();
        let strays = counts.strays.iter().map(|((agent, model), count)| Stray {
            agent: agent.clone(),
            model: model.clone(),
            requests: count.requests,
            refused: count.refused,
        });
        let routes = counts.sums.routes(&counts.routes).into_iter().map(|row| Row {
            circuit: counts.circuits.get(&row.route).copied(),
            mending: counts.mendings.get(&row.route).cloned(),
            ..row
        });
        Figures { routes: routes.collect(), agents: counts.sums.agents(), strays: strays.collect() }
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

/// One request in flight. Dropped without [`Flight::finish`], it counts as cancelled.
#[derive(Debug)]
pub struct Flight {
    meter: Arc<Meter>,
    /// Where it is counted.
    sum: usize,
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
        self.meter.lock().sums.at(self.sum).queued += 1;
    }

    /// It waits no longer.
    pub fn called(&mut self) {
        let Some(since) = self.queued.take() else { return };
        self.record.queued = Some(millis(since.elapsed()));
        self.meter.lock().sums.at(self.sum).queued -= 1;
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
        let sum = counts.sums.at(self.sum);
        sum.in_flight -= 1;
        let times = record.ttfb.map(|ttfb| [ttfb, record.total]);
        sum.end(outcome, &record.usage, record.cost, times);
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
