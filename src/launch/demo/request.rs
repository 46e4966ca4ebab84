//! What the demo provider understands of a Messages request: who asks, and what has happened so far.
//!
//! Everything else in the body is ignored, and nothing but a wrong shape is refused.

use serde::Deserialize;
use serde_json::Value;

/// The names that Claude Code has had for the tool that starts a sub-agent.
const DELEGATION_TOOLS: [&str; 2] = ["Agent", "Task"];

/// How the result of a call begins whose agent works in the background.
const LAUNCHED: &str = "Async agent launched";
/// How Claude Code begins to tell, in a user message, that such an agent has ended.
const NOTIFICATION: &str = "<task-notification>";

/// The body of `POST /v1/messages`.
#[derive(Debug, Deserialize)]
pub(super) struct Request {
    pub(super) model: String,
    #[serde(default)]
    pub(super) stream: bool,
    #[serde(default)]
    tools: Vec<Tool>,
    #[serde(default)]
    messages: Vec<Message>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Tool {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    input_schema: Value,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: String,
    content: Content,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

/// A block of any type: only what calls and their results hold.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    text: String,
    id: String,
    name: String,
    input: Value,
    tool_use_id: String,
    content: Value,
    is_error: bool,
}

/// What a sub-agent gave back to the main session.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome<'a> {
    /// The agent's name; `agent` when its call is not in the conversation any more.
    pub(super) agent: &'a str,
    pub(super) text: &'a str,
    pub(super) state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It works in the background; what it says will come as a notification.
    AtWork,
    Answered,
    Failed,
}

impl Request {
    /// The tool that starts a sub-agent. Title, summary and other side requests have none.
    pub(super) fn delegation_tool(&self) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.is_delegation())
    }

    /// Has a sub-agent been called in this conversation?
    pub(super) fn has_delegated(&self) -> bool {
        self.calls().next().is_some()
    }

    /// What the last user message brings from sub-agents: results of calls, and notifications of those that
    /// worked in the background. Empty when it is a person's own.
    pub(super) fn outcomes(&self) -> Vec<Outcome<'_>> {
        let Some(last) = self.messages.iter().rfind(|message| message.role == "user") else {
            return Vec::new();
        };
        let results = last.blocks().iter().filter(|block| block.kind == "tool_result");
        let results = results.map(|result| self.result(result));
        let notifications = last.texts().flat_map(|text| text.split(NOTIFICATION).skip(1));
        results.chain(notifications.map(|notification| self.notification(notification))).collect()
    }

    fn result<'a>(&'a self, result: &'a Block) -> Outcome<'a> {
        let text = first_text(&result.content);
        let state = match result.is_error {
            true => State::Failed,
            false if text.starts_with(LAUNCHED) => State::AtWork,
            false => State::Answered,
        };
        Outcome { agent: self.agent_of(&result.tool_use_id), text, state }
    }

    fn notification<'a>(&'a self, text: &'a str) -> Outcome<'a> {
        let state = if element(text, "status") == "completed" { State::Answered } else { State::Failed };
        Outcome { agent: self.agent_of(element(text, "tool-use-id")), text: element(text, "result"), state }
    }

    fn agent_of(&self, call_id: &str) -> &str {
        let call = self.calls().find(|call| call.id == call_id);
        call.and_then(|call| call.input["subagent_type"].as_str()).unwrap_or("agent")
    }

    fn calls(&self) -> impl Iterator<Item = &Block> {
        let blocks =
            self.messages.iter().filter(|message| message.role == "assistant").flat_map(Message::blocks);
        blocks.filter(|block| block.kind == "tool_use" && DELEGATION_TOOLS.contains(&block.name.as_str()))
    }
}

impl Tool {
    /// Can the call say that the main session is to wait for the agent?
    pub(super) fn takes(&self, input: &str) -> bool {
        self.input_schema["properties"].get(input).is_some()
    }

    fn is_delegation(&self) -> bool {
        DELEGATION_TOOLS.contains(&self.name.as_str())
    }
}

impl Message {
    fn texts(&self) -> impl Iterator<Item = &str> {
        let whole = match &self.content {
            Content::Text(text) => Some(text.as_str()),
            Content::Blocks(_) => None,
        };
        whole.into_iter().chain(self.blocks().iter().map(|block| block.text.as_str()))
    }

    fn blocks(&self) -> &[Block] {
        match &self.content {
            Content::Text(_) => &[],
            Content::Blocks(blocks) => blocks,
        }
    }
}

/// A result's content is a text, or blocks of which the first text counts.
fn first_text(content: &Value) -> &str {
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = || blocks.iter().find_map(|block| block["text"].as_str());
    content.as_str().or_else(texts).unwrap_or_default()
}

/// The text of an element; empty when there is none.
fn element<'a>(text: &'a str, name: &str) -> &'a str {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let inner = text.split_once(&open).and_then(|(_, rest)| rest.split_once(&close));
    inner.map_or("", |(inner, _)| inner)
}
