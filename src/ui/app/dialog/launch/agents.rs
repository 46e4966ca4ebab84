//! The agents of the form, each with its route and whether that can be used.

use serde_json::Value;

use crate::config::{Agent, Config, Model, Visibility};
use crate::launch::bind::bind;

/// What an agent is to one launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The main model may call it.
    Seen,
    LeftOut,
    /// It can be delegated to by its name only.
    Hidden,
}

/// What an agent can be, in the order of the form.
const ANY: &[Part] = &[Part::Seen, Part::LeftOut, Part::Hidden];

/// What one can be that its own file hides.
const UNSEEN: &[Part] = &[Part::Hidden, Part::LeftOut];

/// One agent that may be taken.
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) part: Part,
    parts: &'static [Part],
    /// Whether the profile takes it.
    is_usual: bool,
    /// What it runs on, for a person.
    pub(super) model: String,
    /// `None`: it runs on no route.
    provider: Option<String>,
    /// Why it can't work now; `None`: nothing is known against it.
    pub(super) problem: Option<String>,
}

impl Choice {
    pub(super) fn turn(&mut self, by: isize) {
        let at = self.parts.iter().position(|part| *part == self.part).unwrap_or(0);
        let step = if by > 0 { 1 } else { self.parts.len() - 1 };
        self.part = self.parts[(at + step) % self.parts.len()];
    }

    pub(super) fn is_taken(&self) -> bool {
        self.part != Part::LeftOut
    }

    /// Whether the profile would have it otherwise.
    pub(super) fn is_changed(&self) -> bool {
        self.is_taken() != self.is_usual
    }

    /// Whether it is this launch that hides it.
    pub(super) fn is_hidden_here(&self) -> bool {
        self.part == Part::Hidden && self.parts == ANY
    }
}

/// All that can be called, taken as the profile has it.
pub(super) fn choices(config: &Config, profile: &str) -> Vec<Choice> {
    let profile = config.profiles.get(profile).cloned().unwrap_or_default();
    let choice = |agent: &Agent| {
        let (model, provider) = match &agent.model {
            Model::Inherit => ("the session's model".to_owned(), None),
            Model::Claude(model) => (model.clone(), None),
            Model::Route(route) => (route.to_string(), Some(route.provider().to_string())),
        };
        let parts = if agent.visibility == Visibility::Model { ANY } else { UNSEEN };
        let is_usual = profile.takes(&agent.name);
        let part = if is_usual { parts[0] } else { Part::LeftOut };
        Choice { name: agent.name.clone(), part, parts, is_usual, model, provider, problem: None }
    };
    let bound = bind(config).0.into_iter().map(|bound| bound.agent);
    bound.filter(|agent| agent.visibility != Visibility::Off).map(choice).collect()
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
