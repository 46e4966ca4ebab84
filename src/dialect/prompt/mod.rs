//! A request of Anthropic's Messages API, read for translation: the conversation as turns, its tools, and what is
//! asked of the answer. What no other dialect can say is left out here, once for all of them.
//!
//! Long values (texts, schemas, the input of tools) stay the JSON that they are.

mod block;
mod body;
mod part;
mod tools;
mod turn;

pub(super) use body::Body;
pub(super) use part::Part;
pub(super) use tools::{Choice, Tool, Tools};
pub(super) use turn::{ToolCall, ToolResult, Turn, turns};

/// Why a request can't be said in another dialect; for a 400 `invalid_request_error`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsayable {
    /// Repeats nothing of it: that may be a person's.
    #[error("the request is no message of Anthropic's that can be translated")]
    Unreadable,
    /// E10
    #[error("the provider runs no tools of its own, and the request asks for no others ({})", .0.join(", "))]
    OnlyServerTools(Vec<String>),
    #[error("the request demands the tool {0}, which the provider isn't told of")]
    DemandsMissingTool(String),
}

impl From<serde_json::Error> for Unsayable {
    fn from(_: serde_json::Error) -> Self {
        Self::Unreadable
    }
}
