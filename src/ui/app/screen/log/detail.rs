//! Everything that is known of one request, as lines.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::ledger::Request;
use crate::ui::table::visible;
use crate::ui::text::{dollars, duration};

/// A line for each field; what nobody told is said to be unknown.
pub(super) fn lines(row: &Request, zone: &TimeZone) -> Vec<String> {
    let known = |text: &Option<String>| text.as_deref().map_or("unknown".to_owned(), visible);
    let tokens = |count: Option<u64>| count.map_or("unknown".to_owned(), |count| count.to_string());
    let time = |millis: Option<u64>| millis.map_or("none".to_owned(), duration);
    let name = row.name.as_deref().map(|name| format!("{} ", visible(name))).unwrap_or_default();
    let whose = [
        ("time", at(row.at, zone)),
        ("session", format!("{name}{}", visible(&row.session))),
        ("agent", visible(&row.agent)),
        ("agent id", known(&row.agent_id)),
        ("parent agent", known(&row.parent_agent_id)),
        ("route", visible(&row.route)),
        ("wire model", known(&row.wire_model)),
        ("upstream model", known(&row.upstream_model)),
    ];
    // What is rare has a line only where it happened.
    let rare = [
        ("in place of", row.instead_of.as_deref().map(visible)),
        ("mended by", row.mending.as_deref().map(|repair| mending(row, repair))),
        ("waited", row.queued.map(|millis| format!("{} for a place", duration(millis)))),
    ];
    let rare = rare.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let rest = [
        ("stray", if row.stray { "yes: a routed agent off its route" } else { "no" }.to_owned()),
        ("path", visible(&row.path)),
        ("status", row.status.map_or("none".to_owned(), |status| status.to_string())),
        ("outcome", visible(&row.outcome)),
        ("blame", row.blame.as_deref().map_or("nobody".to_owned(), visible)),
        ("stop reason", known(&row.stop_reason)),
        ("ttfb", time(row.ttfb)),
        ("total", duration(row.total)),
        ("input tokens", tokens(row.input_tokens)),
        ("output tokens", tokens(row.output_tokens)),
        ("cache read", tokens(row.cache_read_tokens)),
        ("cache write", tokens(row.cache_write_tokens)),
        ("cost", row.cost_usd.map_or("no price".to_owned(), dollars)),
        ("effort", known(&row.effort)),
        ("bytes in", row.bytes_in.to_string()),
        ("bytes out", row.bytes_out.to_string()),
        ("class", known(&row.class)),
        ("attempt", row.attempt.map_or("unknown".to_owned(), |attempt| attempt.to_string())),
        ("prompt id", known(&row.prompt_id)),
        ("ledger id", row.id.to_string()),
    ];
    let fields = whose.into_iter().chain(rare).chain(rest);
    fields.map(|(name, value)| format!("{name:<15}{value}")).collect()
}

/// The command that switches the repair on.
fn mending(row: &Request, repair: &str) -> String {
    visible(&format!("subagents route add {} --repair {repair} --offline", row.route))
}

fn at(millis: i64, zone: &TimeZone) -> String {
    let Ok(time) = Timestamp::from_millisecond(millis) else { return "unknown".to_owned() };
    time.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M:%S%.3f %Z").to_string()
}
