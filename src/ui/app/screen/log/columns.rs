//! What stands in the columns of a request.

use jiff::ZonedDateTime;

use super::draw::time;
use crate::config::WireId;
use crate::ledger::Request;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::{Cell, Column, Side};
use crate::ui::table::visible;
use crate::ui::text::{dollars, duration, short};

/// In the order in which they stand.
pub(super) const ALL: [Column; 12] = [
    Column::new("TIME", 8, 1, Side::Left),
    Column::new("SESSION", 8, 6, Side::Wide),
    Column::new("AGENT", 8, 3, Side::Wide),
    Column::new("MODEL", 18, 0, Side::Wide),
    Column::new("STATUS", 6, 2, Side::Right),
    Column::new("TTFB", 7, 7, Side::Right),
    Column::new("TOTAL", 7, 4, Side::Right),
    Column::new("IN", 6, 8, Side::Right),
    Column::new("OUT", 6, 5, Side::Right),
    Column::new("CACHE", 6, 10, Side::Right),
    Column::new("STOP", 10, 9, Side::Left),
    Column::new("COST", 8, 11, Side::Right),
];

/// The column of what was asked for.
pub(super) const MODEL: usize = 3;

pub(super) fn cell(row: &Request, at: usize, now: &ZonedDateTime, look: &Look) -> Cell {
    let tokens = |count: Option<u64>| Cell::plain(count.map_or("-".to_owned(), short));
    match at {
        0 => Cell::new(time(row.at, now), Role::Faint),
        1 => Cell::plain(visible(session(row))),
        2 => Cell::plain(visible(&row.agent)),
        MODEL => model(row, look),
        4 => status(row, look),
        5 => Cell::plain(row.ttfb.map_or("-".to_owned(), duration)),
        6 => Cell::plain(duration(row.total)),
        7 => tokens(row.input_tokens),
        8 => tokens(row.output_tokens),
        9 => tokens(cached(row)),
        10 => Cell::plain(row.stop_reason.as_deref().map_or("-".to_owned(), visible)),
        _ => Cell::plain(row.cost_usd.map_or("no price".to_owned(), dollars)),
    }
}

/// What a filter looks into.
pub(super) fn texts(row: &Request) -> Vec<&str> {
    let optional =
        [&row.wire_model, &row.upstream_model, &row.stop_reason, &row.blame, &row.instead_of, &row.mending];
    let mut texts = vec![session(row), &row.agent, &row.route, &row.outcome];
    texts.extend(optional.into_iter().flatten().map(String::as_str));
    texts.extend(Mark::of(row).map(Mark::word));
    texts
}

/// Why a request stands out of the others.
#[derive(Clone, Copy)]
enum Mark {
    Stray,
    /// A repair would mend why it was refused.
    Mendable,
    /// Tried in another route's place.
    Fallback,
}

impl Mark {
    fn of(row: &Request) -> Option<Self> {
        let marks = [
            (row.stray, Self::Stray),
            (row.mending.is_some(), Self::Mendable),
            (row.instead_of.is_some(), Self::Fallback),
        ];
        marks.into_iter().find(|(holds, _)| *holds).map(|(_, mark)| mark)
    }

    /// As a filter finds it too.
    fn word(self) -> &'static str {
        match self {
            Self::Stray => "stray",
            Self::Mendable => "mendable",
            Self::Fallback => "fallback",
        }
    }
}

/// The name, else the beginning of the id.
fn session(row: &Request) -> &str {
    row.name.as_deref().unwrap_or(row.session.get(..8).unwrap_or(&row.session))
}

fn cached(row: &Request) -> Option<u64> {
    match (row.cache_read_tokens, row.cache_write_tokens) {
        (None, None) => None,
        (read, write) => Some(read.unwrap_or(0) + write.unwrap_or(0)),
    }
}

/// What was asked for, and what was sent on where that isn't the same. A key of ours says no more than its route.
fn model(row: &Request, look: &Look) -> Cell {
    let wire = row.wire_model.as_deref().unwrap_or("unknown");
    let (asked, known) = match WireId::split(wire) {
        Some((_, route)) => (route.to_string(), route.model().to_owned()),
        None => (wire.to_owned(), wire.to_owned()),
    };
    let sent = row.upstream_model.as_deref().filter(|sent| *sent != known);
    let sent = sent.map(|sent| format!(" {} {sent}", look.glyphs.arrow)).unwrap_or_default();
    let text = match Mark::of(row) {
        None => return Cell::plain(visible(&format!("{asked}{sent}"))),
        Some(Mark::Stray) => format!("{} stray {asked}{sent}", look.glyphs.unknown),
        // Where it went says more than what was asked for, which the details tell.
        Some(mark) => format!("{} {}", mark.word(), row.route),
    };
    Cell::new(visible(&text), Role::Waiting)
}

/// An error has a sign of its own, whatever its colour.
fn status(row: &Request, look: &Look) -> Cell {
    let status = row.status.map_or("-".to_owned(), |status| status.to_string());
    match row.outcome.as_str() {
        "ok" => Cell::plain(status),
        "cancelled" => Cell::new("canc", Role::Faint),
        "client_error" => Cell::new(format!("{} {status}", look.glyphs.broken), Role::Waiting),
        _ => Cell::new(format!("{} {status}", look.glyphs.broken), Role::Bad),
    }
}
