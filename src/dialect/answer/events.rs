//! An answer as Anthropic's events.
//!
//! There, one block ends before the next begins. The first that hasn't ended is told as it comes; what the provider
//! says for later ones in the meantime waits.

use std::io::Write as _;

use serde::Serialize;

use super::arguments::Shape;
use super::said::{Block, Kind};
use super::{Answer, Fault, Usage};

/// Ours: tells blocks that were translated from those that Anthropic has signed. Claude Code sends it back, and it is
/// dropped there.
pub(super) const SIGNATURE: &str = "c3ViYWdlbnRz";

/// How much of an answer has been told.
#[derive(Debug, Default)]
pub(super) struct Teller {
    begun: bool,
    /// Blocks that are told to their end.
    told: usize,
    /// Bytes told of the block that comes then; `None` before its beginning.
    sent: Option<usize>,
    /// How long the open call's arguments were when they were last found to be incomplete, in bytes.
    unfinished: usize,
}

impl Teller {
    /// Tells what can be told by now.
    pub(super) fn tell(&mut self, answer: &Answer, out: &mut Vec<u8>) {
        if !answer.has_begun() {
            return;
        }
        self.begin(answer, out);
        while let Some(block) = answer.blocks.get(self.told) {
            if block.call().is_some_and(|call| call.name.is_empty()) {
                return;
            }
            self.progress(answer, block, out);
            if self.told + 1 == answer.blocks.len() || !self.has_ended(block) {
                return;
            }
            self.close(block, true, out);
        }
    }

    /// Tells the rest and the end.
    pub(super) fn end(&mut self, answer: &Answer, out: &mut Vec<u8>) {
        self.begin(answer, out);
        let stop_reason = answer.stop_reason();
        while let Some(block) = answer.blocks.get(self.told) {
            self.progress(answer, block, out);
            self.close(block, stop_reason == "tool_use", out);
        }
        let delta = Delta { stop_reason, stop_sequence: None };
        event(out, "message_delta", &MessageDelta { delta, usage: answer.usage.said() });
        event(out, "message_stop", &Nothing {});
    }

    fn begin(&mut self, answer: &Answer, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.begun, true) {
            event(out, "message_start", &MessageStart { message: Message::new(answer) });
        }
    }

    fn progress(&mut self, answer: &Answer, block: &Block, out: &mut Vec<u8>) {
        let at = self.told;
        let sent = *self.sent.get_or_insert_with(|| {
            start(out, at, answer, block);
            0
        });
        delta(out, at, block, &block.escaped[sent..]);
        self.sent = Some(block.escaped.len());
    }

    /// Another block has begun: is this one over? Asked of a growing call's arguments again only when they have
    /// doubled, so that it costs no more than reading them.
    fn has_ended(&mut self, block: &Block) -> bool {
        let length = block.escaped.len();
        if block.call().is_none() {
            return true;
        }
        if length < 2 * self.unfinished {
            return false;
        }
        self.unfinished = length;
        block.shape() == Shape::Object
    }

    /// `whole`: nothing is missing of a call without arguments.
    fn close(&mut self, block: &Block, whole: bool, out: &mut Vec<u8>) {
        let at = self.told;
        match block.kind {
            Kind::Thinking => delta_of(out, at, "signature_delta", "signature", SIGNATURE),
            Kind::Tool(_) if whole && block.shape() == Shape::Empty => delta(out, at, block, "{}"),
            _ => {}
        }
        event(out, "content_block_stop", &Place { index: at });
        (self.told, self.sent, self.unfinished) = (at + 1, None, 0);
    }
}

/// Ends a stream that can't go on.
pub(super) fn fault(out: &mut Vec<u8>, fault: &Fault, route: &str) {
    out.extend_from_slice(b"event: error\ndata: ");
    out.extend_from_slice(&fault.body(route));
    out.extend_from_slice(b"\n\n");
}

#[derive(Serialize)]
struct MessageStart<'a> {
    message: Message<'a>,
}

#[derive(Serialize)]
struct Message<'a> {
    id: &'a str,
    r#type: &'static str,
    role: &'static str,
    model: &'a str,
    content: [(); 0],
    stop_reason: Option<&'static str>,
    stop_sequence: Option<&'static str>,
    usage: super::usage::Said,
}

impl<'a> Message<'a> {
    fn new(answer: &'a Answer) -> Self {
        Self {
            id: &answer.id,
            r#type: "message",
            role: "assistant",
            model: answer.model(),
            content: [],
            stop_reason: None,
            stop_sequence: None,
            usage: Usage::default().said(),
        }
    }
}

#[derive(Serialize)]
struct MessageDelta {
    delta: Delta,
    usage: super::usage::Said,
}

#[derive(Serialize)]
struct Delta {
    stop_reason: &'static str,
    stop_sequence: Option<&'static str>,
}

#[derive(Serialize)]
struct Place {
    index: usize,
}

#[derive(Serialize)]
struct Nothing {}

#[derive(Serialize)]
struct Start<T> {
    index: usize,
    content_block: T,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Begun<'a> {
    Text { text: &'static str },
    Thinking { thinking: &'static str, signature: &'static str },
    ToolUse { id: String, name: &'a str, input: Nothing },
}

fn start(out: &mut Vec<u8>, index: usize, answer: &Answer, block: &Block) {
    let content_block = match &block.kind {
        Kind::Text => Begun::Text { text: "" },
        Kind::Thinking => Begun::Thinking { thinking: "", signature: "" },
        Kind::Tool(call) => Begun::ToolUse { id: answer.call_id(index), name: &call.name, input: Nothing {} },
    };
    event(out, "content_block_start", &Start { index, content_block });
}

fn delta(out: &mut Vec<u8>, index: usize, block: &Block, escaped: &str) {
    let (kind, field) = match block.kind {
        Kind::Text => ("text_delta", "text"),
        Kind::Thinking => ("thinking_delta", "thinking"),
        Kind::Tool(_) => ("input_json_delta", "partial_json"),
    };
    if !escaped.is_empty() {
        delta_of(out, index, kind, field, escaped);
    }
}

/// By hand: it is nine events in ten, and its text is escaped already.
fn delta_of(out: &mut Vec<u8>, index: usize, kind: &str, field: &str, escaped: &str) {
    let name = "content_block_delta";
    write_to(out, format_args!("event: {name}\ndata: {{\"type\":\"{name}\",\"index\":{index},"));
    write_to(out, format_args!("\"delta\":{{\"type\":\"{kind}\",\"{field}\":\"{escaped}\"}}}}\n\n"));
}

/// One event, whose data begins with its name.
fn event(out: &mut Vec<u8>, name: &'static str, data: &impl Serialize) {
    #[derive(Serialize)]
    struct Named<'a, T> {
        r#type: &'static str,
        #[serde(flatten)]
        data: &'a T,
    }
    let data = serde_json::to_string(&Named { r#type: name, data }).unwrap_or_default();
    write_to(out, format_args!("event: {name}\ndata: {data}\n\n"));
}

fn write_to(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).unwrap_or_default();
}
