//! `fallback` of `[routes."provider/model"]`: which routes are tried when this one fails.
//!
//! A mistake here only ever narrows: a route that can't be one is left out.

use std::path::Path;

use super::bound_route;
use crate::config::raw::{Lined, Section};
use crate::config::report::Report;
use crate::config::{Config, RouteId};

/// Reads the lists of all routes; the policy must be known.
pub(super) fn read_all(routes: &Section<'_>, config: &mut Config, report: &mut Report) {
    // Whatever else is wrong with these sections has been told.
    let mut silent = Report::new(Path::new(""));
    for (name, mut section) in routes.sections(&mut silent) {
        let Ok(route) = name.parse::<RouteId>() else { continue };
        let wishes = section.strings("fallback", report).unwrap_or_default();
        let fallback = wishes.into_iter().filter_map(|wish| read(&route, wish, config, report)).collect();
        if let Some(settings) = config.routes.get_mut(&route) {
            settings.fallback = fallback;
        }
    }
}

fn read(route: &RouteId, wish: Lined<&str>, config: &Config, report: &mut Report) -> Option<RouteId> {
    let line = wish.line;
    let place = format!("`fallback` of `{route}`");
    let other = bound_route(&place, wish, config, report)?;
    let is_local = |route| config.routes.get(route).is_some_and(|settings| settings.local);
    let (message, remedy) = if other == *route {
        (format!("{place} names the route itself"), "take it out".to_owned())
    } else if !config.policy.allowed.contains(&other) {
        let remedy = format!("authorise it (`subagents route allow {other}`), or take it out");
        (format!("{place}: `{other}` is not authorised"), remedy)
    } else if is_local(route) && !is_local(&other) {
        let remedy = "take it out; if it stays on this machine too, mark it `local = true`".to_owned();
        (format!("{place}: `{other}` is not local, and what goes to `{route}` must stay here"), remedy)
    } else {
        return Some(other);
    };
    report.error(line, message, remedy);
    None
}
