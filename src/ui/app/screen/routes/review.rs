//! What saving the policy comes to: what is allowed and forbidden then, and for whom it doesn't count.

use super::draft::Draft;
use super::who_runs;
use crate::catalogue::{RouteInUse, overview};
use crate::ui::app::look::Role;
use crate::ui::app::world::World;

/// Paragraphs, as they are.
pub(super) fn text(draft: &Draft, world: &World) -> Vec<(Role, String)> {
    let mut text = vec![switch(draft, world), (Role::Text, String::new())];
    text.extend(draft.allowed().map(|route| (Role::Good, format!("+ allowed: {route}"))));
    text.extend(draft.denied().map(|route| (Role::Bad, format!("- forbidden: {route}"))));
    text.extend(then(draft, world));
    text.extend(bound(draft, world));
    text.push((Role::Text, String::new()));
    text.extend(sessions(world));
    text
}

fn switch(draft: &Draft, world: &World) -> (Role, String) {
    let enabled = draft.enabled(&world.configuration.config.policy);
    let (role, told) = match (draft.switches(), enabled) {
        (true, true) => (Role::Good, "The policy is switched on."),
        (true, false) => (Role::Bad, "The policy is switched off."),
        (false, true) => (Role::Text, "The policy stays on."),
        (false, false) => (Role::Text, "The policy stays off."),
    };
    (role, told.to_owned())
}

/// The whole list, as it will be.
fn then(draft: &Draft, world: &World) -> Vec<(Role, String)> {
    let policy = &world.configuration.config.policy;
    let list = draft.list(policy);
    let head = match (draft.enabled(policy), list.is_empty()) {
        (true, _) => "Then a model may choose one of these, and nothing else:",
        (false, false) => {
            "Then a model may choose nothing. The list is kept for when the policy is switched on:"
        }
        (false, true) => "Then a model may choose nothing, and the list is empty.",
    };
    let mut text = vec![(Role::Text, String::new()), (Role::Text, head.to_owned())];
    text.extend(list.into_iter().map(|route| (Role::Text, format!("  {route}"))));
    text
}

/// Who runs on a route although no model may choose it.
fn bound(draft: &Draft, world: &World) -> Vec<(Role, String)> {
    let config = &world.configuration.config;
    let others = overview(config, |_| None).into_iter();
    let others =
        others.filter(|known| !known.agents.is_empty() && !draft.lists(&config.policy, &known.route));
    let line = |known: RouteInUse| {
        let who = who_runs(&known.agents);
        (Role::Waiting, format!("{who} on {} all the same, as a person has bound it.", known.route))
    };
    others.map(line).collect()
}

/// Each has the policy that it was started with.
fn sessions(world: &World) -> Vec<(Role, String)> {
    let living: Vec<_> = world.living().collect();
    if living.is_empty() {
        let none = match &world.sessions {
            Some(_) => "No session runs. It counts for those that start from now on.",
            None => "It counts for sessions that start from now on.",
        };
        return vec![(Role::Text, none.to_owned())];
    }
    let head = "It counts for sessions that start from now on. These run, and keep the policy that they were started with:";
    let mut text = vec![(Role::Waiting, head.to_owned())];
    text.extend(
        living
            .iter()
            .map(|listed| (Role::Text, format!("  {}, in {}", listed.name, world.short(&listed.folder)))),
    );
    text
}
