//! What went wrong at the provider, in the shape that Claude Code reads.
//!
//! The provider's own message is kept whole: Claude Code looks in it for what to leave out when it tries again.

mod complaint;
mod too_long;

use serde::Serialize;

pub(in crate::dialect) use complaint::Complaint;

/// An answer that tells of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorAnswer {
    /// The status to answer with; the provider's own, unless the prompt was too long for it.
    pub status: u16,
    /// JSON: `{"type":"error","error":{"type":…,"message":…}}`.
    pub body: Vec<u8>,
}

/// Why an answer can't be told to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::dialect) enum Fault {
    /// Nothing that the dialect knows: says what it is.
    Garbled(&'static str),
    /// The provider says so itself.
    Told(Complaint),
}

/// Says a provider's answer with a status of 400 or more as Anthropic says it.
pub fn error(status: u16, body: &[u8]) -> ErrorAnswer {
    Complaint::read(body).answer(status)
}

impl Fault {
    /// Anthropic's error, as JSON; what can't be read names the `route`, unless that is empty.
    pub(super) fn body(&self, route: &str) -> Vec<u8> {
        match self {
            Self::Garbled(what) if !route.is_empty() => {
                shape("api_error", &format!("{route}: the provider's answer can't be read: {what}"))
            }
            _ => self.answer().body,
        }
    }

    /// As the answer to a request that has had none yet.
    pub(in crate::dialect) fn answer(&self) -> ErrorAnswer {
        match self {
            Self::Garbled(what) => {
                let message = format!("the provider's answer can't be read: {what}");
                ErrorAnswer { status: 502, body: shape("api_error", &message) }
            }
            Self::Told(complaint) => complaint.answer(complaint.status()),
        }
    }
}

impl Complaint {
    fn answer(&self, status: u16) -> ErrorAnswer {
        let message = self.to_string();
        if too_long::is_said_by(self) {
            let message = format!("prompt is too long: {message}");
            return ErrorAnswer { status: 400, body: shape("invalid_request_error", &message) };
        }
        ErrorAnswer { status, body: shape(kind(status), &message) }
    }
}

/// Anthropic's type of an error (its API reference, "Errors"), by the status.
fn kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        408 | 504 => "timeout_error",
        503 | 529 => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    }
}

fn shape(kind: &str, message: &str) -> Vec<u8> {
    #[derive(Serialize)]
    struct Outer<'a> {
        r#type: &'static str,
        error: Inner<'a>,
    }
    #[derive(Serialize)]
    struct Inner<'a> {
        r#type: &'a str,
        message: &'a str,
    }
    let error = Inner { r#type: kind, message };
    serde_json::to_vec(&Outer { r#type: "error", error }).unwrap_or_default()
}

#[cfg(test)]
mod tests;
