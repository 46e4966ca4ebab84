//! The bodies of a trial's requests. Pure.

use serde_json::{Value, json};

use crate::config::Dialect;

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
pub(super) fn completion(dialect: Dialect, model: &str, tools: Tools) -> Value {
    let mut body = match dialect {
        Dialect::Anthropic => anthropic(model, ASK),
        Dialect::OpenaiChat => chat(model),
    };
    if tools == Tools::Offered {
        body["tools"] = json!([tool(dialect)]);
    }
    body
}

/// A completion with thinking, as Claude Code asks for it.
pub(super) fn thinking(model: &str) -> Value {
    let mut body = anthropic(model, "What is 17 times 23? Say the number only.");
    body["thinking"] = json!({"type": "adaptive"});
    body
}

/// A conversation that the system interrupts, as Claude Code's do (D01).
pub(super) fn system_turn(model: &str) -> Value {
    let mut body = anthropic(model, "Say the word ready.");
    if let Some(messages) = body["messages"].as_array_mut() {
        messages.push(json!({"role": "system", "content": [{"type": "text", "text": "Be brief."}]}));
    }
    body
}

/// What is to be counted.
pub(super) fn count(model: &str) -> Value {
    let mut body = anthropic(model, ASK);
    if let Some(fields) = body.as_object_mut() {
        fields.remove("max_tokens");
        fields.remove("stream");
    }
    body
}

fn anthropic(model: &str, ask: &str) -> Value {
    json!({
        "model": model,
        "max_tokens": MOST,
        "stream": true,
        "system": [{"type": "text", "text": SYSTEM}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": ask}]}],
    })
}

fn chat(model: &str) -> Value {
    let messages = json!([{"role": "system", "content": SYSTEM}, {"role": "user", "content": ASK}]);
    json!({"model": model, "max_tokens": MOST, "stream": true, "messages": messages})
}

fn tool(dialect: Dialect) -> Value {
    let schema = json!({"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]});
    match dialect {
        Dialect::Anthropic => json!({"name": TOOL, "description": DESCRIPTION, "input_schema": schema}),
        Dialect::OpenaiChat => {
            let function = json!({"name": TOOL, "description": DESCRIPTION, "parameters": schema});
            json!({"type": "function", "function": function})
        }
    }
}
