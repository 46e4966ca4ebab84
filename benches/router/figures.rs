//! From times to the rows of a Markdown table.

use std::fmt::Write;
use std::time::Duration;

use crate::proxies::Target;

/// One scenario's figures, for each target in the order of the table's columns.
pub(crate) struct Figures {
    targets: Vec<Series>,
}

/// One target's figures, a value a round.
#[derive(Clone, Default)]
struct Series {
    /// Microseconds.
    p50: Vec<f64>,
    /// Microseconds of the proxy's CPU time for one request.
    cpu: Vec<f64>,
}

impl Figures {
    pub(crate) fn new(targets: usize) -> Self {
        Self { targets: vec![Series::default(); targets] }
    }

    /// The first column is the direct connection, the last one the router.
    pub(crate) fn heading(targets: &[Target]) -> String {
        let names: Vec<&str> = targets.iter().map(|target| target.name).collect();
        let ratios: Vec<String> =
            peers(&names).map(|name| format!("{}/{name}", names[names.len() - 1])).collect();
        let columns = names.len() + ratios.len();
        let head = format!("| figure | {} | {} |", names.join(" | "), ratios.join(" | "));
        format!("{head}\n|---|{}", "---:|".repeat(columns))
    }

    /// `cpu`: microseconds of the proxy's CPU time for one request.
    pub(crate) fn add(&mut self, target: usize, times: &[Duration], cpu: f64) {
        let mut times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
        let series = &mut self.targets[target];
        series.p50.push(median(&mut times));
        series.cpu.push(cpu);
    }

    /// Two rows: what is added to the direct connection's p50, and the CPU time for it.
    pub(crate) fn rows(mut self, name: &str) -> String {
        let p50: Vec<f64> = self.targets.iter_mut().map(|series| median(&mut series.p50)).collect();
        let direct = p50.first().copied().unwrap_or_default();
        let added: Vec<Option<f64>> = p50.iter().skip(1).map(|own| Some(own - direct)).collect();
        let added: Vec<Option<f64>> = std::iter::once(None).chain(added).collect();
        let cpu =
            self.targets.iter_mut().map(|series| Some(median(&mut series.cpu)).filter(|cpu| *cpu > 0.0));
        let cpu: Vec<Option<f64>> = cpu.collect();
        let first = row(&format!("{name}: p50 added to {direct:.0} µs"), &added, 0);
        format!("{first}\n{}", row(&format!("{name}: CPU a request, µs"), &cpu, 0))
    }
}

/// One row: a value for each target, then the last one's ratio to each proxy before it.
pub(crate) fn row(name: &str, values: &[Option<f64>], digits: usize) -> String {
    let mut text = format!("| {name} |");
    let cell = |value: &Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.digits$}"));
    for value in values {
        // Writing to a string doesn't fail.
        let _ = write!(text, " {} |", cell(value));
    }
    let own = values.last().copied().flatten();
    for peer in peers(values) {
        let ratio = own.zip(*peer).filter(|(_, peer)| *peer > 0.0).map(|(own, peer)| own / peer);
        let _ = write!(text, " {} |", ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.2}")));
    }
    text
}

/// Everything between the direct connection and the router.
fn peers<T>(columns: &[T]) -> impl Iterator<Item = &T> {
    columns.iter().take(columns.len().saturating_sub(1)).skip(1)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
