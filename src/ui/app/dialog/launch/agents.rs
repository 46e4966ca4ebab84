//! The agents of the form, each with its route and whether that can be used.

use serde_json::Value;

use crate::config::{Config, Model};
use crate::launch::bind::bind;

/// One agent that may be taken.
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) ticked: bool,
    /// What the profile says.
    usual: bool,
    /// What it runs on, for a person.
    pub(super) model: String,
    /// `None`: it runs on no route.
    provider: Option<String>,
    /// Why it can't work now; `None`: nothing is known against it.
    pub(super) problem: Option<String>,
}

impl Choice {
    pub(super) fn toggle(&mut self) {
        self.ticked = !self.ticked;
    }

    pub(super) fn is_changed(&self) -> bool {
        self.ticked != self.usual
    }
}

/// All that can be bound, ticked as the profile has it.
pub(super) fn choices(config: &Config, profile: &str) -> Vec<Choice> {
    let profile = config.profiles.get(profile).cloned().unwrap_or_default();
    let choice = |agent: &crate::config::Agent| {
        let (model, provider) = match &agent.model {
            Model::Inherit => ("the session's model".to_owned(), None),
            Model::Claude(model) => (model.clone(), None),
            Model::Route(route) => (route.to_string(), Some(route.provider().to_string())),
        };
        let ticked = profile.takes(&agent.name);
        Choice { name: agent.name.clone(), ticked, usual: ticked, model, provider, problem: None }
    };
    bind(config).0.into_iter().map(|bound| choice(bound.agent)).collect()
}

/// Takes what is known of the providers (`provider list --json`).
pub(super) fn learn(choices: &mut [Choice], told: &Value) {
    for provider in told["providers"].as_array().into_iter().flatten() {
        let problem = provider["key_problem"].as_str().map(str::to_owned);
        let name = provider["name"].as_str();
        for choice in choices.iter_mut().filter(|choice| choice.provider.as_deref() == name) {
            choice.problem.clone_from(&problem);
        }
    }
}

/// What was known stays known for another profile.
pub(super) fn inherit(choices: &mut [Choice], known: &[Choice]) {
    for choice in choices {
        let before =
            known.iter().find(|before| before.provider.is_some() && before.provider == choice.provider);
        choice.problem = before.and_then(|before| before.problem.clone());
    }
}
