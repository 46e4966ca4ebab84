//! What a route changes in a request so that its provider takes it, and in the answer so that Claude Code does.

use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::{ACCEPT_ENCODING, HeaderName, HeaderValue};

use super::error::Error;
use crate::dialect::{Rewrite, chat};

/// What a route changes. The default changes nothing.
#[derive(Debug, Clone, Default)]
pub struct Adaptation {
    pub speech: Speech,
}

/// The dialect that a provider is spoken to in.
#[derive(Debug, Clone, Default)]
pub enum Speech {
    /// The client's own.
    #[default]
    Anthropic,
    Chat(chat::Options),
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
    fn translates(&self) -> bool {
        !matches!(self.speech, Speech::Anthropic)
    }

    /// More than the model's name changes in a request's body, so it has to be held as a whole.
    pub(super) fn changes_requests(&self) -> bool {
        self.translates()
    }

    /// The provider may have a `count_tokens` of its own.
    pub(super) fn may_count(&self) -> bool {
        !self.translates()
    }

    /// Path and query of what is asked for.
    pub(super) fn call<'c>(&self, call: &'c str) -> Cow<'c, str> {
        match &self.speech {
            Speech::Anthropic => call.into(),
            Speech::Chat(_) => chat::PATH.into(),
        }
    }

    pub(super) fn headers(&self, headers: &mut HeaderMap) {
        if self.translates() {
            // What the translator can't read it can't translate.
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            for name in ["anthropic-version", "anthropic-beta", "anthropic-dangerous-direct-browser-access"] {
                headers.remove(HeaderName::from_static(name));
            }
        }
    }

    /// A whole body, as the provider takes it.
    ///
    /// # Errors
    /// It can't be said in the provider's dialect.
    pub(super) fn body(&self, body: Vec<u8>, route: &str) -> Result<Vec<u8>, Error> {
        match &self.speech {
            Speech::Anthropic => Ok(body),
            Speech::Chat(options) => chat::request(&body, options)
                .map(|request| request.body)
                .map_err(|error| Error::Unsayable { route: route.to_owned(), reason: error.to_string() }),
        }
    }

    /// What changes an event stream on its way back.
    pub(super) fn stream(&self) -> Option<Box<dyn Rewrite>> {
        match &self.speech {
            Speech::Anthropic => None,
            Speech::Chat(_) => Some(Box::new(chat::stream())),
        }
    }

    /// An answer of this status and kind can only be understood as a whole.
    pub(super) fn needs_whole(&self, status: u16, events: bool) -> bool {
        status >= 400 || (self.translates() && !events)
    }

    /// The repair that would mend what a provider has refused in these words.
    pub(super) fn mending(&self, _status: u16, _body: &[u8]) -> Option<String> {
        None
    }

    /// A whole answer, as the client gets it. `streams`: it has asked for a stream.
    pub(super) fn whole(&self, status: u16, body: Vec<u8>, streams: bool) -> Adapted {
        let Speech::Chat(_) = &self.speech else { return Adapted { status, kind: None, body } };
        let said = if status < 400 { chat::whole(&body, streams) } else { Err(chat::error(status, &body)) };
        match said {
            Ok(body) => Adapted { status, kind: Some(if streams { EVENTS } else { JSON }), body },
            Err(error) => Adapted { status: error.status, kind: Some(JSON), body: error.body },
        }
    }
}
