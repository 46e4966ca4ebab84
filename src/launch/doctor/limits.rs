//! Whether what is limited, and what takes a route's place, can do what it is there for.

use std::collections::BTreeSet;

use super::demand::Demand;
use super::{Finding, Severity};
use crate::config::{Budget, Config, RouteId, RouteSettings, WireId};

/// The routes of a launch that have settings, and those in their place.
fn used<'a>(demands: &[Demand<'a>], config: &'a Config) -> Vec<(&'a RouteId, &'a RouteSettings)> {
    let settings = |route: &'a RouteId| Some((route, config.routes.get(route)?));
    let wanted: BTreeSet<&RouteId> = demands.iter().map(|demand| demand.route).collect();
    let others =
        wanted.iter().filter_map(|route| config.routes.get(*route)).flat_map(|settings| &settings.fallback);
    let all: BTreeSet<&RouteId> = wanted.iter().copied().chain(others).collect();
    all.into_iter().filter_map(settings).collect()
}

/// Where one provider serves all of them, none is left once it can't be reached.
pub(super) fn fallbacks(demands: &[Demand<'_>], config: &Config) -> Vec<Finding> {
    let falls_on_itself = |(route, settings): &(&RouteId, &RouteSettings)| {
        let mut others = settings.fallback.iter().peekable();
        others.peek().is_some() && others.all(|other| other.provider() == route.provider())
    };
    let finding = |(route, _): (&RouteId, &RouteSettings)| {
        let provider = route.provider();
        let message =
            format!("all routes in its place are of `{provider}` too: when that is down, none is left");
        Finding::new(Severity::Warns, format!("route {route}"), message)
            .mended_by("add a route of another provider to its `fallback`")
    };
    used(demands, config).into_iter().filter(falls_on_itself).map(finding).collect()
}

/// A small model that is asked for too much forgets the beginning, and says nothing.
pub(super) fn windows(demands: &[Demand<'_>], config: &Config) -> Vec<Finding> {
    let is_open =
        |(_, settings): &(&RouteId, &RouteSettings)| settings.local && settings.context_window.is_none();
    let finding = |(route, _): (&RouteId, &RouteSettings)| {
        let message =
            "it is local, and no context_window is set: a prompt that is too long loses its beginning";
        Finding::new(Severity::Warns, format!("route {route}"), message)
            .mended_by(format!("`subagents route add {route} --context-window TOKENS`"))
    };
    used(demands, config).into_iter().filter(is_open).map(finding).collect()
}

/// A budget for somebody who isn't there limits nothing. `others` are agents that Claude Code finds by itself.
pub(super) fn budgets<'a>(config: &'a Config, others: impl Iterator<Item = &'a str>) -> Vec<Finding> {
    let own = config.agents.iter().map(|agent| agent.name.as_str());
    let known: BTreeSet<&str> = own.chain(others).chain([WireId::MAIN]).collect();
    let finding = |budget: &Budget| {
        let agent = budget.agent.as_deref().filter(|agent| !known.contains(agent))?;
        let message =
            format!("it is for the agent `{}`, and there is none: nothing counts", agent.escape_debug());
        let remedy = format!(
            "`subagents budget set {} --agent NAME`, or take `agent` out",
            budget.name.escape_debug()
        );
        let subject = format!("budget {}", budget.name.escape_debug());
        Some(Finding::new(Severity::Warns, subject, message).mended_by(remedy))
    };
    config.budgets.iter().filter_map(finding).collect()
}
