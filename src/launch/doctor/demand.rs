//! Which routes a launch needs, and who needs them.

use crate::config::{Config, Profile, Provider, RouteId, Visibility};

/// One route that must work, and for whom.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Demand<'a> {
    /// `agent reviewer`, `the main session`, `the policy`
    pub owner: String,
    pub route: &'a RouteId,
    pub provider: &'a Provider,
}

/// The routes of the profile's agents that the main model may see, of the main session, and of a policy that is switched on.
///
/// A route that can't be used at all is missing here: it is told elsewhere.
pub(super) fn demands<'a>(config: &'a Config, profile: &Profile) -> Vec<Demand<'a>> {
    let agents = config.agents.iter().filter(|agent| profile.takes(&agent.name));
    let agents = agents.filter(|agent| agent.visibility == Visibility::Model);
    let agents = agents.filter_map(|agent| Some((format!("agent `{}`", agent.name), agent.model.route()?)));
    let main = config.main.route.iter().map(|route| ("the main session".to_owned(), route));
    let allowed = config.policy.allowed.iter().filter(|_| config.policy.enabled);
    let allowed = allowed.map(|route| ("the policy".to_owned(), route));
    let wanted = agents.chain(main).chain(allowed);
    wanted
        .filter_map(|(owner, route)| {
            Some(Demand { owner, route, provider: config.provider_for(route).ok()? })
        })
        .collect()
}
