//! A route is made of a model that nobody knows yet.

use crate::config::{Config, RouteId, WireId};
use crate::ui::app::event::{Effect, Purpose, Task};
use crate::ui::app::screen::{Reaction, Wish};
use crate::ui::table::visible;

/// Why no route can be made of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unbound {
    #[error(
        "`{0}` is no route: one is written `provider/model`. On Routes n adds a provider, a any model of it"
    )]
    NoRoute(String),
    #[error("there is no provider `{0}`; n on the Routes screen adds one")]
    NoProvider(String),
    #[error("{0} is a route already; the Routes screen says whether models may choose it")]
    Known(String),
}

/// The route that a model's name is, if it can be made.
pub(super) fn route(model: &str, config: &Config) -> Result<RouteId, Unbound> {
    let route = WireId::split(model).map(|(_, route)| route).or_else(|| model.parse().ok());
    let route = route.ok_or_else(|| Unbound::NoRoute(visible(model)))?;
    if !config.providers.contains_key(route.provider()) {
        return Err(Unbound::NoProvider(visible(route.provider().as_str())));
    }
    if config.routes.contains_key(&route) {
        return Err(Unbound::Known(visible(&route.to_string())));
    }
    Ok(route)
}

/// Makes the route as a person would, or says why not.
pub(super) fn bind(model: &str, config: &Config) -> Reaction {
    match route(model, config) {
        Ok(route) => Effect::Run(Task::new(Purpose::Tell, &["route", "add", &route.to_string()])).into(),
        Err(unbound) => Wish::Say(unbound.to_string()).into(),
    }
}
