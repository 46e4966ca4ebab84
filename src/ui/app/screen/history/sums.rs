//! What the commands told, and how it is sorted.

use std::sync::Arc;

use jiff::civil::Date;
use serde::Deserialize;

use crate::ledger::{By, Report, Request, Sum};
use crate::ui::app::event::Done;
use crate::ui::app::screen::log::Log;

/// What the rows can be.
pub(super) const VIEWS: [(By, &str); 5] = [
    (By::Day, "Days"),
    (By::Session, "Sessions"),
    (By::Agent, "Agents"),
    (By::Route, "Routes"),
    (By::Model, "Models"),
];

/// What the bars are as long as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Measure {
    /// All four counts: what a subscription is used by has no price.
    #[default]
    Tokens,
    Requests,
    Cost,
}

/// One report, and how it stands.
#[derive(Debug, Default)]
pub(super) struct Sums {
    pub(super) report: Option<Report>,
    pub(super) state: State,
}

/// Whether the report is what there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Unasked,
    Asked,
    /// Why there is none.
    Failed(String),
    Fresh,
    /// Requests have ended since.
    Old,
}

/// What `ledger requests --json` prints.
#[derive(Deserialize)]
pub(super) struct Requests {
    requests: Vec<Request>,
    older: u64,
}

impl Measure {
    pub(super) fn next(self) -> Self {
        match self {
            Self::Tokens => Self::Requests,
            Self::Requests => Self::Cost,
            Self::Cost => Self::Tokens,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Requests => "requests",
            Self::Cost => "cost",
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a bar has a hundred columns at most")]
    pub(super) fn of(self, sum: &Sum) -> f64 {
        match self {
            Self::Tokens => tokens(sum) as f64,
            Self::Requests => sum.requests as f64,
            Self::Cost => sum.cost_usd.unwrap_or(0.0),
        }
    }
}

/// All four counts.
pub(super) fn tokens(sum: &Sum) -> u64 {
    sum.input_tokens + sum.output_tokens + sum.cache_read_tokens + sum.cache_write_tokens
}

impl Sums {
    pub(super) fn rows(&self) -> &[Sum] {
        self.report.as_ref().map_or(&[], |report| &report.rows)
    }

    pub(super) fn asked(&mut self) {
        self.state = State::Asked;
    }

    pub(super) fn outdate(&mut self) {
        if self.state == State::Fresh {
            self.state = State::Old;
        }
    }

    pub(super) fn told(&mut self, done: &Done, by: By, measure: Measure) {
        let report = serde_json::from_str(&done.stdout).ok().filter(|_| done.succeeded());
        self.state = match report {
            Some(_) => State::Fresh,
            None => State::Failed(why(done)),
        };
        self.report = report.or(self.report.take());
        self.sort(by, measure);
    }

    /// The largest first; of days the latest.
    pub(super) fn sort(&mut self, by: By, measure: Measure) {
        let Some(report) = &mut self.report else { return };
        match by {
            By::Day => report.rows.sort_by(|a, b| b.key.cmp(&a.key)),
            _ => report.rows.sort_by(|a, b| measure.of(b).total_cmp(&measure.of(a)).then(a.key.cmp(&b.key))),
        }
    }
}

impl Requests {
    pub(super) fn take(&self) -> Log {
        let rows: Vec<Arc<Request>> = self.requests.iter().cloned().map(Arc::new).collect();
        let mut log = Log::default();
        log.take(&rows);
        log.older = self.older;
        log
    }
}

/// The requests that were asked for, or why there are none.
pub(super) fn requests(done: &Done) -> Result<Requests, String> {
    if !done.succeeded() {
        return Err(why(done));
    }
    serde_json::from_str(&done.stdout).map_err(|error| format!("the requests can't be read: {error}"))
}

fn why(done: &Done) -> String {
    let said = done.said();
    if done.succeeded() || said.is_empty() { "the answer can't be read".to_owned() } else { said.to_owned() }
}

/// The arguments of `ledger requests` that pick those of a row; `None`: it can't.
pub(super) fn requests_of(by: By, key: &str) -> Option<Vec<String>> {
    let of = |flag: &str, value: &str| format!("--{flag}={value}");
    Some(match by {
        By::Day => {
            let next = key.parse::<Date>().ok()?.tomorrow().ok()?;
            vec![of("since", key), of("until", &next.to_string())]
        }
        By::Session | By::Agent | By::Route => vec![of(by.word(), key)],
        By::Model => return None,
    })
}
