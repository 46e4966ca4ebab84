//! What a fake upstream answers in OpenAI's dialect: the same blocks, as Chat Completions streams them.

use serde_json::{Value, json};

/// `id` is this message's own: Claude Code takes two with one id for one.
pub(crate) fn stream(id: &str, model: &str, blocks: &[Value]) -> String {
    let calls = blocks.iter().any(|block| block["type"] == "tool_use");
    let finish = if calls { "tool_calls" } else { "stop" };
    let pieces = blocks.iter().enumerate().map(|(at, block)| (delta(at, block), Value::Null));
    let choices = pieces
        .chain([(json!({}), json!(finish))])
        .map(|(delta, finish)| json!([{"index": 0, "delta": delta, "finish_reason": finish}]));
    let chunks = choices.map(|choices| chunk(id, model, &choices, &Value::Null));
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107});
    let last = chunk(id, model, &json!([]), &usage);
    let lines = chunks.chain([last]).map(|chunk| chunk.to_string()).chain(["[DONE]".to_owned()]);
    lines.map(|data| format!("data: {data}\n\n")).collect::<Vec<_>>().concat()
}

fn chunk(id: &str, model: &str, choices: &Value, usage: &Value) -> Value {
    json!({"id": id, "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices,
        "usage": usage})
}

fn delta(at: usize, block: &Value) -> Value {
    if block["type"] == "text" {
        return json!({"content": block["text"]});
    }
    let function = json!({"name": block["name"], "arguments": block["input"].to_string()});
    json!({"tool_calls": [{"index": at, "id": block["id"], "type": "function", "function": function}]})
}
