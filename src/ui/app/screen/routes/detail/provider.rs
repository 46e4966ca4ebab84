//! Where a provider is, how it is spoken to, and whether its key is found.

use super::limits::of_provider;
use super::{Paragraph, age, marked, named, said};
use crate::config::{Config, Dialect, Provider, ProviderName, Tls};
use crate::ui::app::look::Role;
use crate::ui::app::screen::routes::Routes;
use crate::ui::app::screen::routes::catalogues::{State, asks_a_person};
use crate::ui::app::screen::routes::keys::Standing;
use crate::ui::app::world::World;
use crate::ui::text::counted;

pub(super) fn provider(screen: &Routes, name: &ProviderName, world: &World) -> Vec<Paragraph> {
    let config = &world.configuration.config;
    let Some(provider) = config.providers.get(name) else {
        let missing = format!(
            "There is no usable provider `{name}`, and routes name it. `subagents provider add {name}` adds it."
        );
        return vec![said(Role::Bad, missing)];
    };
    let mut text = vec![named("base URL", &provider.base_url), dialect(provider)];
    text.push(named("preset", provider.preset.as_deref().unwrap_or("none")));
    text.extend(key(screen, provider));
    match provider.tls {
        Tls::System => {}
        Tls::CaFile(_) => text.push(named("TLS", "roots of its own")),
        Tls::Unverified => text.push(marked(Role::Waiting, "TLS", "certificates aren't checked")),
    }
    text.extend(of_provider(provider));
    text.push(named("catalogue", asking(screen, provider, world)));
    text.push(named("agents", agents(config, name)));
    text
}

fn dialect(provider: &Provider) -> Paragraph {
    match provider.dialect {
        Dialect::Anthropic => named("dialect", provider.dialect),
        other => named("dialect", format!("{other}, translated both ways")),
    }
}

fn agents(config: &Config, name: &ProviderName) -> String {
    let routes = config.agents.iter().filter_map(|agent| Some((&agent.name, agent.model.route()?)));
    let names: Vec<&str> =
        routes.filter(|(_, route)| route.provider() == name).map(|(name, _)| name.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Where the key is found, and whether it is.
fn key(screen: &Routes, provider: &Provider) -> Vec<Paragraph> {
    let Some(reference) = provider.auth.secret() else {
        return vec![named("key", "none is wanted")];
    };
    let key = screen.keys.of(&provider.name);
    let (role, standing) = match key.map(|key| key.standing) {
        Some(Standing::Found) => (Role::Good, "found"),
        Some(Standing::Missing) => (Role::Bad, "missing"),
        Some(Standing::Unchecked) => (Role::Text, "not looked up, as that may ask you for a passphrase"),
        Some(Standing::None) => (Role::Text, "none is wanted"),
        None => (Role::Faint, "being looked for"),
    };
    let problem = key.and_then(|key| key.problem.as_ref());
    let problem = problem.map(|problem| format!(": {problem}")).unwrap_or_default();
    vec![
        named("key", format!("{reference}, sent as {}", provider.auth.kind())),
        marked(role, " ", format!("{standing}{problem}")),
    ]
}

fn asking(screen: &Routes, provider: &Provider, world: &World) -> String {
    let catalogue = screen.catalogues.of(&provider.name);
    let listing = catalogue.and_then(|catalogue| catalogue.listing.as_ref());
    let known = listing.map(|listing| {
        let models = counted(listing.models.len() as u64, "model");
        format!("{models}, {} from {}", age(world.now, listing.fetched), listing.path)
    });
    let state = match catalogue.map(|catalogue| &catalogue.state) {
        Some(State::Asked) => Some("loading".to_owned()),
        Some(State::Queued(_)) => Some("waiting for others to answer".to_owned()),
        Some(State::Failed(why)) => Some(format!("asking failed: {why}")),
        Some(State::Answered) => None,
        Some(State::Unasked) | None if asks_a_person(provider) => {
            Some("never asked, as its key may need you; r asks".to_owned())
        }
        Some(State::Unasked) | None => Some("never asked; r asks".to_owned()),
    };
    [state, known].into_iter().flatten().collect::<Vec<_>>().join("; ")
}
