//! What a person says of repairs: for all routes of a provider, or for one route.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::Repair;

/// `repairs` of a provider or a route: only what the person has said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repairs(BTreeMap<Repair, Switch>);

/// How a repair is set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Switch {
    /// On or off.
    Plain(bool),
    /// Of [`Repair::ThinkingAsBudget`] and [`Repair::ClampMaxTokens`]: on, with so many tokens.
    Tokens(NonZeroU64),
    /// Of [`Repair::DropBetas`]: on, for these values of the header.
    Values(Vec<String>),
}

impl Repairs {
    pub fn get(&self, repair: Repair) -> Option<&Switch> {
        self.0.get(&repair)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(Repair, Switch)> for Repairs {
    fn from_iter<I: IntoIterator<Item = (Repair, Switch)>>(switches: I) -> Self {
        Self(switches.into_iter().collect())
    }
}

impl Switch {
    pub fn is_on(&self) -> bool {
        *self != Self::Plain(false)
    }
}
