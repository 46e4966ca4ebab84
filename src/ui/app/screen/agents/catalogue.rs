//! What providers say of their models, asked once and shown wherever a route is.

use std::collections::BTreeMap;

use serde_json::Value;

use super::errand::Errand;
use crate::catalogue::Model;
use crate::config::{Config, Price, RouteId};
use crate::ui::app::event::{Done, Effect, Purpose, Task};
use crate::ui::app::look::Role;
use crate::ui::text::{dollars, short};

/// By provider.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    providers: BTreeMap<String, Answer>,
}

/// How far a provider's answer is.
#[derive(Debug)]
enum Answer {
    Asked,
    Failed(String),
    Listed(Vec<Model>),
}

impl Catalogue {
    /// Asks all that weren't asked yet, or that failed.
    pub(super) fn ask(&mut self, config: &Config) -> Vec<Effect> {
        let mut effects = Vec::new();
        for provider in config.providers.values() {
            let name = provider.name.to_string();
            if matches!(self.providers.get(&name), Some(Answer::Asked | Answer::Listed(_))) {
                continue;
            }
            let arguments = ["provider", "models", "--json", "--", &name];
            effects.push(Effect::Run(Task::new(Purpose::Agents(Errand::Models(name.clone())), &arguments)));
            self.providers.insert(name, Answer::Asked);
        }
        effects
    }

    pub(super) fn learn(&mut self, provider: &str, done: &Done) {
        let models = || {
            let mut told: Value = serde_json::from_str(&done.stdout).ok()?;
            serde_json::from_value(told["models"].take()).ok()
        };
        let answer = match models().filter(|_| done.succeeded()) {
            Some(models) => Answer::Listed(models),
            None => Answer::Failed(done.said().lines().next().unwrap_or_default().to_owned()),
        };
        self.providers.insert(provider.to_owned(), answer);
    }

    /// All that providers list, as routes.
    pub(super) fn routes(&self) -> impl Iterator<Item = String> {
        self.providers.iter().flat_map(|(provider, answer)| {
            let models = if let Answer::Listed(models) = answer { models.as_slice() } else { &[] };
            models.iter().map(move |model| format!("{provider}/{}", model.id))
        })
    }

    /// Whether the route can be used and reached, its context and its price, as far as they are known.
    pub(super) fn about(&self, route: &RouteId, config: &Config) -> (String, Role) {
        if let Err(refusal) = config.provider_for(route) {
            return (format!("can't be used: {refusal}; {}", refusal.remedy()), Role::Bad);
        }
        let (reach, role) = self.reach(route);
        let known = [self.context(route, config), self.price(route, config)];
        let known: Vec<String> = known.into_iter().flatten().collect();
        (if known.is_empty() { reach } else { format!("{reach}; {}", known.join(", ")) }, role)
    }

    /// The same in three short columns: context, price, whether it is there.
    pub(super) fn columns(&self, route: &RouteId, config: &Config) -> (String, String, String, Role) {
        let context = self.window(route, config).map(short).unwrap_or_default();
        let price = self
            .prices(route, config)
            .map(|price| format!("{}/{}", dollars(price.input), dollars(price.output)));
        let (state, role) = match config.provider_for(route) {
            Err(_) => ("can't be used".to_owned(), Role::Bad),
            Ok(_) => self.state(route),
        };
        (context, price.unwrap_or_default(), state, role)
    }

    fn reach(&self, route: &RouteId) -> (String, Role) {
        match self.providers.get(route.provider().as_str()) {
            Some(Answer::Failed(why)) => (format!("not reached: {why}"), Role::Bad),
            _ => self.state(route),
        }
    }

    fn state(&self, route: &RouteId) -> (String, Role) {
        let (text, role) = match self.providers.get(route.provider().as_str()) {
            None => ("set up, not asked yet", Role::Faint),
            Some(Answer::Asked) => ("asking…", Role::Faint),
            Some(Answer::Failed(_)) => ("not reached", Role::Bad),
            Some(Answer::Listed(_)) if self.model(route).is_some() => ("reached, listed", Role::Good),
            Some(Answer::Listed(_)) => ("reached, not listed", Role::Waiting),
        };
        (text.to_owned(), role)
    }

    fn context(&self, route: &RouteId, config: &Config) -> Option<String> {
        Some(format!("{} tokens of context", short(self.window(route, config)?)))
    }

    fn price(&self, route: &RouteId, config: &Config) -> Option<String> {
        let price = self.prices(route, config)?;
        Some(format!("{} in and {} out per million tokens", dollars(price.input), dollars(price.output)))
    }

    /// What the person has set counts before what the provider says.
    fn window(&self, route: &RouteId, config: &Config) -> Option<u64> {
        let set = config.routes.get(route).and_then(|settings| settings.context_window);
        set.or_else(|| self.model(route)?.context_window).map(std::num::NonZeroU64::get)
    }

    fn prices(&self, route: &RouteId, config: &Config) -> Option<Price> {
        let set = config.routes.get(route).and_then(|settings| settings.price);
        set.or_else(|| self.model(route)?.price)
    }

    /// The levels of effort that the route takes; empty: not known.
    pub(super) fn efforts(&self, route: &RouteId, config: &Config) -> Vec<String> {
        let set = config.routes.get(route).map(|settings| settings.efforts.clone()).unwrap_or_default();
        if set.is_empty() {
            self.model(route).map(|model| model.efforts.clone()).unwrap_or_default()
        } else {
            set
        }
    }

    fn model(&self, route: &RouteId) -> Option<&Model> {
        match self.providers.get(route.provider().as_str())? {
            Answer::Listed(models) => models.iter().find(|model| model.id == route.model()),
            _ => None,
        }
    }
}
