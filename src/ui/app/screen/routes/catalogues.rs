//! What providers say of their models: asked in the background, a few at a time. It advises, and allows nothing.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp, ToSpan};

use super::trial::why;
use crate::catalogue::{Freshness, Listing, Model};
use crate::config::{Config, Provider, ProviderName, RouteId, SecretRef};
use crate::ui::app::event::{Done, Effect, Purpose, Task};

/// So many are asked at a time: each is a process.
const TOGETHER: usize = 4;

/// A provider's list, and how its asking stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Catalogue {
    /// The last that came.
    pub(super) listing: Option<Listing>,
    pub(super) state: State,
}

/// How the asking stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing was asked.
    #[default]
    Unasked,
    /// It will be, when others have answered.
    Queued(Freshness),
    Asked,
    Answered,
    /// Why.
    Failed(String),
}

/// By provider.
#[derive(Debug, Clone, Default)]
pub(super) struct Catalogues {
    by: BTreeMap<ProviderName, Catalogue>,
    /// Whether anybody has looked: nobody waits for what was never looked at.
    looked: bool,
}

impl Catalogues {
    pub(super) fn of(&self, provider: &ProviderName) -> Option<&Catalogue> {
        self.by.get(provider)
    }

    pub(super) fn model(&self, route: &RouteId) -> Option<&Model> {
        self.of(route.provider())?.listing.as_ref()?.find(route.model())
    }

    /// The same for a configuration that has changed, if anybody has looked at all.
    pub(super) fn renew(&mut self, config: &Config, now: Timestamp) -> Vec<Effect> {
        if self.looked { self.refresh(config, now) } else { Vec::new() }
    }

    /// Asks those that have told nothing for an hour, except where that might ask the person for a passphrase.
    pub(super) fn refresh(&mut self, config: &Config, now: Timestamp) -> Vec<Effect> {
        self.looked = true;
        self.by.retain(|name, _| config.providers.contains_key(name));
        for provider in config.providers.values().filter(|provider| !asks_a_person(provider)) {
            let catalogue = self.by.entry(provider.name.clone()).or_default();
            if !catalogue.is_fresh(now) {
                catalogue.queue(Freshness::AnHour);
            }
        }
        self.advance()
    }

    /// Asks these anew, whatever is known.
    pub(super) fn ask<'p>(&mut self, providers: impl Iterator<Item = &'p ProviderName>) -> Vec<Effect> {
        for name in providers {
            self.by.entry(name.clone()).or_default().queue(Freshness::Now);
        }
        self.advance()
    }

    /// A provider was asked, and this came of it.
    pub(super) fn learn(&mut self, provider: &ProviderName, done: &Done) -> Vec<Effect> {
        if let Some(catalogue) = self.by.get_mut(provider) {
            catalogue.learn(provider, done);
        }
        self.advance()
    }

    /// When one of them is of another age, as [`age`](super::detail::age) tells it.
    pub(super) fn deadline(&self, now: Timestamp) -> Option<Timestamp> {
        let told = self.by.values().filter_map(|catalogue| Some(catalogue.listing.as_ref()?.fetched));
        told.map(|told| next(told, now)).min()
    }

    /// The next that may be asked.
    fn advance(&mut self) -> Vec<Effect> {
        let asked = self.by.values().filter(|catalogue| catalogue.state == State::Asked).count();
        let queued = self.by.iter_mut().filter_map(|(name, catalogue)| match catalogue.state {
            State::Queued(freshness) => Some((name, catalogue, freshness)),
            _ => None,
        });
        let next = queued.take(TOGETHER.saturating_sub(asked)).map(|(name, catalogue, freshness)| {
            catalogue.state = State::Asked;
            Effect::Run(task(name, freshness))
        });
        next.collect()
    }
}

/// When it is a minute, an hour or a day more since then.
fn next(then: Timestamp, now: Timestamp) -> Timestamp {
    let age = now.duration_since(then).as_secs().max(0);
    let unit = match age {
        ..3600 => 60,
        3600..86_400 => 3600,
        _ => 86_400,
    };
    then + SignedDuration::from_secs((age / unit + 1) * unit)
}

impl Catalogue {
    fn is_fresh(&self, now: Timestamp) -> bool {
        let told = self.listing.as_ref().map(|listing| listing.fetched);
        self.state == State::Answered && told.is_some_and(|told| told + 1.hour() > now)
    }

    fn queue(&mut self, freshness: Freshness) {
        if self.state != State::Asked {
            self.state = State::Queued(freshness);
        }
    }

    fn learn(&mut self, provider: &ProviderName, done: &Done) {
        let listing = serde_json::from_str(&done.stdout);
        self.state = match listing {
            Ok(listing) if done.succeeded() => {
                self.listing = Some(listing);
                State::Answered
            }
            Ok(_) => State::Failed("what it says can't be read".to_owned()),
            Err(error) if done.succeeded() => State::Failed(format!("what it says can't be read: {error}")),
            Err(_) => {
                let why = why(done);
                State::Failed(why.strip_prefix(&format!("provider `{provider}`: ")).unwrap_or(why).to_owned())
            }
        };
    }
}

/// Commands and keyrings may ask for a passphrase, which nobody is to be surprised by.
pub(super) fn asks_a_person(provider: &Provider) -> bool {
    matches!(provider.auth.secret(), Some(SecretRef::Command(_) | SecretRef::Keyring { .. }))
}

fn task(provider: &ProviderName, freshness: Freshness) -> Task {
    let mut arguments = vec!["provider", "models", provider.as_str(), "--json"];
    if freshness == Freshness::Now {
        arguments.push("--refresh");
    }
    Task::new(Purpose::Models(provider.clone()), &arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::app::screen::routes::detail::age;

    #[test]
    fn the_next_age_is_told_when_it_comes_and_not_before() {
        let then = Timestamp::UNIX_EPOCH;
        for (seconds, until) in [(0, 60), (59, 60), (60, 120), (3599, 3600), (3600, 7200), (90_000, 172_800)]
        {
            let now = then + SignedDuration::from_secs(seconds);
            let due = next(then, now);
            assert_eq!(due, then + SignedDuration::from_secs(until));
            assert_ne!(age(due, then), age(now, then));
            assert_eq!(age(due - SignedDuration::from_secs(1), then), age(now, then));
        }
    }
}
