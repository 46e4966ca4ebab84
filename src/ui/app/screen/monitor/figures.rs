//! The figures of all sessions together, or of one.

use std::collections::BTreeMap;

use serde_json::Value;
use uuid::Uuid;

use crate::launch::sessions::State;
use crate::ui::app::world::World;

/// What the rows are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum View {
    #[default]
    Routes,
    Agents,
    Strays,
}

/// Which row it is. The agent is `None` where the rows are routes.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) agent: Option<String>,
    pub(super) route: String,
}

impl Key {
    pub(super) fn of(row: &Value) -> Self {
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        Self { agent: text("agent"), route: text("route").unwrap_or_default() }
    }
}

/// Whether a number still is what it says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Freshness {
    /// Every session that it comes from has gone, or is silent.
    #[default]
    Stale,
    Fresh,
}

/// Whether a route is left alone, the worst last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Circuit {
    #[default]
    Closed,
    HalfOpen,
    Open,
}

/// One row, summed up.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Row {
    pub(super) requests: u64,
    pub(super) in_flight: u64,
    /// Of those: they wait for one of the route's places.
    pub(super) queued: u64,
    /// The worst of the sessions: each leaves a route alone by itself.
    pub(super) circuit: Circuit,
    pub(super) ok: u64,
    pub(super) client: u64,
    pub(super) upstream: u64,
    pub(super) cancelled: u64,
    /// Input, output, read from the cache, written to it.
    pub(super) tokens: [u64; 4],
    /// USD; `None`: nothing has a price.
    pub(super) cost: Option<f64>,
    /// Requests whose cost isn't known are among them.
    pub(super) unpriced: bool,
    /// Milliseconds: the worst of the sessions, as percentiles can't be added up.
    pub(super) p50: u64,
    pub(super) p95: u64,
    /// Sessions with a request here.
    pub(super) sessions: u64,
    pub(super) freshness: Freshness,
}

/// Calls of agents off their routes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Stray {
    /// `None`: the caller has no route of its own.
    pub(super) agent: Option<String>,
    pub(super) model: String,
    pub(super) requests: u64,
    pub(super) refused: u64,
    pub(super) freshness: Freshness,
}

impl View {
    pub(super) const ALL: [(Self, &'static str); 3] =
        [(Self::Routes, "Routes"), (Self::Agents, "Agents"), (Self::Strays, "Strays")];

    /// The rows of a session's figures that it shows.
    pub(super) fn rows(self, stats: &Value) -> &[Value] {
        let name = match self {
            Self::Routes => "routes",
            Self::Agents => "agents",
            Self::Strays => "strays",
        };
        stats[name].as_array().map(Vec::as_slice).unwrap_or_default()
    }
}

pub(super) fn count(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap_or(0)
}

/// The rows of these sessions together, those with most requests first.
pub(super) fn rows(world: &World, view: View, sessions: &[Uuid]) -> Vec<(Key, Row)> {
    let mut sums = BTreeMap::<Key, Row>::new();
    for (session, stats) in told(world, sessions) {
        let freshness = freshness(world, session);
        for row in view.rows(stats) {
            sums.entry(Key::of(row)).or_default().add(row, freshness);
        }
    }
    let mut rows: Vec<(Key, Row)> = sums.into_iter().collect();
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.requests));
    rows
}

/// The strays of these sessions together, those with most calls first.
pub(super) fn strays(world: &World, sessions: &[Uuid]) -> Vec<Stray> {
    let mut strays: Vec<Stray> = Vec::new();
    for (session, stats) in told(world, sessions) {
        let freshness = freshness(world, session);
        for row in View::Strays.rows(stats) {
            let (agent, model) = (row["agent"].as_str(), row["model"].as_str().unwrap_or_default());
            let is_it = |stray: &Stray| stray.agent.as_deref() == agent && stray.model == model;
            let at = strays.iter().position(is_it).unwrap_or_else(|| {
                let (agent, model) = (agent.map(str::to_owned), model.to_owned());
                strays.push(Stray { agent, model, ..Stray::default() });
                strays.len() - 1
            });
            strays[at].requests += count(row, "requests");
            strays[at].refused += count(row, "refused");
            strays[at].freshness = strays[at].freshness.with(freshness);
        }
    }
    strays.sort_by_key(|stray| std::cmp::Reverse(stray.requests));
    strays
}

fn told<'w>(world: &'w World, sessions: &'w [Uuid]) -> impl Iterator<Item = (Uuid, &'w Value)> {
    sessions.iter().filter_map(|session| Some((*session, world.stats.get(session)?.as_ref())))
}

/// One that doesn't live or says nothing tells nothing new.
fn freshness(world: &World, session: Uuid) -> Freshness {
    let is_fresh = world
        .session(session)
        .is_some_and(|listed| listed.place.is_some() && !matches!(listed.state, State::Silent(_)));
    if is_fresh { Freshness::Fresh } else { Freshness::Stale }
}

impl Freshness {
    fn with(self, other: Self) -> Self {
        if other == Self::Fresh { other } else { self }
    }
}

impl Circuit {
    fn of(row: &Value) -> Self {
        match row["circuit"].as_str() {
            Some("open") => Self::Open,
            Some("half_open") => Self::HalfOpen,
            _ => Self::Closed,
        }
    }

    /// What is going on; `None`: nothing is.
    pub(super) fn told(self) -> Option<&'static str> {
        match self {
            Self::Closed => None,
            Self::HalfOpen => Some("tried again by one request"),
            Self::Open => Some("left alone after failures, and others take its place"),
        }
    }
}

impl Row {
    fn add(&mut self, row: &Value, freshness: Freshness) {
        self.requests += count(row, "requests");
        // Nothing is on its way in a session that has gone.
        if freshness == Freshness::Fresh {
            self.in_flight += count(row, "in_flight");
            self.queued += count(row, "queued");
            self.circuit = self.circuit.max(Circuit::of(row));
        }
        self.ok += count(row, "ok");
        self.client += count(row, "client_error");
        self.upstream += count(row, "upstream_error");
        self.cancelled += count(row, "cancelled");
        let names = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"];
        for (sum, name) in self.tokens.iter_mut().zip(names) {
            *sum += count(row, name);
        }
        match row["cost_usd"].as_f64() {
            Some(cost) => *self.cost.get_or_insert(0.0) += cost,
            None => self.unpriced |= count(row, "requests") > count(row, "in_flight"),
        }
        self.p50 = self.p50.max(count(&row["ttfb_ms"], "p50"));
        self.p95 = self.p95.max(count(&row["ttfb_ms"], "p95"));
        self.sessions += u64::from(count(row, "requests") > 0);
        self.freshness = self.freshness.with(freshness);
    }
}
