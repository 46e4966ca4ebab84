//! What a route changes in a request so that its provider takes it, and in the answer so that Claude Code does.

use std::borrow::Cow;

use hyper::HeaderMap;

use super::error::Error;
use crate::dialect::Rewrite;

/// What a route changes. The default changes nothing.
#[derive(Debug, Clone, Default)]
pub struct Adaptation {}

/// An answer that was read whole, as the client gets it.
#[derive(Debug)]
pub(super) struct Adapted {
    pub(super) status: u16,
    /// Its media type; `None`: the provider's own.
    pub(super) kind: Option<&'static str>,
    pub(super) body: Vec<u8>,
}

impl Adaptation {
    /// More than the model's name changes in a request's body, so it has to be held as a whole.
    pub(super) fn changes_requests(&self) -> bool {
        false
    }

    /// The provider may have a `count_tokens` of its own.
    pub(super) fn may_count(&self) -> bool {
        true
    }

    /// Path and query of what is asked for.
    pub(super) fn call<'c>(&self, call: &'c str) -> Cow<'c, str> {
        call.into()
    }

    pub(super) fn headers(&self, _headers: &mut HeaderMap) {}

    /// A whole body, as the provider takes it.
    ///
    /// # Errors
    /// It can't be said in the provider's dialect.
    pub(super) fn body(&self, body: Vec<u8>, _route: &str) -> Result<Vec<u8>, Error> {
        Ok(body)
    }

    /// What changes an event stream on its way back.
    pub(super) fn stream(&self) -> Option<Box<dyn Rewrite>> {
        None
    }

    /// An answer of this status and kind can only be understood as a whole.
    pub(super) fn needs_whole(&self, status: u16, _events: bool) -> bool {
        status >= 400
    }

    /// The repair that would mend what a provider has refused in these words.
    pub(super) fn mending(&self, _status: u16, _body: &[u8]) -> Option<String> {
        None
    }

    /// A whole answer, as the client gets it. `streams`: it has asked for a stream.
    pub(super) fn whole(&self, status: u16, body: Vec<u8>, _streams: bool) -> Adapted {
        Adapted { status, kind: None, body }
    }
}
