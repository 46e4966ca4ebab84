//! What stands in the columns of the figures.

use jiff::ZonedDateTime;

use super::errors::Failure;
use super::figures::{Circuit, Freshness, Key, Row, View};
use super::pace::Part;
use crate::config::Motion;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::screen::log;
use crate::ui::app::widget::{Cell, Column, Side};
use crate::ui::table::visible;
use crate::ui::text::{dollars, duration, short};

/// In the order in which they stand.
pub(super) const ALL: [Column; 20] = [
    Column::new("AGENT", 10, 1, Side::Wide),
    Column::new("ROUTE", 14, 0, Side::Wide),
    Column::new("REQ", 5, 2, Side::Right),
    Column::new("NOW", 4, 3, Side::Right),
    Column::new("WAIT", 4, 5, Side::Right),
    Column::new("OK", 5, 16, Side::Right),
    Column::new("CLIENT", 6, 6, Side::Right),
    Column::new("UPSTR", 5, 4, Side::Right),
    Column::new("CANC", 4, 17, Side::Right),
    Column::new("/MIN", 4, 7, Side::Right),
    Column::new("LAST MINUTE", 12, 9, Side::Left),
    Column::new("TTFB50", 7, 10, Side::Right),
    Column::new("TTFB95", 7, 11, Side::Right),
    Column::new("OUT/S", 6, 14, Side::Right),
    Column::new("IN", 6, 15, Side::Right),
    Column::new("OUT", 6, 13, Side::Right),
    Column::new("CREAD", 6, 18, Side::Right),
    Column::new("CWRITE", 6, 19, Side::Right),
    Column::new("COST", 9, 8, Side::Right),
    Column::new("LAST ERROR", 21, 12, Side::Left),
];

/// The columns of what tells rows apart.
pub(super) const AGENT: usize = 0;
pub(super) const ROUTE: usize = 1;

/// The column of requests on their way.
const NOW: usize = 3;

/// The column of those that wait.
const WAIT: usize = 4;

/// The column of the chart that moves on with the time.
const CHART: usize = 10;

/// The columns that there are, by their numbers. The agent has one only where the rows are agents, who waits only while
/// somebody does.
pub(super) fn shown(view: View, rows: &[(Key, Row)], motion: Motion) -> Vec<usize> {
    let is_shown = |at: &usize| match *at {
        AGENT => view != View::Routes,
        WAIT => rows.iter().any(|(_, row)| row.queued > 0),
        CHART => motion == Motion::Full,
        _ => true,
    };
    (0..ALL.len()).filter(is_shown).collect()
}

/// What a row is drawn from.
pub(super) struct Seen<'s> {
    pub(super) key: &'s Key,
    pub(super) row: &'s Row,
    pub(super) minute: &'s [Part],
    pub(super) failure: Option<&'s Failure>,
    pub(super) now: ZonedDateTime,
}

impl Seen<'_> {
    pub(super) fn cell(&self, at: usize, look: &Look) -> Cell {
        let cell = self.lively(at, look);
        match (self.row.freshness, at) {
            (Freshness::Fresh, _) => cell,
            // Where requests on their way would stand: nothing is told any more.
            (Freshness::Stale, NOW) => Cell::new("gone", Role::Stale),
            (Freshness::Stale, _) => Cell { role: Role::Stale, ..cell },
        }
    }

    fn lively(&self, at: usize, look: &Look) -> Cell {
        let row = self.row;
        let plain = |count: u64| Cell::plain(short(count));
        let bad = |count: u64, role: Role| Cell::new(short(count), if count > 0 { role } else { Role::Text });
        match at {
            AGENT => Cell::plain(visible(self.key.agent.as_deref().unwrap_or("-"))),
            ROUTE => route(&self.key.route, row.circuit, look),
            2 => plain(row.requests),
            NOW if row.in_flight > 0 => {
                Cell::new(format!("{}{}", short(row.in_flight), look.glyphs.flight), Role::Busy)
            }
            WAIT if row.queued > 0 => Cell::new(short(row.queued), Role::Waiting),
            NOW | WAIT => Cell::plain(""),
            5 => plain(row.ok),
            6 => bad(row.client, Role::Waiting),
            7 => bad(row.upstream, Role::Bad),
            8 => plain(row.cancelled),
            9 => plain(self.minute.iter().map(|part| part.requests).sum()),
            CHART => Cell::new(spark(self.minute, look), Role::Busy),
            11 => Cell::plain(latency(row.p50)),
            12 => Cell::plain(latency(row.p95)),
            13 => Cell::plain(speed(self.minute)),
            14..=17 => plain(row.tokens[at - 14]),
            18 => cost(row),
            _ => {
                Cell::new(self.failure.map(|failure| told(failure, &self.now)).unwrap_or_default(), Role::Bad)
            }
        }
    }

    /// Everything, a line for each figure.
    pub(super) fn lines(&self, look: &Look) -> Vec<String> {
        let named = ALL.iter().enumerate().map(|(at, column)| (column.head, self.lively(at, look).text));
        let named = named.filter(|(head, text)| *head != "AGENT" || text != "-");
        let mut lines: Vec<String> =
            named.map(|(head, text)| format!("{:<13}{text}", head.to_lowercase())).collect();
        if let Some(told) = self.row.circuit.told() {
            lines.push(String::new());
            lines.push(format!("This route is {told}."));
        }
        if self.row.sessions > 1 {
            lines.push(String::new());
            lines.push(format!(
                "Summed up over {} sessions; p50 and p95 are those of the slowest of them.",
                self.row.sessions
            ));
        }
        if self.row.freshness == Freshness::Stale {
            lines.push(String::new());
            lines.push("Its sessions have gone or say nothing: these numbers are old.".to_owned());
        }
        lines
    }
}

/// One that is left alone has a sign, whatever its colour.
fn route(name: &str, circuit: Circuit, look: &Look) -> Cell {
    match circuit {
        Circuit::Closed => Cell::plain(visible(name)),
        Circuit::HalfOpen => Cell::new(visible(&format!("{} {name}", look.glyphs.unknown)), Role::Waiting),
        Circuit::Open => Cell::new(visible(&format!("{} {name}", look.glyphs.broken)), Role::Bad),
    }
}

/// 0 stands for nothing that was measured.
fn latency(millis: u64) -> String {
    if millis == 0 { "-".to_owned() } else { duration(millis) }
}

/// Output tokens a second, over the last minute.
fn speed(minute: &[Part]) -> String {
    let tokens: u64 = minute.iter().map(|part| part.output).sum();
    match tokens / 60 {
        0 if tokens > 0 => "<1".to_owned(),
        speed => short(speed),
    }
}

/// A sum that leaves something out says so.
fn cost(row: &Row) -> Cell {
    match row.cost {
        Some(cost) if row.unpriced => Cell::plain(format!("{}+?", dollars(cost))),
        Some(cost) => Cell::plain(dollars(cost)),
        None if row.unpriced => Cell::new("no price", Role::Faint),
        None => Cell::plain("-"),
    }
}

fn told(failure: &Failure, now: &ZonedDateTime) -> String {
    let status = failure.status.map_or("-".to_owned(), |status| status.to_string());
    visible(&format!("{status} {} {}", failure.blame, log::time(failure.at, now)))
}

/// A sign for each part, the highest for the part with most.
fn spark(minute: &[Part], look: &Look) -> String {
    let most = minute.iter().map(|part| part.requests).max().unwrap_or(0).max(1);
    let last = look.glyphs.bars.len() - 1;
    let sign = |part: &Part| {
        let height = usize::try_from((part.requests * last as u64).div_ceil(most)).unwrap_or(last);
        look.glyphs.bars[height.min(last)]
    };
    minute.iter().map(sign).collect()
}
