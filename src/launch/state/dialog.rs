//! A dialog that waits for a person, who may answer it from where, and what became of it.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::hook::Agent;

/// Names a dialog among those of all sessions. Drawn at random and never used again, so that an answer that comes late
/// can't reach another dialog.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DialogId(pub String);

impl fmt::Display for DialogId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// What a session asks a person. Everything but the id was written by somebody else: draw it with care.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dialog {
    pub id: DialogId,
    pub tool: String,
    /// In full.
    #[serde(with = "whole")]
    pub input: Arc<Value>,
    /// The agent that wants to use the tool, by name; `None`: the main session.
    pub agent: Option<String>,
    /// Claude Code's own id of that agent.
    pub agent_id: Option<String>,
    pub since: Timestamp,
    pub reach: Reach,
}

/// Where a dialog can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Here and in the session.
    Inbox,
    /// In the session: Claude Code doesn't draw an agent's dialog while it waits for an answer from outside.
    Agent,
    /// In the session: a question or a plan needs more than a yes.
    Question,
    /// In the session: it isn't known what it asks.
    Unseen,
}

impl Reach {
    /// A dialog of this tool, asked by this agent.
    pub(super) fn of(tool: &str, agent: Option<&Agent>) -> Self {
        match (agent, tool) {
            (Some(_), _) => Self::Agent,
            (None, "AskUserQuestion" | "ExitPlanMode") => Self::Question,
            (None, _) => Self::Inbox,
        }
    }

    /// Why it can't be answered from outside; `None`: it can.
    pub const fn hindrance(self) -> Option<&'static str> {
        match self {
            Self::Inbox => None,
            Self::Agent => Some("Claude Code shows an agent's dialog in the session only"),
            Self::Question => Some("it needs more than a yes or no"),
            Self::Unseen => Some("Claude Code doesn't tell what it asks"),
        }
    }
}

/// What the person says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case", deny_unknown_fields)]
pub enum Decision {
    Allow,
    /// The model reads the reason.
    Deny {
        reason: Option<String>,
    },
}

/// Where an answer came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answerer {
    /// A key in the session.
    Terminal,
    Inbox,
    /// Nobody that we know of: another hook, a remote control, or the session's end.
    Elsewhere,
}

/// What became of a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    Allowed,
    /// With the reason, where it was given here.
    Denied {
        reason: Option<String>,
    },
    /// Nothing tells.
    Unknown,
}

impl From<Decision> for Outcome {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Allow => Self::Allowed,
            Decision::Deny { reason } => Self::Denied { reason },
        }
    }
}

/// A dialog that is settled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub dialog: Dialog,
    #[serde(flatten)]
    pub outcome: Outcome,
    pub by: Answerer,
    pub at: Timestamp,
}

/// Why an answer isn't taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AnswerError {
    #[error("no dialog `{0}` waits in this session; `subagents inbox` lists those that do")]
    NoSuch(DialogId),
    #[error("dialog `{}` of {} has been settled already: {}", .0.dialog.id, .0.dialog.tool, told(.0))]
    Settled(Box<Answer>),
    #[error("dialog `{id}` can't be answered from here: {}; answer it in the session", .reach.hindrance().unwrap_or("nobody waits for the answer"))]
    InSession { id: DialogId, reach: Reach },
}

/// How it was settled.
fn told(answer: &Answer) -> String {
    let what = match answer.outcome {
        Outcome::Allowed => "allowed",
        Outcome::Denied { .. } => "denied",
        Outcome::Unknown => "answered or given up",
    };
    let place = match answer.by {
        Answerer::Terminal => " by a key in the session",
        Answerer::Inbox => " from the inbox",
        Answerer::Elsewhere => "",
    };
    format!("{what}{place} at {}", answer.at)
}

/// A shared value, written as what it is.
mod whole {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(input: &Arc<Value>, serializer: S) -> Result<S::Ok, S::Error> {
        input.as_ref().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Value>, D::Error> {
        Value::deserialize(deserializer).map(Arc::new)
    }
}
