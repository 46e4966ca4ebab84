//! Whether providers' keys are found. Never a key.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::config::ProviderName;
use crate::ui::app::event::{Done, Effect, Purpose, Task};

/// How the key of a provider stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Standing {
    /// None is wanted.
    None,
    Found,
    /// A command or a keyring would have to be asked.
    Unchecked,
    Missing,
}

/// A provider's key, as `provider list --json` tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Key {
    #[serde(rename = "key")]
    pub(super) standing: Standing,
    /// Why it is missing.
    #[serde(rename = "key_problem")]
    pub(super) problem: Option<String>,
    name: String,
}

#[derive(Deserialize)]
struct Told {
    providers: Vec<Key>,
}

/// By provider.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys {
    by: BTreeMap<String, Key>,
}

impl Keys {
    /// `None`: it isn't known yet.
    pub(super) fn of(&self, provider: &ProviderName) -> Option<&Key> {
        self.by.get(provider.as_str())
    }

    /// Asks.
    pub(super) fn look() -> Effect {
        Effect::Run(Task::new(Purpose::Keys, &["provider", "list", "--json"]))
    }

    pub(super) fn learn(&mut self, done: &Done) {
        if let Ok(told) = serde_json::from_str::<Told>(&done.stdout) {
            self.by = told.providers.into_iter().map(|key| (key.name.clone(), key)).collect();
        }
    }
}
