//! What a session cost and where its requests went: the text after `run`. Pure.
//!
//! ```text
//! route      req  ok  err  canc     in   out  cache   cost   ttfb
//! default      3   3    0     0  12.3k   950      0    n/a  410ms
//! glm/glm-5    1   1    0     0   2.0k   120      0  $0.01  350ms
//! ```
//!
//! A cost without a price is `n/a`, never `$0.00`, and no total hides that.

use super::text::{WIDTH, columns, counted, dollars, duration, short, wrap};
use crate::router::{Figures, Row, Stray};

/// What there is to sum up.
#[derive(Debug, Clone, Copy)]
pub struct Summary<'a> {
    pub figures: &'a Figures,
    /// Whether hooks were heard from.
    pub hooks: bool,
    /// Why requests didn't come to the router, where they didn't.
    pub bypass: Option<&'a str>,
    /// Agents that were handed over and that nothing was seen of.
    pub unseen: &'a [String],
    /// Why that may be.
    pub hint: Option<&'a str>,
}

const FIGURES: usize = 9;
const HEADINGS: [&str; FIGURES] = ["req", "ok", "err", "canc", "in", "out", "cache", "cost", "ttfb"];
const GAP: &str = "  ";

/// One line of the table.
struct Line {
    name: String,
    cells: [String; FIGURES],
}

/// The text, in lines of 80 columns, without a line break at the end.
pub fn summary(stats: &Summary<'_>) -> String {
    let requests: u64 = stats.figures.routes.iter().map(|row| row.requests).sum();
    let mut lines = if requests == 0 { Vec::new() } else { draw(&tables(stats.figures)) };
    let mut notes: Vec<String> =
        stats.bypass.map(|cause| format!("Bypassed: {cause}.")).into_iter().collect();
    notes.extend(stats.figures.strays.iter().flat_map(stray));
    if requests > 0 {
        notes.extend(stats.figures.routes.iter().filter_map(mended));
        notes.extend(unpriced(stats.figures));
        notes.extend((!stats.hooks).then(no_hooks));
        notes.extend(never_seen(stats.unseen));
        notes.extend(stats.hint.map(|hint| format!("{hint}.")));
    }
    if requests == 0 && notes.is_empty() {
        notes.push("No request came to the router.".to_owned());
    }
    lines.extend(notes.iter().flat_map(|note| wrap(note, WIDTH)));
    lines.join("\n")
}

/// The routes, with a total where there is something to add up, then the agents.
fn tables(figures: &Figures) -> Vec<Line> {
    let mut lines = vec![heading("route")];
    lines.extend(figures.routes.iter().map(|row| Line { name: row.route.clone(), cells: cells(row) }));
    let used = figures.routes.iter().filter(|row| row.requests > 0).count();
    lines
        .extend((used > 1).then(|| Line { name: "total".to_owned(), cells: cells(&total(&figures.routes)) }));
    let agents: Vec<&Row> = figures.agents.iter().filter(|row| row.requests > 0).collect();
    if agents.iter().any(|row| row.agent.as_deref() != Some("main")) {
        lines.push(heading("agent"));
        lines.extend(agents.iter().map(|row| Line { name: agent_name(row, &agents), cells: cells(row) }));
    }
    lines
}

fn heading(name: &str) -> Line {
    Line { name: name.to_owned(), cells: HEADINGS.map(str::to_owned) }
}

/// An agent seen on several routes is told apart by them.
fn agent_name(row: &Row, all: &[&Row]) -> String {
    let agent = row.agent.as_deref().unwrap_or("unknown");
    let rows = all.iter().filter(|other| other.agent == row.agent).count();
    if rows > 1 { format!("{agent} on {}", row.route) } else { agent.to_owned() }
}

fn cells(row: &Row) -> [String; FIGURES] {
    if row.requests == 0 {
        let mut cells = [(); FIGURES].map(|()| "-".to_owned());
        "0".clone_into(&mut cells[0]);
        return cells;
    }
    let answered = row.ok + row.client_error + row.upstream_error;
    [
        short(row.requests),
        short(row.ok),
        short(row.client_error + row.upstream_error),
        short(row.cancelled),
        short(row.input_tokens),
        short(row.output_tokens),
        short(row.cache_read_tokens + row.cache_write_tokens),
        row.cost_usd.map_or("n/a".to_owned(), dollars),
        if answered == 0 || row.ttfb_ms.p50 == 0 { "-".to_owned() } else { duration(row.ttfb_ms.p50) },
    ]
}

/// Sums; a median of medians would mean nothing, so there is none.
fn total(rows: &[Row]) -> Row {
    let sum = |field: fn(&Row) -> u64| rows.iter().map(field).sum();
    let costs: Vec<f64> = rows.iter().filter_map(|row| row.cost_usd).collect();
    Row {
        agent: None,
        route: "total".to_owned(),
        circuit: None,
        mending: None,
        requests: sum(|row| row.requests),
        in_flight: sum(|row| row.in_flight),
        queued: sum(|row| row.queued),
        ok: sum(|row| row.ok),
        client_error: sum(|row| row.client_error),
        upstream_error: sum(|row| row.upstream_error),
        cancelled: sum(|row| row.cancelled),
        input_tokens: sum(|row| row.input_tokens),
        output_tokens: sum(|row| row.output_tokens),
        cache_read_tokens: sum(|row| row.cache_read_tokens),
        cache_write_tokens: sum(|row| row.cache_write_tokens),
        cost_usd: (!costs.is_empty()).then(|| costs.iter().sum()),
        ttfb_ms: crate::router::Percentiles::default(),
        total_ms: crate::router::Percentiles::default(),
        other: sum(|row| row.other),
    }
}

fn draw(lines: &[Line]) -> Vec<String> {
    let width = |at: usize| lines.iter().map(|line| columns(&line.cells[at])).max().unwrap_or(0);
    let widths: [usize; FIGURES] = std::array::from_fn(width);
    let figures: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let room = WIDTH.saturating_sub(figures);
    let names = lines.iter().map(|line| columns(&line.name)).filter(|width| *width <= room);
    let name = names.max().unwrap_or(0);
    lines.iter().flat_map(|line| draw_line(line, name, &widths)).collect()
}

/// A name that is too long has a line of its own: a route that is cut short could be another one.
fn draw_line(line: &Line, name: usize, widths: &[usize; FIGURES]) -> Vec<String> {
    let own_line = columns(&line.name) > name;
    let first = if own_line { "" } else { line.name.as_str() };
    let cells = line.cells.iter().zip(widths).map(|(cell, width)| format!("{GAP}{cell:>width$}"));
    let text = format!("{first:<name$}{}", cells.collect::<String>());
    own_line.then(|| line.name.clone()).into_iter().chain([text]).collect()
}

fn stray(stray: &Stray) -> Vec<String> {
    let passed = stray.requests.saturating_sub(stray.refused);
    let model = &stray.model;
    let who = match &stray.agent {
        Some(agent) => format!("`{agent}` was asked to run on {model}"),
        None => format!("{model} was asked for by someone whose route it isn't"),
    };
    let line =
        |count: u64, what: &str| (count > 0).then(|| format!("{} {what}: {who}.", counted(count, "call")));
    [line(stray.refused, "refused"), line(passed, "let through")].into_iter().flatten().collect()
}

/// What the provider refused may be mended, and nobody does that unasked.
fn mended(row: &Row) -> Option<String> {
    let (route, repair) = (&row.route, row.mending.as_ref()?);
    Some(format!(
        "{route} refused what a repair mends: `subagents route add {route} --repair {repair} --offline` switches it on."
    ))
}

/// J05: a total must not look complete when it isn't.
fn unpriced(figures: &Figures) -> Option<String> {
    let used = || figures.routes.iter().filter(|row| row.requests > 0);
    let mixed = used().any(|row| row.cost_usd.is_some()) && used().any(|row| row.cost_usd.is_none());
    mixed.then(|| "The total cost leaves out what has no price (n/a).".to_owned())
}

/// F13, in one line: those that have no room are counted.
fn never_seen(agents: &[String]) -> Option<String> {
    const MORE: usize = ", and 9999 more.".len();
    let (first, rest) = agents.split_first()?;
    let mut line = format!("Never seen on the wire: {first}");
    for (at, agent) in rest.iter().enumerate() {
        if columns(&line) + GAP.len() + columns(agent) + MORE > WIDTH {
            return Some(format!("{line} and {} more.", rest.len() - at));
        }
        line.extend([", ", agent]);
    }
    Some(line + ".")
}

fn no_hooks() -> String {
    "No hooks were heard: agents are known by their ids only, and no agent called off its route was refused."
        .to_owned()
}

#[cfg(test)]
mod tests;
