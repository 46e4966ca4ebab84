//! What may be chosen, what it costs and holds, who uses it, and who says so.

use std::num::NonZeroU64;

use super::limits::{limits, repairs};
use super::trial::trial;
use super::{Paragraph, age, marked, named, said};
use crate::catalogue::trial::Origin;
use crate::catalogue::{Fact, RouteInUse, known};
use crate::config::RouteId;
use crate::ui::app::look::Role;
use crate::ui::app::screen::routes::catalogues::State;
use crate::ui::app::screen::routes::draft::Change;
use crate::ui::app::screen::routes::{Routes, who_runs};
use crate::ui::app::world::World;
use crate::ui::models::{price, yes_or_no};

pub(in crate::ui::app::screen::routes) fn route(
    screen: &Routes,
    route: &RouteId,
    world: &World,
) -> Vec<Paragraph> {
    let config = &world.configuration.config;
    let known = known(config, route, screen.catalogues.model(route).cloned());
    // What somebody waits for comes first.
    let mut text = screen.trials.get(route).map(trial).unwrap_or_default();
    if let Some(refusal) = &known.refusal {
        text.push(said(Role::Bad, format!("No agent can run on it: {refusal}")));
    }
    text.extend(authorised(screen, &known, world));
    let agents = if known.agents.is_empty() { "none".to_owned() } else { known.agents.join(", ") };
    text.push(named("agents", agents));
    if known.main {
        text.push(named("main", "the main session runs on it"));
    }
    text.extend(facts(&known));
    text.extend(limits(route, config));
    text.extend(repairs(route, config));
    text.push(named("catalogue", listed(screen, route, world)));
    text.push(named("known from", sources(screen, &known, world).join(", ")));
    text
}

/// Whether a model may choose it, and what of agents that use it nevertheless.
fn authorised(screen: &Routes, known: &RouteInUse, world: &World) -> Vec<Paragraph> {
    let policy = &world.configuration.config.policy;
    let draft = &screen.draft;
    let (lists, enabled) = (draft.lists(policy, &known.route), draft.enabled(policy));
    let (role, told) = match (lists, enabled) {
        (true, true) => (Role::Good, "yes: a model may choose it for itself"),
        (true, false) => (Role::Stale, "ticked, but the policy is off: no model may choose it"),
        (false, _) => (Role::Text, "no: no model may choose it"),
    };
    let unsaved = match draft.change(&known.route) {
        Some(Change::Allows) => " (not saved: it was no)",
        Some(Change::Denies) => " (not saved: it was ticked)",
        None if draft.switches() => " (the switch isn't saved)",
        None => "",
    };
    let mut text = vec![marked(role, "authorised", format!("{told}{unsaved}"))];
    let may_be_chosen = lists && enabled;
    if !known.agents.is_empty() && !may_be_chosen {
        let told = format!(
            "{} on it although it isn't authorised. That works: what a person binds in an agent file counts for \
             that agent.",
            who_runs(&known.agents)
        );
        text.push(said(Role::Waiting, told));
    }
    text
}

fn facts(known: &RouteInUse) -> Vec<Paragraph> {
    let tokens = |fact: &Fact<NonZeroU64>| told(fact, |tokens| format!("{tokens} tokens"));
    let cost = |value: &_| format!("{} USD a million tokens, in/out", price(*value));
    let unknown = || "not known".to_owned();
    let window = known.context_window.as_ref().map_or_else(unknown, tokens);
    let cost = known.price.as_ref().map_or_else(unknown, |fact| told(fact, cost));
    let mut text = vec![named("context", window), named("price", cost)];
    text.extend(known.output_limit.as_ref().map(|limit| named("output", tokens(limit))));
    text.extend(known.tools.as_ref().map(|fact| named("tools", told(fact, |able| yes_or_no(*able)))));
    let efforts = known.efforts.as_ref().map(|fact| told(fact, |efforts| efforts.join(", ")));
    text.extend(efforts.map(|efforts| named("efforts", efforts)));
    text
}

/// A value, and who says so.
fn told<T>(fact: &Fact<T>, shown: impl Fn(&T) -> String) -> String {
    let source = match fact.source {
        Origin::Config => "config.toml",
        Origin::Catalogue => "catalogue",
        Origin::Trial => "a trial",
    };
    format!("{} ({source})", shown(&fact.value))
}

/// What the catalogue says of a model's being there.
fn listed(screen: &Routes, route: &RouteId, world: &World) -> String {
    let catalogue = screen.catalogues.of(route.provider());
    let Some(listing) = catalogue.and_then(|catalogue| catalogue.listing.as_ref()) else {
        return match catalogue.map(|catalogue| &catalogue.state) {
            Some(State::Asked | State::Queued(_)) => "loading".to_owned(),
            Some(State::Failed(why)) => format!("not known, as asking failed: {why}"),
            _ => "not asked; r asks".to_owned(),
        };
    };
    let age = age(world.now, listing.fetched);
    match listing.find(route.model()) {
        Some(model) => match model.name.as_deref().filter(|name| *name != model.id) {
            Some(name) => format!("lists it as {name} ({age})"),
            None => format!("lists it ({age})"),
        },
        None => format!("doesn't list it ({age}); it only advises, and t tries it"),
    }
}

fn sources(screen: &Routes, known: &RouteInUse, world: &World) -> Vec<&'static str> {
    let config = &world.configuration.config;
    let route = &known.route;
    let sources = [
        (config.routes.contains_key(route), "config.toml"),
        (config.policy.allowed.contains(route), "the policy"),
        (!known.agents.is_empty(), "agents"),
        (known.main, "the main session"),
        (screen.catalogues.model(route).is_some(), "the catalogue"),
        (screen.typed.contains(route), "typed here"),
    ];
    sources.into_iter().filter(|(holds, _)| *holds).map(|(_, source)| source).collect()
}
