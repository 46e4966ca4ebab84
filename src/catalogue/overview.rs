//! Every route that is in use, by whom, and what is known of it. Pure.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use super::Model;
use super::trial::Origin;
use crate::config::{Config, Price, Repair, RouteId};

/// Something known, and who says so.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Fact<T> {
    pub value: T,
    pub source: Origin,
}

/// What a model may do with a route of its own accord.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Authorised {
    Yes,
    /// It is on the list, and the policy is off.
    PolicyOff,
    No,
}

/// One route in use.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RouteInUse {
    #[serde(serialize_with = "as_text")]
    pub route: RouteId,
    /// Why no agent can run on it.
    pub refusal: Option<String>,
    /// Names of the agents that run on it.
    pub agents: Vec<String>,
    /// The main session runs on it.
    pub main: bool,
    pub authorised: Authorised,
    pub context_window: Option<Fact<NonZeroU64>>,
    pub output_limit: Option<Fact<NonZeroU64>>,
    pub efforts: Option<Fact<Vec<String>>>,
    pub default_effort: Option<Fact<String>>,
    pub price: Option<Fact<Price>>,
    pub tools: Option<Fact<bool>>,
    /// The repairs that hold on it.
    pub repairs: Vec<Repair>,
}

/// All routes of agents, of `[routes]`, of the policy and of the main session, in their order.
///
/// `described` gives what a catalogue is known to say of a route. What the configuration says comes first.
pub fn overview(config: &Config, described: impl Fn(&RouteId) -> Option<Model>) -> Vec<RouteInUse> {
    let agents = config.agents.iter().filter_map(|agent| agent.model.route());
    let others = config.routes.keys().chain(&config.policy.allowed).chain(&config.main.route);
    let routes: BTreeSet<&RouteId> = agents.chain(others).collect();
    routes.into_iter().map(|route| known(config, route, described(route))).collect()
}

/// What is known of one route, whether it is in use or not.
pub fn known(config: &Config, route: &RouteId, model: Option<Model>) -> RouteInUse {
    let settings = config.routes.get(route).cloned().unwrap_or_default();
    let model = model.unwrap_or_default();
    let efforts = |efforts: Vec<String>| Some(efforts).filter(|efforts| !efforts.is_empty());
    let agents = config.agents.iter().filter(|agent| agent.model.route() == Some(route));
    RouteInUse {
        route: route.clone(),
        refusal: config.provider_for(route).err().map(|refusal| format!("{refusal}. {}", refusal.remedy())),
        agents: agents.map(|agent| agent.name.clone()).collect(),
        main: config.main.route.as_ref() == Some(route),
        authorised: authorised(config, route),
        context_window: fact(settings.context_window, model.context_window),
        output_limit: fact(settings.output_limit, model.output_limit),
        efforts: fact(efforts(settings.efforts), efforts(model.efforts)),
        default_effort: fact(settings.default_effort, None),
        price: fact(settings.price, model.price),
        tools: fact(settings.no_tools.then_some(false), model.tools),
        repairs: config
            .repairs(route)
            .iter()
            .filter(|standing| standing.is_on())
            .map(|standing| standing.repair)
            .collect(),
    }
}

fn authorised(config: &Config, route: &RouteId) -> Authorised {
    match config.policy.allowed.contains(route) {
        true if config.policy.enabled => Authorised::Yes,
        true => Authorised::PolicyOff,
        false => Authorised::No,
    }
}

fn fact<T>(configured: Option<T>, catalogued: Option<T>) -> Option<Fact<T>> {
    let configured = configured.map(|value| Fact { value, source: Origin::Config });
    configured.or_else(|| catalogued.map(|value| Fact { value, source: Origin::Catalogue }))
}

fn as_text<S: serde::Serializer>(route: &RouteId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(route)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RouteSettings;

    #[test]
    fn what_the_configuration_says_comes_before_what_the_catalogue_says() {
        let route: RouteId = "p/m".parse().unwrap();
        let window = NonZeroU64::new(1000);
        let settings = RouteSettings { context_window: window, ..RouteSettings::default() };
        let config = Config { routes: [(route.clone(), settings)].into(), ..Config::default() };
        let model = Model {
            context_window: NonZeroU64::new(2),
            output_limit: NonZeroU64::new(3),
            ..Model::default()
        };
        let rows = overview(&config, |asked| (*asked == route).then(|| model.clone()));
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!(row.context_window, Some(Fact { value: window.unwrap(), source: Origin::Config }));
        assert_eq!(row.output_limit.as_ref().map(|fact| fact.source), Some(Origin::Catalogue));
        assert!(row.refusal.as_ref().is_some_and(|told| told.contains("provider `p`")));
        assert_eq!((row.authorised, row.price.as_ref(), row.tools.as_ref()), (Authorised::No, None, None));
    }
}
