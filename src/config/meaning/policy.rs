//! `[policy]`: which routes a model may choose for itself.
//!
//! A mistake here only ever narrows: what can't be read is not allowed.

use std::collections::BTreeSet;

use super::bound_route;
use crate::config::raw::Section;
use crate::config::report::Report;
use crate::config::{Config, Policy, RouteId, StrayRule, similar};

pub(super) fn read(mut section: Section<'_>, config: &Config, report: &mut Report) -> Policy {
    let enabled = section.flag("enabled", report);
    let allowed = allowed(&mut section, config, report);
    let stray = stray(&mut section, report);
    section.finish(report);
    let wanted = enabled.is_some_and(|enabled| enabled.value);
    if wanted && allowed.is_empty() {
        let message = "[policy] is enabled and allows no route, so it stays off";
        let line = enabled.and_then(|enabled| enabled.line);
        report.error(line, message, "name at least one route in `allowed`, or set `enabled = false`");
    }
    Policy { enabled: wanted && !allowed.is_empty(), allowed, stray }
}

fn allowed(section: &mut Section<'_>, config: &Config, report: &mut Report) -> BTreeSet<RouteId> {
    let mut allowed = BTreeSet::new();
    for text in section.strings("allowed", report).unwrap_or_default() {
        let Some(route) = bound_route("`allowed` of [policy]", text, config, report) else { continue };
        if allowed.contains(&route) {
            let message = format!("`allowed` of [policy] names `{route}` twice");
            report.error(text.line, message, "take one of them out");
        }
        allowed.insert(route);
    }
    allowed
}

fn stray(section: &mut Section<'_>, report: &mut Report) -> StrayRule {
    match section.string("stray", report).map(|text| (text.value, text.line)) {
        Some(("pass", _)) => StrayRule::Pass,
        Some(("deny", _)) | None => StrayRule::Deny,
        Some((other, line)) => {
            let message =
                format!("`stray` of [policy] can't be `{}`: strays are denied", other.escape_debug());
            report.error(line, message, similar::suggestion(other, ["deny", "pass"]));
            StrayRule::Deny
        }
    }
}
