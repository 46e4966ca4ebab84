//! Which repairs hold on a route, and why.

use super::evidence::{Evidence, evidence, is_anthropic};
use super::{Repair, Switch};
use crate::config::{Config, Provider, RouteId, RouteSettings};

/// How one repair stands on a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub repair: Repair,
    pub switch: Switch,
    pub because: Because,
}

/// Who decided it. What stands later here comes before what stands earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// Nobody: it is off.
    Nobody,
    /// It is known to be needed there.
    Known(&'static Evidence),
    /// This key of the route's settings says as much: `images = false`, or an `output_limit`.
    Settings(&'static str),
    /// `repairs` of the provider.
    Provider,
    /// `repairs` of the route.
    Route,
}

impl Config {
    /// All repairs, each as it stands on this route; none where its provider can't be used.
    pub fn repairs(&self, route: &RouteId) -> Vec<Standing> {
        let provider = self.providers.get(route.provider());
        provider.map_or_else(Vec::new, |provider| standings(provider, route, self.routes.get(route)))
    }
}

pub(super) fn standings(
    provider: &Provider,
    route: &RouteId,
    settings: Option<&RouteSettings>,
) -> Vec<Standing> {
    let default = RouteSettings::default();
    let settings = settings.unwrap_or(&default);
    Repair::ALL.into_iter().map(|repair| standing(repair, provider, route, settings)).collect()
}

impl Standing {
    pub fn is_on(&self) -> bool {
        self.switch.is_on()
    }
}

fn standing(repair: Repair, provider: &Provider, route: &RouteId, settings: &RouteSettings) -> Standing {
    let (switch, because) = decided(repair, provider, route, settings);
    let limit = settings.output_limit.map(Switch::Tokens);
    match (repair, switch) {
        (Repair::ClampMaxTokens, Switch::Plain(true)) => match limit {
            Some(switch) => Standing { repair, switch, because },
            // There is nothing to lower it to.
            None => Standing { repair, switch: Switch::Plain(false), because: Because::Nobody },
        },
        (_, switch) => Standing { repair, switch, because },
    }
}

fn decided(
    repair: Repair,
    provider: &Provider,
    route: &RouteId,
    settings: &RouteSettings,
) -> (Switch, Because) {
    if let Some(switch) = settings.repairs.get(repair) {
        return (switch.clone(), Because::Route);
    }
    if let Some(switch) = provider.repairs.get(repair) {
        return (switch.clone(), Because::Provider);
    }
    if let Some(key) = asked_by(repair, provider, settings) {
        return (Switch::Plain(true), Because::Settings(key));
    }
    match evidence(repair, provider, route.model()) {
        Some(evidence) => (Switch::Plain(true), Because::Known(evidence)),
        None => (Switch::Plain(false), Because::Nobody),
    }
}

/// The key of a route's settings that says as much as the switch.
fn asked_by(repair: Repair, provider: &Provider, settings: &RouteSettings) -> Option<&'static str> {
    match repair {
        Repair::ImagesAsText if settings.no_images => Some("images"),
        Repair::ClampMaxTokens if settings.output_limit.is_some() && !is_anthropic(provider) => {
            Some("output_limit")
        }
        _ => None,
    }
}
