//! One line of the tree.

use std::ops::Range;

use ratatui::text::{Line, Span};

use crate::catalogue::known;
use crate::config::{ProviderName, RouteId};
use crate::ui::app::action::Action;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::screen::routes::Routes;
use crate::ui::app::screen::routes::catalogues::{Catalogue, State};
use crate::ui::app::screen::routes::detail::age;
use crate::ui::app::screen::routes::draft::Change;
use crate::ui::app::screen::routes::keys::Standing;
use crate::ui::app::screen::routes::tree::{Fold, Row};
use crate::ui::app::widget::{cut, width};
use crate::ui::app::world::World;
use crate::ui::table::visible;
use crate::ui::text::counted;

pub(super) fn line(screen: &Routes, world: &World, row: &Row, look: &Look, columns: usize) -> Line<'static> {
    match row {
        Row::Provider(name) => provider(screen, world, name, look, columns),
        Row::Catalogue(name) => catalogue(screen, world, name, look),
        Row::Route(id) => route(screen, world, id, look, columns),
    }
}

/// What of the line does more than select it: the box of a route, the sign of a branch.
pub(super) fn part(row: &Row) -> (Range<u16>, Action) {
    match row {
        Row::Provider(_) => (0..1, Action::Open),
        Row::Catalogue(_) => (2..3, Action::Open),
        Row::Route(_) => (3..6, Action::Toggle),
    }
}

/// Whether it is open, its name, and how its catalogue and key stand.
fn provider(
    screen: &Routes,
    world: &World,
    name: &ProviderName,
    look: &Look,
    columns: usize,
) -> Line<'static> {
    let sign = fold(screen.fold(&Row::Provider(name.clone()), 0), look);
    let (role, state) = standing(screen, world, name);
    let name = format!("{sign} {}", visible(name.as_str()));
    let state = visible(&state);
    pair((Role::Title, &name), (role, &state), look, columns)
}

/// What stands beside a provider's name.
fn standing(screen: &Routes, world: &World, name: &ProviderName) -> (Role, String) {
    if !world.configuration.config.providers.contains_key(name) {
        return (Role::Bad, "no such provider".to_owned());
    }
    if screen.keys.of(name).is_some_and(|key| key.standing == Standing::Missing) {
        return (Role::Bad, "key missing".to_owned());
    }
    let Some(Catalogue { listing, state }) = screen.catalogues.of(name) else {
        return (Role::Faint, "never asked".to_owned());
    };
    let told = listing.as_ref().map(|listing| {
        format!("{}, {}", counted(listing.models.len() as u64, "model"), age(world.now, listing.fetched))
    });
    match state {
        State::Unasked => (Role::Faint, "never asked".to_owned()),
        State::Queued(_) => (Role::Faint, "to be asked".to_owned()),
        State::Asked => (Role::Busy, "loading".to_owned()),
        State::Failed(why) => (Role::Bad, format!("failed: {}", why.lines().next().unwrap_or_default())),
        State::Answered => (Role::Faint, told.unwrap_or_default()),
    }
}

fn catalogue(screen: &Routes, world: &World, name: &ProviderName, look: &Look) -> Line<'static> {
    let listed = screen.tree.listed(name);
    let sign = fold(screen.fold(&Row::Catalogue(name.clone()), listed.len()), look);
    let policy = &world.configuration.config.policy;
    let ticked = listed.iter().filter(|route| screen.draft.lists(policy, route)).count();
    let ticked = if ticked > 0 { format!(", {ticked} ticked") } else { String::new() };
    let text = format!("  {sign} {} more in the catalogue{ticked}", listed.len());
    Line::styled(text, look.style(Role::Faint))
}

/// Whether it is changed and ticked, its name, and who uses it.
fn route(screen: &Routes, world: &World, route: &RouteId, look: &Look, columns: usize) -> Line<'static> {
    let config = &world.configuration.config;
    let lists = screen.draft.lists(&config.policy, route);
    let enabled = screen.draft.enabled(&config.policy);
    let (change, role) = match screen.draft.change(route) {
        Some(Change::Allows) => ("+", Role::Good),
        Some(Change::Denies) => ("-", Role::Bad),
        None if lists && !enabled => (" ", Role::Stale),
        None => (" ", Role::Text),
    };
    let tick = if lists { look.glyphs.ticked } else { look.glyphs.unticked };
    let name = format!("  {change}[{tick}] {}", visible(route.model()));
    let note = note(screen, world, route, lists && enabled, look);
    pair((role, &name), (note.0, &note.1), look, columns)
}

/// What else is to be said of a route in a word or two.
fn note(screen: &Routes, world: &World, route: &RouteId, may_be_chosen: bool, look: &Look) -> (Role, String) {
    let config = &world.configuration.config;
    let known = known(config, route, None);
    let trial = screen.trials.get(route).map(|trial| trial.end.is_none());
    let agents = counted(known.agents.len() as u64, "agent");
    if known.refusal.is_some() && config.providers.contains_key(route.provider()) {
        (Role::Bad, format!("{} unusable", look.glyphs.broken))
    } else if trial == Some(true) {
        (Role::Busy, "being tried".to_owned())
    } else if !known.agents.is_empty() && !may_be_chosen && screen.draft.enabled(&config.policy) {
        (Role::Waiting, format!("{} {agents}", look.glyphs.waiting))
    } else if !known.agents.is_empty() {
        (Role::Faint, agents)
    } else if known.main {
        (Role::Faint, "main session".to_owned())
    } else {
        (Role::Faint, String::new())
    }
}

fn fold(fold: Fold, look: &Look) -> &'static str {
    match fold {
        Fold::Open => look.glyphs.open,
        Fold::Closed => look.glyphs.closed,
    }
}

/// One text at each end of a line; the first keeps two thirds of it at least.
fn pair(left: (Role, &str), right: (Role, &str), look: &Look, columns: usize) -> Line<'static> {
    let least = width(left.1).min(columns * 2 / 3);
    let right_text = cut(right.1, columns.saturating_sub(least + 2), look);
    let room = columns.saturating_sub(width(&right_text) + 1);
    let left_text = cut(left.1, room, look);
    let gap = " ".repeat(columns.saturating_sub(width(&left_text) + width(&right_text)));
    Line::from_iter([
        Span::styled(left_text, look.style(left.0)),
        Span::raw(gap),
        Span::styled(right_text, look.style(right.0)),
    ])
}
