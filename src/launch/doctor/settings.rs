//! Settings that keep requests from the router.

use super::{Facts, Finding, Severity};
use crate::launch::settings::findings;

/// `needed`: something is on a route, so that a launch can't do without the router.
pub(super) fn bypasses(facts: &Facts, needed: bool) -> Vec<Finding> {
    let severity = if needed { Severity::Breaks } else { Severity::Notes };
    let cloud = findings::other_cloud(&facts.settings, &facts.environment);
    let pinned = findings::pinned_base_url(&facts.settings);
    cloud.into_iter().chain(pinned).map(|reason| Finding::new(severity, "settings", reason)).collect()
}
