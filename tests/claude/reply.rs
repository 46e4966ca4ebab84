//! What a fake upstream answers: a pure function of the request and of a few scripted turns.

use serde_json::{Value, json};

use super::chat;
use super::request::Request;

/// What every answer says that it has used: input, output, cache read, cache write.
pub(crate) const USAGE: [u64; 4] = [100, 7, 5, 3];

/// An upstream's part in the play.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    name: &'static str,
    /// What the main session calls in each turn, one after the other.
    turns: Vec<Vec<Value>>,
    /// The same of each sub-agent that the main session has started.
    agents_turns: Vec<Vec<Value>>,
    /// A status and an error body that everything is answered by.
    refusal: Option<(u16, Value)>,
    /// Questions are never answered.
    is_silent: bool,
    /// What is always said.
    speech: Option<&'static str>,
}

impl Script {
    /// Answers everything by one line that names it.
    pub(crate) fn talker(name: &'static str) -> Self {
        Self {
            name,
            turns: Vec::new(),
            agents_turns: Vec::new(),
            refusal: None,
            is_silent: false,
            speech: None,
        }
    }

    /// Answers everything by this text.
    pub(crate) fn saying(text: &'static str) -> Self {
        Self { speech: Some(text), ..Self::talker("") }
    }

    /// Lets the main session call agents or tools; the results are then repeated in the answer.
    pub(crate) fn main<const N: usize>(turns: [Vec<Value>; N]) -> Self {
        Self::talker("upstream").with_turns(turns.into())
    }

    /// The same of one that has another name.
    pub(crate) fn with_turns(self, turns: Vec<Vec<Value>>) -> Self {
        Self { turns, ..self }
    }

    /// Lets a sub-agent call agents or tools of its own.
    pub(crate) fn nested(name: &'static str, calls: Vec<Value>) -> Self {
        Self::talker(name).with_agents(calls)
    }

    /// Lets its sub-agents call something, too.
    pub(crate) fn with_agents(self, calls: Vec<Value>) -> Self {
        self.with_turns_of_agents(vec![calls])
    }

    /// The same, turn by turn.
    pub(crate) fn with_turns_of_agents(self, agents_turns: Vec<Vec<Value>>) -> Self {
        Self { agents_turns, ..self }
    }

    /// Refuses everything.
    pub(crate) fn refusing(name: &'static str, status: u16, error: Value) -> Self {
        Self { refusal: Some((status, error)), ..Self::talker(name) }
    }

    /// Leaves whoever asks without an answer.
    pub(crate) fn silent(self) -> Self {
        Self { is_silent: true, ..self }
    }

    pub(crate) fn is_silent_about(&self, request: &Request) -> bool {
        self.is_silent && request.is_inference()
    }

    /// The status, the content type and the body that answer a request.
    pub(crate) fn answer(&self, request: &Request) -> (u16, &'static str, String) {
        const JSON: &str = "application/json";
        if let Some((status, error)) = &self.refusal {
            return (*status, JSON, error.to_string());
        }
        if !request.is_inference() {
            return (
                404,
                JSON,
                json!({"type": "error", "error": {"type": "not_found_error", "message": "no"}}).to_string(),
            );
        }
        let (head, blocks) = (Head::of(request), self.blocks(request));
        if request.is_chat() {
            (200, "text/event-stream", chat::stream(&head.id, head.model, &blocks))
        } else if request.json["stream"] == true {
            (200, "text/event-stream", stream(&head, &blocks))
        } else {
            (200, JSON, head.message(&blocks, USAGE[1]).to_string())
        }
    }

    /// The calls of this turn, if it is one; else a text.
    fn blocks(&self, request: &Request) -> Vec<Value> {
        let conversation = Conversation(&request.json);
        let turns = if is_of_an_agent(request) { &self.agents_turns } else { &self.turns };
        // A summary holds nothing of how far the play had come: it ends there.
        let sums_up = request.header("x-claude-code-request-class") == "compaction";
        let plays = conversation.has_tools() && !sums_up && !request.is_continued();
        let calls = turns.get(conversation.turn()).filter(|_| plays);
        match calls {
            Some(calls) => {
                calls.iter().enumerate().map(|(at, called)| call(&conversation, at, called)).collect()
            }
            None => vec![json!({"type": "text", "text": self.text(&conversation)})],
        }
    }

    fn text(&self, conversation: &Conversation<'_>) -> String {
        if let Some(speech) = self.speech {
            return speech.to_owned();
        }
        match conversation.results() {
            heard if heard.is_empty() => format!("{} says hello.", self.name),
            heard => format!("{} heard: {heard}", self.name),
        }
    }
}

/// A call of the agent `name`, for [`Script::main`].
pub(crate) fn agent(name: &str) -> Value {
    let input = json!({"description": "Ask it", "prompt": "Say hello.", "subagent_type": name,
        "run_in_background": false});
    json!({"name": "Agent", "input": input})
}

/// The same with another model for this one call.
pub(crate) fn agent_on(name: &str, model: &str) -> Value {
    let mut call = agent(name);
    call["input"]["model"] = json!(model);
    call
}

/// A call of a shell's command, in the same places.
pub(crate) fn bash(command: &str) -> Value {
    json!({"name": "Bash", "input": {"command": command, "description": "Try it"}})
}

/// Asked by a sub-agent that the main session has started.
fn is_of_an_agent(request: &Request) -> bool {
    let header = |name: &str| request.header(name);
    !header("x-claude-code-agent-id").is_empty() && header("x-claude-code-parent-agent-id").is_empty()
}

/// The body of a request, read as a conversation.
struct Conversation<'a>(&'a Value);

impl Conversation<'_> {
    /// Titles and summaries are asked for without any.
    fn has_tools(&self) -> bool {
        let tools = self.0["tools"].as_array().into_iter().flatten();
        let known = ["Agent", "Bash", "Read"];
        let is_known = |tool: &Value| known.into_iter().any(|name| tool["name"] == name);
        tools.into_iter().any(|tool| is_known(tool) || is_known(&tool["function"]))
    }

    /// How often agents have been called.
    fn turn(&self) -> usize {
        let calls = |message: &&Value| {
            message["tool_calls"].is_array() || blocks(message).any(|block| block["type"] == "tool_use")
        };
        self.messages().filter(calls).count()
    }

    /// What the last calls have brought, and what agents in the background have said since.
    fn results(&self) -> String {
        let Some(last) = self.messages().filter(|message| message["role"] == "user").last() else {
            return String::new();
        };
        let results = blocks(last).filter(|block| block["type"] == "tool_result");
        let results = results.map(|block| block["content"].to_string());
        let texts = last["content"]
            .as_str()
            .into_iter()
            .chain(blocks(last).filter_map(|block| block["text"].as_str()));
        let said = texts.filter_map(|text| text.split_once("<result>")?.1.split_once("</result>"));
        results.chain(said.map(|(said, _)| said.to_owned())).collect::<Vec<_>>().join(" | ")
    }

    fn messages(&self) -> impl Iterator<Item = &Value> {
        self.0["messages"].as_array().into_iter().flatten()
    }
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message["content"].as_array().into_iter().flatten()
}

fn call(conversation: &Conversation<'_>, at: usize, called: &Value) -> Value {
    let id = format!("toolu_{}_{at}", conversation.turn());
    json!({"type": "tool_use", "id": id, "name": called["name"], "input": called["input"]})
}

/// What a message is besides its content.
struct Head<'a> {
    /// Claude Code takes two messages with one id for one.
    id: String,
    model: &'a str,
}

impl<'a> Head<'a> {
    /// A conversation only grows, so that its length tells its messages apart.
    fn of(request: &'a Request) -> Self {
        Self { id: format!("msg_{}", Conversation(&request.json).messages().count()), model: request.model() }
    }

    fn message(&self, blocks: &[Value], output: u64) -> Value {
        let calls = blocks.iter().any(|block| block["type"] == "tool_use");
        let stop = if calls { "tool_use" } else { "end_turn" };
        let [input, _, read, write] = USAGE;
        json!({"id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": blocks,
            "stop_reason": stop, "stop_sequence": null, "usage": {"input_tokens": input, "output_tokens": output,
            "cache_read_input_tokens": read, "cache_creation_input_tokens": write}})
    }
}

fn stream(head: &Head<'_>, blocks: &[Value]) -> String {
    let mut events = vec![json!({"type": "message_start", "message": head.message(&[], 1)})];
    for (index, block) in blocks.iter().enumerate() {
        let (empty, delta) = streamed(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": empty}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let stop = head.message(blocks, 0)["stop_reason"].clone();
    let delta = json!({"stop_reason": stop, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": USAGE[1]}}));
    events.push(json!({"type": "message_stop"}));
    let line = |data: &Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap());
    events.iter().map(line).collect::<Vec<_>>().concat()
}

/// A block before it has any content, and the one piece that brings all of it.
fn streamed(block: &Value) -> (Value, Value) {
    let mut empty = block.clone();
    if block["type"] == "text" {
        empty["text"] = json!("");
        return (empty, json!({"type": "text_delta", "text": block["text"]}));
    }
    empty["input"] = json!({});
    (empty, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
}
