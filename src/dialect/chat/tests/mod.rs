//! What the translation does, by examples and by rules. Names hold the number of the report that they answer.

mod golden;
mod properties;
mod requests;
mod streams;
mod wholes;

use serde_json::Value;

use super::*;
use crate::config::{ChatOptions, Effort, LimitField, ThinkingField};
use crate::dialect::testing::{Heard, ID, heard, rewritten};

fn stream() -> Stream {
    super::stream(ID.to_owned())
}

fn whole(body: &[u8], stream: bool) -> Result<Vec<u8>, ErrorAnswer> {
    super::whole(body, stream, ID.to_owned())
}

/// A provider's request, made of Anthropic's.
fn asked(body: &Value, options: ChatOptions) -> Value {
    let request = request(body.to_string().as_bytes(), options).unwrap();
    serde_json::from_slice(&request).unwrap()
}

/// What a client hears of a stream of chunks, closed by `[DONE]`.
fn told(chunks: &[Value]) -> Heard {
    heard(&rewritten(stream(), &[sse(chunks).as_bytes()]))
}

fn sse(chunks: &[Value]) -> String {
    let chunks = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    chunks.chain(["data: [DONE]\n\n".to_owned()]).collect()
}
