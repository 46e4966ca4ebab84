//! The bodies of a trial's requests, as Claude Code would write them. Pure.

use serde_json::{Value, json};

use crate::dialect::Speech;

/// Tokens of an answer: enough for a model that thinks before it calls a tool.
const MOST: u32 = 512;

/// The tool's name.
pub(super) const TOOL: &str = "report";

const ASK: &str = "Call the tool `report` once, with `word` set to \"ready\". Say nothing else.";
const DESCRIPTION: &str = "Reports one word.";
const SYSTEM: &str = "This is a short test of the connection.";

/// Whether the model is given the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tools {
    Offered,
    Left,
}

/// The streamed completion.
pub(super) fn completion(model: &str, tools: Tools) -> Value {
    let mut body = asking(model, ASK);
    if tools == Tools::Offered {
        let schema =
            json!({"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]});
        body["tools"] = json!([{"name": TOOL, "description": DESCRIPTION, "input_schema": schema}]);
    }
    body
}

/// As the router would hand it on to the provider. Whatever can't be said stays as it is.
pub(super) fn said(body: &Value, speech: Speech) -> Value {
    let said = speech.request(body.to_string().into_bytes());
    said.ok().and_then(|said| serde_json::from_slice(&said).ok()).unwrap_or_else(|| body.clone())
}

/// A completion with thinking, as Claude Code asks for it.
pub(super) fn thinking(model: &str) -> Value {
    let mut body = asking(model, "What is 17 times 23? Say the number only.");
    body["thinking"] = json!({"type": "adaptive"});
    body
}

/// A conversation that the system interrupts, as Claude Code's do (D01).
pub(super) fn system_turn(model: &str) -> Value {
    let mut body = asking(model, "Say the word ready.");
    if let Some(messages) = body["messages"].as_array_mut() {
        messages.push(json!({"role": "system", "content": [{"type": "text", "text": "Be brief."}]}));
    }
    body
}

/// What is to be counted.
pub(super) fn count(model: &str) -> Value {
    let mut body = asking(model, ASK);
    if let Some(fields) = body.as_object_mut() {
        fields.remove("max_tokens");
        fields.remove("stream");
    }
    body
}

fn asking(model: &str, ask: &str) -> Value {
    json!({
        "model": model,
        "max_tokens": MOST,
        "stream": true,
        "system": [{"type": "text", "text": SYSTEM}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": ask}]}],
    })
}
