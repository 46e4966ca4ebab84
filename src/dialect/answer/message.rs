//! An answer as one message of Anthropic's.

use serde::Serialize;
use serde_json::value::RawValue;

use super::arguments::{Shape, decoded};
use super::events::SIGNATURE;
use super::said::{Block, Kind};
use super::{Answer, Fault};
use crate::dialect::text::Text;

#[derive(Serialize)]
struct Message<'a> {
    id: &'a str,
    r#type: &'static str,
    role: &'static str,
    model: &'a str,
    content: Vec<Content<'a>>,
    stop_reason: &'static str,
    stop_sequence: Option<&'static str>,
    usage: super::usage::Said,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text { text: Text<'static> },
    Thinking { thinking: Text<'static>, signature: &'static str },
    ToolUse { id: String, name: &'a str, input: Box<RawValue> },
}

/// The whole answer.
pub(super) fn message(answer: &Answer) -> Result<Vec<u8>, Fault> {
    let message = Message {
        id: &answer.id,
        r#type: "message",
        role: "assistant",
        model: answer.model(),
        content: contents(answer).map_err(unspeakable)?,
        stop_reason: answer.stop_reason(),
        stop_sequence: None,
        usage: answer.usage.said(),
    };
    serde_json::to_vec(&message).map_err(unspeakable)
}

fn unspeakable(_: serde_json::Error) -> Fault {
    Fault::Garbled("an answer that no JSON can say")
}

fn contents(answer: &Answer) -> Result<Vec<Content<'_>>, serde_json::Error> {
    answer.blocks.iter().enumerate().map(|(at, block)| content(answer, at, block)).collect()
}

fn content<'a>(answer: &'a Answer, at: usize, block: &'a Block) -> Result<Content<'a>, serde_json::Error> {
    Ok(match &block.kind {
        Kind::Text => Content::Text { text: Text::from_escaped(&block.escaped) },
        Kind::Thinking => {
            Content::Thinking { thinking: Text::from_escaped(&block.escaped), signature: SIGNATURE }
        }
        Kind::Tool(call) => {
            Content::ToolUse { id: answer.call_id(at), name: &call.name, input: input(block)? }
        }
    })
}

/// The object that the arguments are. What is none is given as the text that came: Claude Code then tells the model.
fn input(block: &Block) -> Result<Box<RawValue>, serde_json::Error> {
    match (block.shape(), decoded(&block.escaped)) {
        (Shape::Empty, _) => RawValue::from_string("{}".to_owned()),
        (Shape::Object, Some(object)) => RawValue::from_string(object.trim().to_owned()),
        _ => RawValue::from_string(format!("\"{}\"", block.escaped)),
    }
}
