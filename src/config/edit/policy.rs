//! `[policy]` as one thing: the switch and the list are changed together.

use super::{Document, DocumentError};
use crate::config::RouteId;

const ENABLED: [&str; 2] = ["policy", "enabled"];
const ALLOWED: [&str; 2] = ["policy", "allowed"];

/// Lets models choose routes, or not. The list stays.
///
/// # Errors
/// `[policy]` is written in a form that can't be changed.
pub fn switch(document: &mut Document, enabled: bool) -> Result<(), DocumentError> {
    document.set(&ENABLED, enabled)
}

/// Authorises the routes; those that weren't before.
///
/// # Errors
/// As [`switch`].
pub fn allow(document: &mut Document, routes: &[RouteId]) -> Result<Vec<RouteId>, DocumentError> {
    each(routes, |route| document.add(&ALLOWED, route))
}

/// Takes the routes' authorisation away; those that had it.
///
/// # Errors
/// As [`switch`].
pub fn deny(document: &mut Document, routes: &[RouteId]) -> Result<Vec<RouteId>, DocumentError> {
    each(routes, |route| document.take(&ALLOWED, route))
}

fn each(
    routes: &[RouteId],
    mut change: impl FnMut(&str) -> Result<bool, DocumentError>,
) -> Result<Vec<RouteId>, DocumentError> {
    let mut changed = Vec::new();
    for route in routes {
        if change(&route.to_string())? {
            changed.push(route.clone());
        }
    }
    Ok(changed)
}
