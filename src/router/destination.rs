//! A route, ready to be used: where it leads, what it takes, and what stands before it.

use std::num::NonZeroU64;
use std::sync::Arc;

use bytes::Bytes;

use super::adaptation::Adaptation;
use super::forward::{Credential, Upstream};
use super::gate::{Breaker, Seats};
use crate::config::{Price, RouteId};

/// A route, ready to be used.
#[derive(Debug)]
pub struct Destination {
    pub route: RouteId,
    pub upstream: Arc<Upstream>,
    pub credential: Credential,
    /// The provider's own name of the model, as a JSON string with its quotes.
    pub model: Bytes,
    pub price: Option<Price>,
    /// Tokens.
    pub window: Option<NonZeroU64>,
    pub adaptation: Adaptation,
    /// `None`: it takes any number of requests at once.
    pub seats: Option<Seats>,
    pub breaker: Breaker,
    /// What is tried when this one fails, in its order.
    pub fallback: Vec<RouteId>,
}

impl Destination {
    /// How messages and figures name it.
    pub fn label(&self) -> &str {
        self.upstream.label()
    }
}
