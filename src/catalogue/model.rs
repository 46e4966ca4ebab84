//! A model as its provider's catalogue describes it.

use std::num::NonZeroU64;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::config::Price;

/// One model. What the catalogue doesn't say is missing, never guessed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// What a route names after its `/`.
    pub id: String,
    pub name: Option<String>,
    /// Tokens. Of a local model that is loaded: what it was loaded with.
    pub context_window: Option<NonZeroU64>,
    /// Tokens of one answer, at most.
    pub output_limit: Option<NonZeroU64>,
    /// Levels of effort, lowest first; empty: not said.
    pub efforts: Vec<String>,
    pub thinking: Option<bool>,
    pub tools: Option<bool>,
    pub price: Option<Price>,
}

/// A provider's models, and when it told them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    pub fetched: Timestamp,
    /// The path that the list came from, after the host.
    pub path: String,
    /// In the provider's own order.
    pub models: Vec<Model>,
}

impl Listing {
    pub fn find(&self, id: &str) -> Option<&Model> {
        self.models.iter().find(|model| model.id == id)
    }
}
