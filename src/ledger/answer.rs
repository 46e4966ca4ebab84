//! An answer to a permission dialog, as it is kept: who let which tool of which agent do something, or not.

use serde::Serialize;

/// One answer. The tool's input is not kept: it may hold anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// Milliseconds since 1970.
    pub at: i64,
    pub tool: String,
    /// The agent's name; `main` for the main session.
    pub agent: String,
    pub decision: Decision,
    pub by: Answerer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    Allow,
    Deny,
    /// The dialog is gone, and nothing tells how.
    Unknown,
}

/// Where the person answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answerer {
    /// In the session itself.
    Terminal,
    /// `subagents inbox`
    Inbox,
    /// Nobody that is known of: another hook, or the session's end.
    Elsewhere,
}

impl Decision {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Unknown => "unknown",
        }
    }
}

impl Answerer {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Inbox => "inbox",
            Self::Elsewhere => "elsewhere",
        }
    }
}
