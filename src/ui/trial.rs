//! What a trial found, in words. Pure.

use std::time::Duration;

use super::colour::Colour;
use super::table::{table, visible};
use super::text::duration;
use crate::catalogue::trial::{Failed, Report, Verdict};
use crate::config::RouteId;

/// A route that answers: where, how fast, and what works.
pub fn trial(report: &Report, colour: Colour) -> String {
    let mut lines = vec![format!(
        "{} answers at {} (auth {}): first byte after {}, whole after {}{}",
        visible(&report.route.to_string()),
        visible(&report.path),
        report.auth.kind(),
        duration(millis(report.completion.first_byte)),
        duration(millis(report.completion.total)),
        tokens(report),
    )];
    lines.push(table(&["check", "verdict", "detail"], &rows(report), colour));
    lines.join("\n")
}

/// A route that doesn't: why, and what would.
pub fn failure(route: &RouteId, failed: &Failed) -> String {
    let told = format!(
        "{} gives no completion at {}: {}",
        visible(&route.to_string()),
        visible(&failed.path),
        visible(&failed.fault.to_string())
    );
    let others = failed.tried.get(1..).filter(|others| !others.is_empty());
    let others = others.map(|others| format!("It refuses the key sent as `{}` too.", others.join("`, `")));
    let elsewhere = failed.elsewhere.as_ref().map(|elsewhere| {
        format!(
            "A completion works at {}: that is `base_url = \"{}\"` with `dialect = \"{}\"`.",
            visible(&elsewhere.path),
            visible(&elsewhere.base_url),
            elsewhere.dialect
        )
    });
    [Some(told), others, elsewhere].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The checks by name, in the order in which they are shown.
pub fn checks(report: &Report) -> Vec<(&'static str, &Verdict)> {
    let always = [
        ("streaming", &report.streaming),
        ("tools", &report.tools),
        ("count_tokens", &report.count_tokens),
        ("thinking", &report.thinking),
        ("system_turn", &report.system_turn),
    ];
    always.into_iter().chain(report.context.as_ref().map(|verdict| ("context", verdict))).collect()
}

fn rows(report: &Report) -> Vec<Vec<String>> {
    let row = |(check, verdict): (&'static str, &Verdict)| {
        vec![check.to_owned(), verdict.word().to_owned(), detail(check, verdict).to_owned()]
    };
    checks(report).into_iter().map(row).collect()
}

fn detail<'v>(check: &str, verdict: &'v Verdict) -> &'v str {
    match (verdict, check) {
        (Verdict::Accepted, "tools") => "the tool was taken, and not called",
        (Verdict::Accepted, "thinking") => "the question was taken, and no thought was shown",
        (Verdict::Fails(_), "count_tokens") => "no harm: the router answers with an estimate",
        _ => verdict.reason().unwrap_or_default(),
    }
}

fn tokens(report: &Report) -> String {
    let usage = report.completion.usage;
    match (usage.total_input(), usage.output) {
        (Some(input), Some(output)) => format!(", {input} tokens in, {output} out"),
        _ => String::new(),
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
