//! What a trial found.

use std::fmt;
use std::time::Duration;

use crate::catalogue::Fault;
use crate::config::{Auth, Dialect, RouteId};
use crate::router::tap::Usage;

/// A route that answers.
#[derive(Debug)]
pub struct Report {
    pub route: RouteId,
    pub dialect: Dialect,
    /// Where the completion was asked for, after the host.
    pub path: String,
    /// The `auth` that the provider took; the configuration may say another kind.
    pub auth: Auth,
    pub completion: Completion,
    pub streaming: Verdict,
    pub tools: Verdict,
    pub count_tokens: Verdict,
    pub thinking: Verdict,
    /// A turn of the system's in mid-conversation, as Claude Code sends them.
    pub system_turn: Verdict,
    /// Whether the model is loaded with enough tokens; `None`: its server loads it as it is.
    pub context: Option<Verdict>,
}

/// The one completion.
#[derive(Debug, Clone, Default)]
pub struct Completion {
    /// From the request to the first byte of the answer's body.
    pub first_byte: Duration,
    pub total: Duration,
    /// As the provider says it.
    pub stop_reason: Option<String>,
    pub usage: Usage,
}

/// Whether something works on a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was seen to.
    Works,
    /// It was taken without complaint, and no effect was seen.
    Accepted,
    /// The provider refused it, or did something else; with the reason.
    Fails(String),
    /// It could not be found out; with the reason.
    Unknown(String),
}

impl Verdict {
    /// One word, for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Accepted => "accepted",
            Self::Fails(_) => "fails",
            Self::Unknown(_) => "unknown",
        }
    }

    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Works | Self::Accepted => None,
            Self::Fails(reason) | Self::Unknown(reason) => Some(reason),
        }
    }
}

/// A route that doesn't.
#[derive(Debug, thiserror::Error)]
#[error("{fault}")]
pub struct Failed {
    /// With the configured kind of `auth`.
    pub fault: Fault,
    /// Where the completion was asked for, after the host.
    pub path: String,
    /// The kinds of `auth` that were tried.
    pub tried: Vec<&'static str>,
    /// Where a completion works with the same key.
    pub elsewhere: Option<Elsewhere>,
}

/// Another way to the same model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    pub dialect: Dialect,
    pub base_url: String,
    /// The path that was asked, after the host.
    pub path: String,
}

/// What is being done, for whoever waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Completion(&'static str),
    WithoutTools,
    Counting,
    Thinking,
    SystemTurn,
    Loaded,
    Elsewhere,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completion(kind) => write!(f, "asking for a completion with a tool (auth `{kind}`)"),
            Self::WithoutTools => f.write_str("asking again without tools"),
            Self::Counting => f.write_str("counting tokens"),
            Self::Thinking => f.write_str("asking it to think"),
            Self::SystemTurn => f.write_str("sending a system turn in mid-conversation"),
            Self::Loaded => f.write_str("asking with how many tokens the model is loaded"),
            Self::Elsewhere => f.write_str("looking for a path that works"),
        }
    }
}
