//! What a session is doing, and what it waits for a person to decide: its state and its inbox.
//!
//! [`Machine`] is pure: it is fed with what was heard and seen, each with its moment, and says what the state is, on
//! which evidence, and what has to be done. [`Desk`] shares it between those who feed it, those who follow it,
//! and those who answer. Nothing here ever decides for the person, and nothing is allowed because time passed.

mod activity;
mod desk;
mod dialog;
mod dialogs;
mod keys;
mod machine;
mod opening;
mod title;
mod unseen;

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use desk::Desk;
pub use dialog::{Answer, AnswerError, Answerer, Decision, Dialog, DialogId, Outcome, Reach};
pub use machine::{Effect, Input, Machine};

/// What a session is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum State {
    /// The child is there and nothing has been heard of it.
    Starting,
    /// A model or a tool is at work: in the main session, or in an agent in the background.
    Working,
    /// A person has to decide something before it goes on.
    Waiting(Wait),
    /// The turn has ended; the next prompt is awaited.
    Idle,
    Exited {
        code: u8,
    },
    Failed {
        reason: String,
    },
    /// Nothing tells: no hooks, no title, no request.
    Unknown,
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wait {
    /// The oldest of the dialogs. `None`: it is known that somebody is awaited, and not for what.
    pub dialog: Option<Dialog>,
    /// How many more dialogs wait.
    pub more: usize,
    /// Whether the person can decide from outside of the session.
    pub reach: Reach,
}

/// A state, why it is believed, and since when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub state: State,
    pub evidence: Evidence,
    /// RFC 3339 in JSON; to the millisecond.
    pub since: Timestamp,
}

/// What a state is concluded from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Evidence {
    /// There is none.
    None,
    /// Claude Code said so, by this hook.
    Hook { event: Cow<'static, str> },
    /// The mark that Claude Code puts before its title: one when it works, another when it doesn't.
    Title,
    /// So many requests are on their way. That none is says nothing: a tool may run.
    Requests { in_flight: u64 },
    /// The terminal was asked to show a notification (OSC 9, 777 or 99).
    Notification,
    /// The terminal was rung.
    Bell,
    /// What is drawn: a question before the session, or no longer one in it.
    Screen,
    /// Agents that go on in the background.
    Agents { names: Vec<String> },
    /// The person's answer to a dialog, from this side.
    Answer { by: Answerer },
    /// Claude Code gave a held dialog up, as it does when the person refuses it with Esc or a plain no.
    GivenUp,
    /// The child's end.
    Child,
}

#[cfg(test)]
mod tests;
