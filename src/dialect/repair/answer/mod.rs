//! Answers that break Anthropic's own order of events, mended as they pass. What isn't understood passes as it came.

mod events;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

use super::Plan;
use crate::config::Repair;
use crate::dialect::Rewrite;
use crate::dialect::json::{Document, Object, Value};

use events::{Events, Piece};

/// Mends one answer.
#[derive(Debug)]
pub(super) struct Mender {
    events: Events,
    stream: Stream,
}

/// What has been seen of the answer, and what is to be mended in it.
#[derive(Debug)]
struct Stream {
    collapse: bool,
    sign: bool,
    /// Tokens that an answer begins with, where it says 0.
    estimate: Option<NonZeroU64>,
    open: Option<Block>,
}

/// A content block that has started and not stopped.
#[derive(Debug)]
struct Block {
    index: u64,
    kind: String,
    signed: bool,
}

/// What becomes of an event.
enum Verdict {
    Pass,
    Drop,
    /// This is its data now.
    Change(String),
    /// This event goes before it.
    Precede(String),
}

impl Mender {
    pub(super) fn new(plan: &Plan, estimate: Option<NonZeroU64>) -> Self {
        let stream = Stream {
            collapse: plan.has(Repair::CollapseDuplicateStarts),
            sign: plan.has(Repair::SignThinking),
            estimate: estimate.filter(|_| plan.has(Repair::UsageAtStart)),
            open: None,
        };
        Self { events: Events::default(), stream }
    }
}

impl Rewrite for Mender {
    fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        self.events.feed(piece, |piece| self.stream.relay(&piece, out));
    }

    /// A last event may lack its empty line: it is complete if its data is. Anything less was cut off, and is left out.
    fn finish(&mut self, out: &mut Vec<u8>) {
        let rest = self.events.rest();
        let Ok(rest) = std::str::from_utf8(&rest) else { return };
        let whole = events::data(rest)
            .is_some_and(|(_, data)| serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok());
        if whole {
            let event = format!("{}\n\n", rest.trim_end_matches(['\n', '\r']));
            self.stream.relay(&Piece::Event(&event), out);
        }
    }
}

impl Stream {
    fn relay(&mut self, piece: &Piece<'_>, out: &mut Vec<u8>) {
        let event = match piece {
            Piece::Event(event) => event,
            Piece::Bytes(bytes) => return out.extend_from_slice(bytes),
        };
        let Some((at, data)) = events::data(event) else { return out.extend_from_slice(event.as_bytes()) };
        match self.judge(data) {
            Verdict::Drop => {}
            Verdict::Pass => out.extend_from_slice(event.as_bytes()),
            Verdict::Change(changed) => {
                out.extend_from_slice(&event.as_bytes()[..at]);
                out.extend_from_slice(changed.as_bytes());
                out.extend_from_slice(&event.as_bytes()[at + data.len()..]);
            }
            Verdict::Precede(before) => {
                out.extend_from_slice(before.as_bytes());
                out.extend_from_slice(event.as_bytes());
            }
        }
    }

    fn judge(&mut self, data: &str) -> Verdict {
        let Some(mut document) = Document::read(data) else { return Verdict::Pass };
        let root = &mut document.root;
        let kind = root.get("type").and_then(Value::decoded).map(String::from).unwrap_or_default();
        let changed = match kind.as_str() {
            "message_start" => self.estimate.is_some_and(|estimate| estimate_usage(root, estimate)),
            "content_block_start" => match self.start(root) {
                Some(changed) => changed,
                None => return Verdict::Drop,
            },
            "content_block_delta" => {
                self.see_delta(root);
                false
            }
            "content_block_stop" => return self.stop(root),
            _ => false,
        };
        if changed { Verdict::Change(document.write()) } else { Verdict::Pass }
    }

    /// `None`: this block is open already. Else whether it was changed.
    fn start(&mut self, root: &mut Object<'_>) -> Option<bool> {
        let index = root.get("index").and_then(Value::number);
        let block = root.get_mut("content_block").and_then(Value::object);
        let (Some(index), Some(block)) = (index, block) else { return Some(false) };
        let kind = block.get("type").and_then(Value::decoded).map(String::from).unwrap_or_default();
        let again = self.open.as_ref().is_some_and(|open| open.index == index && open.kind == kind);
        if again && self.collapse {
            return None;
        }
        let unsigned = self.sign && kind == "thinking" && block.get("signature").is_none();
        if unsigned {
            block.set("signature", Value::string(""));
        }
        self.open = Some(Block { index, kind, signed: false });
        Some(unsigned)
    }

    fn see_delta(&mut self, root: &mut Object<'_>) {
        let signs = root.get_mut("delta").and_then(Value::object);
        let signs = signs.is_some_and(|delta| delta.says("type", "signature_delta"));
        if let Some(open) = self.open.as_mut().filter(|_| signs) {
            open.signed = true;
        }
    }

    fn stop(&mut self, root: &Object<'_>) -> Verdict {
        let index = root.get("index").and_then(Value::number);
        let Some(open) = self.open.take_if(|open| Some(open.index) == index) else { return Verdict::Pass };
        if !self.sign || open.signed || open.kind != "thinking" {
            return Verdict::Pass;
        }
        Verdict::Precede(format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{},\
             \"delta\":{{\"type\":\"signature_delta\",\"signature\":\"\"}}}}\n\n",
            open.index
        ))
    }
}

/// Whether the answer said that it has read nothing, and says the estimate now.
fn estimate_usage(root: &mut Object<'_>, estimate: NonZeroU64) -> bool {
    let message = root.get_mut("message").and_then(Value::object);
    let usage = message.and_then(|message| message.get_mut("usage")?.object());
    let Some(usage) = usage else { return false };
    let read = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
    let nothing = read.iter().all(|key| {
        usage.get(key).is_none_or(|count| count.number() == Some(0) || count.text() == Some("null"))
    });
    if nothing {
        usage.set("input_tokens", Value::new(estimate.to_string()));
    }
    nothing
}
