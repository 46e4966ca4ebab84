//! What a *model* may choose for itself, and what happens to strays.

use std::collections::BTreeSet;

use super::route::RouteId;

/// `[policy]`. Off by default: a model chooses nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    pub enabled: bool,
    /// The authorised routes.
    pub allowed: BTreeSet<RouteId>,
    pub stray: StrayRule,
}

impl Policy {
    /// May a model choose this route for itself?
    pub fn allows(&self, route: &RouteId) -> bool {
        self.enabled && self.allowed.contains(route)
    }

    /// The routes that a model may choose: none while the policy is off.
    pub fn authorised(&self) -> impl Iterator<Item = &RouteId> {
        self.allowed.iter().filter(|_| self.enabled)
    }
}

/// What is done with a routed agent that is called off its route.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StrayRule {
    /// Refused, with a reason that tells the main model what to do instead.
    #[default]
    Deny,
    /// Let through to the default upstream, and counted.
    Pass,
}
