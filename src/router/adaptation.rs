//! What a route changes in a request so that its provider takes it, and in the answer so that Claude Code does.

use std::num::NonZeroU64;

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::header::{ACCEPT_ENCODING, HeaderValue};
use uuid::Uuid;

use super::error::Error;
use super::peek::{ModelValue, Splicer};
use crate::config::repair;
use crate::dialect::repair::{Bodies, Plan};
use crate::dialect::{Rewrite, Speech};

const BETA: &str = "anthropic-beta";

/// What a route changes. The default changes nothing.
#[derive(Debug, Clone, Default)]
pub struct Adaptation {
    pub speech: Speech,
    /// What is changed of a request before it is said in the provider's dialect, and of an answer in the client's own.
    pub repairs: Plan,
}

/// An answer that was read whole, as the client gets it.
#[derive(Debug)]
pub(super) struct Adapted {
    pub(super) status: u16,
    /// Its media type; `None`: the provider's own.
    pub(super) kind: Option<&'static str>,
    pub(super) body: Vec<u8>,
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream; charset=utf-8";

impl Adaptation {
    /// The provider speaks another dialect.
    pub(super) fn translates(&self) -> bool {
        self.speech.translates()
    }

    /// More changes in a request's body than what can be changed on its way, so it has to be held as a whole.
    pub(super) fn changes_requests(&self) -> bool {
        self.translates() || self.repairs.bodies() == Bodies::Whole
    }

    /// What changes in a body on its way: its model, the user's id, the attribution where that goes.
    pub(super) fn splicer(&self, model: &ModelValue, name: &Bytes) -> Splicer {
        let splicer = Splicer::new(model.start..model.end, name.clone());
        match self.repairs.bodies() {
            Bodies::WithoutAttribution => splicer.without_attribution(),
            Bodies::Untouched | Bodies::Whole => splicer,
        }
    }

    /// The provider may have a `count_tokens` of its own.
    pub(super) fn may_count(&self) -> bool {
        !self.translates()
    }

    /// Path and query of what is asked for.
    pub(super) fn call<'c>(&self, call: &'c str) -> &'c str {
        self.speech.path(call)
    }

    pub(super) fn headers(&self, headers: &mut HeaderMap) {
        if self.reads_answers() {
            // What can't be read can't be changed.
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        if self.translates() {
            for name in ["anthropic-version", "anthropic-beta", "anthropic-dangerous-direct-browser-access"] {
                headers.remove(name);
            }
        } else if self.repairs.changes_betas() {
            self.repair_betas(headers);
        }
    }

    fn repair_betas(&self, headers: &mut HeaderMap) {
        let values: Vec<HeaderValue> = headers.get_all(BETA).iter().cloned().collect();
        headers.remove(BETA);
        for value in values {
            let repaired = match value.to_str() {
                Ok(text) => self.repairs.betas(text).and_then(|betas| HeaderValue::from_str(&betas).ok()),
                Err(_) => Some(value),
            };
            if let Some(value) = repaired {
                headers.append(BETA, value);
            }
        }
    }

    /// Answers are changed on their way back.
    fn reads_answers(&self) -> bool {
        self.translates() || self.repairs.changes_answers()
    }

    /// A whole body, as the provider takes it.
    ///
    /// # Errors
    /// It can't be said in the provider's dialect.
    pub(super) fn body(&self, body: Vec<u8>, route: &str) -> Result<Vec<u8>, Error> {
        let unsayable = |reason: String| Error::Unsayable { route: route.to_owned(), reason };
        let body = match self.repairs.bodies() {
            Bodies::Untouched => body,
            Bodies::WithoutAttribution | Bodies::Whole => {
                self.repairs.request(&body).map_err(|error| unsayable(error.to_string()))?
            }
        };
        self.speech.request(body).map_err(|error| unsayable(error.to_string()))
    }

    /// What changes an event stream on its way back. `estimate`: tokens that the request is thought to have.
    pub(super) fn stream(&self, estimate: u64, route: &str) -> Option<Box<dyn Rewrite>> {
        self.speech.stream(message_id(), route).or_else(|| self.repairs.answer(NonZeroU64::new(estimate)))
    }

    /// An answer of this status and kind can only be understood as a whole.
    pub(super) fn needs_whole(&self, status: u16, events: bool) -> bool {
        status >= 400 || (self.translates() && !events)
    }

    /// The repair that would mend what a provider has refused in these words.
    pub(super) fn mending(status: u16, body: &[u8]) -> Option<String> {
        repair::mending(status, body).map(|repair| repair.to_string())
    }

    /// A whole answer, as the client gets it. `streams`: it has asked for a stream.
    pub(super) fn whole(&self, status: u16, body: Vec<u8>, streams: bool) -> Adapted {
        if !self.translates() {
            return Adapted { status, kind: None, body };
        }
        match self.speech.whole(status, body, streams, message_id()) {
            Ok(body) => Adapted { status, kind: Some(if streams { EVENTS } else { JSON }), body },
            Err(error) => Adapted { status: error.status, kind: Some(JSON), body: error.body },
        }
    }
}

/// What a translated answer is called.
fn message_id() -> String {
    format!("msg_{}", Uuid::now_v7().simple())
}
