//! What can go wrong on the way, and the one place that turns it into an answer.
//!
//! An answer of ours has Anthropic's shape, the status that Claude Code acts on, and a message that names the
//! route and the fix. It never holds a key, a token or an upstream's URL.

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::json;

use super::peek::BodyFault;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the session's token is missing from the address, or wrong")]
    Token,
    #[error("this address answers only to the programs of its own session (unexpected {0})")]
    Foreign(&'static str),
    #[error("the request's body exceeds the router's limit of {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the request's body could not be read: {0}")]
    ClientBody(#[source] hyper::Error),
    #[error("{route}: {fault}; nothing more of the request was sent")]
    Body { route: String, fault: BodyFault },
    #[error("{route}: no connection: {reason}. Is the provider running, and is its base_url right?")]
    Unreachable { route: String, reason: String, again: bool },
    #[error("{route}: the provider ended the exchange before it answered: {reason}")]
    Broken { route: String, reason: String },
    #[error("{route}: nothing came from the provider for {seconds} s (timeouts.{setting})")]
    Silent { route: String, setting: &'static str, seconds: u64 },
    /// Names no address: a `Location` can hold a login.
    #[error("{route}: the provider redirects; set base_url to its final address")]
    Redirects { route: String },
    #[error("{0}")]
    Refused(String),
    /// Too many requests wait for the route already.
    #[error(
        "{route}: {waiting} requests wait already for one of its {seats} places (`concurrency` and `queue` of the route)"
    )]
    Full { route: String, seats: u64, waiting: u64 },
    /// The wording on which Claude Code compacts.
    #[error(
        "prompt is too long: {tokens} tokens > {window} maximum (estimated; `context_window` of {route})"
    )]
    TooLong { route: String, tokens: u64, window: u64 },
    #[error(
        "{route}: the budget {budget} is used up; nothing was sent. Raise it under [budgets] in config.toml, or wait"
    )]
    Budget { route: String, budget: String },
    #[error("{route}: {reason}")]
    Unsayable { route: String, reason: String },
    /// What a child was granted is used up.
    #[error("the delegation's budget of {0} is used up")]
    Spent(String),
}

/// Whose doing a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Blame {
    Client,
    Us,
    Provider,
}

impl Blame {
    /// As it is written in JSON and in the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Us => "us",
            Self::Provider => "provider",
        }
    }
}

impl Error {
    fn kind(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Token => (StatusCode::UNAUTHORIZED, "authentication_error"),
            Self::Foreign(_) | Self::Refused(_) | Self::Spent(_) | Self::Budget { .. } => {
                (StatusCode::FORBIDDEN, "permission_error")
            }
            Self::Full { .. } => (overloaded(), "overloaded_error"),
            Self::TooLarge { .. } | Self::Body { fault: BodyFault::TooLarge { .. }, .. } => {
                (StatusCode::PAYLOAD_TOO_LARGE, "request_too_large")
            }
            Self::ClientBody(_) | Self::Body { .. } | Self::TooLong { .. } | Self::Unsayable { .. } => {
                (StatusCode::BAD_REQUEST, "invalid_request_error")
            }
            Self::Unreachable { .. } | Self::Broken { .. } | Self::Redirects { .. } => {
                (StatusCode::BAD_GATEWAY, "api_error")
            }
            Self::Silent { .. } => (StatusCode::GATEWAY_TIMEOUT, "timeout_error"),
        }
    }

    pub fn status(&self) -> StatusCode {
        self.kind().0
    }

    pub fn blame(&self) -> Blame {
        match self {
            Self::Full { .. } | Self::TooLong { .. } | Self::Budget { .. } => Blame::Us,
            Self::Redirects { .. } => Blame::Provider,
            _ if self.may_pass() => Blame::Provider,
            _ => Blame::Client,
        }
    }

    /// The client went away within its own request.
    pub(super) fn is_hang_up(&self) -> bool {
        matches!(self, Self::ClientBody(_) | Self::Body { fault: BodyFault::ClientGone, .. })
    }

    /// Trying the same again can help.
    fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { again: true, .. }
                | Self::Broken { .. }
                | Self::Silent { .. }
                | Self::Full { .. }
        )
    }

    /// The provider failed before it answered anything: another route may do better.
    pub(super) fn is_failure_of_route(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Broken { .. } | Self::Silent { .. })
    }

    /// The message, and the error's kind in the API's words.
    pub(super) fn message(&self) -> (&'static str, String) {
        let kind = self.kind().1;
        match self {
            // Claude Code knows it by its beginning.
            Self::TooLong { .. } => (kind, self.to_string()),
            _ => (kind, format!("subagents: {self}")),
        }
    }

    /// The answer. Whether the client should try again is said in `x-should-retry`.
    pub fn response(&self) -> Response<Bytes> {
        let status = self.status();
        let (kind, message) = self.message();
        let body = body(kind, &message);
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.may_pass() {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        } else {
            headers.insert("x-should-retry", HeaderValue::from_static("false"));
        }
        response
    }
}

/// `{"type":"error","error":{"type":…,"message":…}}`
pub(super) fn body(kind: &str, message: &str) -> Bytes {
    json!({"type": "error", "error": {"type": kind, "message": message}}).to_string().into()
}

/// The API's own status for an upstream that has too much to do.
fn overloaded() -> StatusCode {
    StatusCode::from_u16(529).unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_ours_has_the_shape_that_claude_code_reads() {
        let error = Error::Unreachable { route: "glm/glm-5".into(), reason: "timed out".into(), again: true };
        let response = error.response();
        assert_eq!(response.status(), 502);
        assert!(!response.headers().contains_key("x-should-retry"));
        let body: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
        assert_eq!(body["type"], "error");
        assert_eq!(body["error"]["type"], "api_error");
        assert!(body["error"]["message"].as_str().unwrap().contains("glm/glm-5"));
    }

    fn refused() -> Error {
        Error::Unreachable { route: "p/m".into(), reason: "connection refused".into(), again: false }
    }

    #[test]
    fn what_trying_again_cannot_mend_says_so() {
        for error in [
            Error::Token,
            Error::Foreign("Origin"),
            Error::TooLarge { limit: 1 },
            Error::Refused("no".into()),
            Error::Redirects { route: "glm/glm-5".into() },
            refused(),
        ] {
            assert_eq!(error.response().headers()["x-should-retry"], "false", "{error}");
        }
    }
}
