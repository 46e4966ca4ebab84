//! Whether a route can be used at all: said at the time of binding, never in the middle of a session.

use std::collections::BTreeMap;

use super::similar::{listing, nearest};
use super::{Config, Provider, ProviderName, RouteId, RouteSettings};

/// Why a route can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteRefusal {
    #[error("route `{route}` needs a provider `{}`, and there is no usable one", route.provider())]
    UnknownProvider {
        route: RouteId,
        /// All there are, and the one that was meant in all likelihood.
        known: String,
    },
    #[error("route `{route}`: this model of provider `{}` can't call tools (`tools = false`)", route.provider())]
    NoTools { route: RouteId },
}

impl RouteRefusal {
    /// What mends it.
    pub fn remedy(&self) -> String {
        match self {
            Self::UnknownProvider { route, known } => {
                format!("{known}; `subagents provider add {}` adds it", route.provider())
            }
            Self::NoTools { .. } => "take a model that can, or drop `tools = false`".to_owned(),
        }
    }
}

impl Config {
    /// The provider that a route's requests go to, if the route can be used.
    pub fn provider_for(&self, route: &RouteId) -> Result<&Provider, RouteRefusal> {
        check(route, &self.providers, &self.routes)
    }
}

pub(super) fn check<'p>(
    route: &RouteId,
    providers: &'p BTreeMap<ProviderName, Provider>,
    routes: &BTreeMap<RouteId, RouteSettings>,
) -> Result<&'p Provider, RouteRefusal> {
    let Some(provider) = providers.get(route.provider()) else {
        let known = known_providers(route.provider(), providers);
        return Err(RouteRefusal::UnknownProvider { route: route.clone(), known });
    };
    if routes.get(route).is_some_and(|settings| settings.no_tools) {
        return Err(RouteRefusal::NoTools { route: route.clone() });
    }
    Ok(provider)
}

fn known_providers(wanted: &ProviderName, providers: &BTreeMap<ProviderName, Provider>) -> String {
    let names = || providers.keys().map(ProviderName::as_str);
    let all = listing(names());
    nearest(wanted.as_str(), names()).map_or(all.clone(), |meant| format!("did you mean `{meant}`? {all}"))
}
