//! Puts a [`Reply`] into the shape of the Messages API: one JSON message, or the events of a stream.

use std::hash::{DefaultHasher, Hash, Hasher};

use hyper::body::Bytes;
use serde_json::{Value, json};

use super::reply::{Call, Reply};

/// About what a tokenizer makes of English and JSON, in bytes per token.
const BYTES_PER_TOKEN: usize = 4;
/// Texts stream in pieces of about this many words.
const WORDS_PER_PIECE: usize = 4;

/// A reply with what its envelope needs. Everything is derived from the request: the same one gets the same
/// answer, and ids don't repeat within a conversation, since it only grows.
pub(super) struct Answer<'a> {
    reply: &'a Reply,
    model: &'a str,
    number: u64,
    input_tokens: usize,
}

impl<'a> Answer<'a> {
    /// The answer to the request with this body.
    pub(super) fn new(reply: &'a Reply, model: &'a str, body: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        Self { reply, model, number: hasher.finish(), input_tokens: tokens(body.len()) }
    }

    /// The answer that doesn't stream.
    pub(super) fn message(&self) -> Value {
        let blocks: Vec<Value> = self.blocks().into_iter().map(|block| block.whole).collect();
        let mut message = self.envelope(&blocks, self.output_tokens());
        message["stop_reason"] = json!(self.stop_reason());
        message
    }

    /// The events that stream, each whole.
    pub(super) fn events(&self) -> Vec<Bytes> {
        let start = json!({"type": "message_start", "message": self.envelope(&[], 1)});
        let mut events = vec![event(&start), event(&json!({"type": "ping"}))];
        for (index, block) in self.blocks().into_iter().enumerate() {
            events.push(event(
                &json!({"type": "content_block_start", "index": index, "content_block": block.empty}),
            ));
            let deltas = block.deltas.into_iter();
            events.extend(
                deltas.map(|delta| {
                    event(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
                }),
            );
            events.push(event(&json!({"type": "content_block_stop", "index": index})));
        }
        events.push(event(&json!({
            "type": "message_delta",
            "delta": {"stop_reason": self.stop_reason(), "stop_sequence": null},
            "usage": {"output_tokens": self.output_tokens()},
        })));
        events.push(event(&json!({"type": "message_stop"})));
        events
    }

    fn envelope(&self, content: &[Value], output_tokens: usize) -> Value {
        json!({
            "id": format!("msg_demo_{:016x}", self.number),
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": null,
            "stop_sequence": null,
            "usage": {
                "input_tokens": self.input_tokens,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": output_tokens,
            },
        })
    }

    fn blocks(&self) -> Vec<Block> {
        let calls = self.reply.calls.iter().enumerate();
        let calls =
            calls.map(|(place, call)| call_block(call, &format!("toolu_demo_{:016x}_{place}", self.number)));
        std::iter::once(text_block(&self.reply.text)).chain(calls).collect()
    }

    fn stop_reason(&self) -> &'static str {
        if self.reply.calls.is_empty() { "end_turn" } else { "tool_use" }
    }

    fn output_tokens(&self) -> usize {
        let inputs: usize = self.reply.calls.iter().map(|call| call.input.to_string().len()).sum();
        tokens(self.reply.text.len() + inputs)
    }
}

/// What this many bytes cost, in tokens; never 0.
pub(super) fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN).max(1)
}

/// An error as the API says it.
pub(super) fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

/// A content block: whole, and as it streams.
struct Block {
    whole: Value,
    empty: Value,
    deltas: Vec<Value>,
}

fn text_block(text: &str) -> Block {
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let pieces = words.chunks(WORDS_PER_PIECE).map(<[&str]>::concat);
    Block {
        whole: json!({"type": "text", "text": text}),
        empty: json!({"type": "text", "text": ""}),
        deltas: pieces.map(|piece| json!({"type": "text_delta", "text": piece})).collect(),
    }
}

fn call_block(call: &Call, id: &str) -> Block {
    let input = call.input.to_string();
    let (one, other) = input.split_at(input.floor_char_boundary(input.len() / 2));
    let delta = |piece| json!({"type": "input_json_delta", "partial_json": piece});
    Block {
        whole: json!({"type": "tool_use", "id": id, "name": call.tool, "input": call.input}),
        empty: json!({"type": "tool_use", "id": id, "name": call.tool, "input": {}}),
        deltas: vec![delta(one), delta(other)],
    }
}

fn event(data: &Value) -> Bytes {
    let name = data["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n").into()
}
