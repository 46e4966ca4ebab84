//! What is remembered, summed up: a table, or lines for another program. Pure.

use super::colour::Colour;
use super::table::table;
use super::text::{counted, dollars, short};
use crate::ledger::{Report, Sum};

const FIGURES: [&str; 9] = ["req", "ok", "err", "canc", "in", "out", "cache", "cost", "unpriced"];

/// The table, `key` over its first column, a total where there is something to add up, and what it leaves out.
pub fn usage(key: &str, report: &Report, colour: Colour) -> String {
    if report.rows.is_empty() {
        return "No request is remembered that fits.".to_owned();
    }
    let has_names = report.rows.iter().any(|sum| sum.name.is_some());
    let named = |sum: &Sum| has_names.then(|| sum.name.clone().unwrap_or_default());
    let mut rows: Vec<Vec<String>> = report.rows.iter().map(|sum| row(&sum.key, named(sum), sum)).collect();
    if rows.len() > 1 {
        rows.push(row("total", named(&report.total), &report.total));
    }
    let heads: Vec<&str> = std::iter::once(key).chain(has_names.then_some("name")).chain(FIGURES).collect();
    let mut lines = vec![table(&heads, &rows, colour)];
    lines.extend(notes(report));
    lines.join("\n")
}

/// RFC 4180, with a head. Costs in USD, empty where nothing has a price; so is the name of what has none.
pub fn usage_csv(key: &str, report: &Report) -> String {
    let head = format!(
        "{key},requests,ok,client_error,upstream_error,cancelled,input_tokens,output_tokens,cache_read_tokens,\
         cache_write_tokens,cost_usd,unpriced,name"
    );
    std::iter::once(head).chain(report.rows.iter().map(csv_line)).collect::<Vec<_>>().join("\n")
}

fn row(key: &str, name: Option<String>, sum: &Sum) -> Vec<String> {
    let cached = sum.cache_read_tokens + sum.cache_write_tokens;
    let figures = [
        short(sum.requests),
        short(sum.ok),
        short(sum.client_error + sum.upstream_error),
        short(sum.cancelled),
        short(sum.input_tokens),
        short(sum.output_tokens),
        short(cached),
        sum.cost_usd.map_or("n/a".to_owned(), dollars),
        short(sum.unpriced),
    ];
    std::iter::once(key.to_owned()).chain(name).chain(figures).collect()
}

/// J05: no total hides that a price is missing.
pub(in crate::ui) fn notes(report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    if report.total.unpriced > 0 && report.total.cost_usd.is_some() {
        let requests = counted(report.total.unpriced, "request");
        notes.push(format!("The cost leaves {requests} out that have no price."));
    }
    if report.lost > 0 {
        notes.push(format!("{} could not be kept, and are in no row.", counted(report.lost, "request")));
    }
    notes
}

fn csv_line(sum: &Sum) -> String {
    let counts = [
        sum.requests,
        sum.ok,
        sum.client_error,
        sum.upstream_error,
        sum.cancelled,
        sum.input_tokens,
        sum.output_tokens,
        sum.cache_read_tokens,
        sum.cache_write_tokens,
    ];
    let cost = sum.cost_usd.map(|cost| cost.to_string()).unwrap_or_default();
    let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
    let name = csv_text(sum.name.as_deref().unwrap_or_default());
    format!("{},{},{cost},{},{name}", csv_text(&sum.key), counts.join(","), sum.unpriced)
}

/// A spreadsheet takes a text that begins like a formula for one: such a key gets a `'` before it.
fn csv_text(text: &str) -> String {
    let text = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(key: &str, requests: u64, cost_usd: Option<f64>) -> Sum {
        let unpriced = if cost_usd.is_some() { 0 } else { requests };
        Sum {
            key: key.to_owned(),
            requests,
            ok: requests,
            input_tokens: 1500,
            cost_usd,
            unpriced,
            ..Sum::default()
        }
    }

    fn report() -> Report {
        let total = Sum { unpriced: 3, ..sum("", 5, Some(0.5)) };
        Report { rows: vec![sum("default", 3, None), sum("p/m, \"x\"", 2, Some(0.5))], total, lost: 1 }
    }

    #[test]
    fn j05_an_unknown_price_is_no_cost_and_the_total_says_so() {
        insta::assert_snapshot!(usage("route", &report(), Colour::Never), @r#"
        ROUTE     REQ  OK  ERR  CANC  IN    OUT  CACHE  COST     UNPRICED
        default   3    3   0    0     1.5k  0    0      n/a      3
        p/m, "x"  2    2   0    0     1.5k  0    0      $0.5000  0
        total     5    5   0    0     1.5k  0    0      $0.5000  3
        The cost leaves 3 requests out that have no price.
        1 request could not be kept, and are in no row.
        "#);
    }

    #[test]
    fn lines_for_a_spreadsheet_quote_what_they_must() {
        let lines: Vec<String> = usage_csv("route", &report()).lines().map(str::to_owned).collect();
        assert_eq!(lines[1], "default,3,3,0,0,0,1500,0,0,0,,3,");
        assert_eq!(lines[2], "\"p/m, \"\"x\"\"\",2,2,0,0,0,1500,0,0,0,0.5,0,");
        assert_eq!(csv_text("=cmd()"), "'=cmd()");
    }

    #[test]
    fn sessions_are_shown_by_their_names_too() {
        let named = Sum { name: Some("shop".to_owned()), ..sum("0b54", 2, None) };
        let report = Report { rows: vec![named, sum("77aa", 1, None)], total: sum("", 3, None), lost: 0 };
        insta::assert_snapshot!(usage("session", &report, Colour::Never), @r"
        SESSION  NAME  REQ  OK  ERR  CANC  IN    OUT  CACHE  COST  UNPRICED
        0b54     shop  2    2   0    0     1.5k  0    0      n/a   2
        77aa     -     1    1   0    0     1.5k  0    0      n/a   1
        total    -     3    3   0    0     1.5k  0    0      n/a   3
        ");
        let lines = usage_csv("session", &report);
        assert!(lines.lines().nth(1).is_some_and(|line| line.ends_with(",shop")), "{lines}");
    }

    #[test]
    fn nothing_remembered_is_said() {
        let empty = Report { rows: Vec::new(), total: Sum::default(), lost: 0 };
        assert_eq!(usage("day", &empty, Colour::Never), "No request is remembered that fits.");
    }
}
