//! What the provider has said so far.

use std::mem::discriminant;

use super::arguments::Shape;
use super::{Fault, Finish, Usage};
use crate::dialect::text::Text;

/// As much of the answer's id as a call's takes, from its end: `OpenAI` refuses ids of more than 40 characters.
const ID_TAIL: usize = 24;

#[derive(Debug)]
pub(in crate::dialect) struct Answer {
    /// Ours: Claude Code takes two answers with one id for the same, and asks for ever.
    pub(super) id: String,
    /// `None` before the provider has said anything.
    model: Option<String>,
    pub(super) blocks: Vec<Block>,
    pub(super) usage: Usage,
    pub(super) finish: Option<Finish>,
    refused: bool,
}

/// A block of content, in the order in which the provider began them.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// Text, thinking or arguments: the inside of a JSON string, still escaped.
    pub(super) escaped: String,
}

#[derive(Debug)]
pub(super) enum Kind {
    Text,
    Thinking,
    Tool(Call),
}

#[derive(Debug, Default)]
pub(super) struct Call {
    index: u64,
    id: String,
    pub(super) name: String,
}

/// A piece of a tool call. What isn't given yet, or was before, is empty.
#[derive(Debug, Clone, Copy)]
pub(in crate::dialect) struct CallPiece<'p> {
    /// Tells calls apart, unless the provider gives all of them the same.
    pub(in crate::dialect) index: u64,
    pub(in crate::dialect) id: &'p str,
    pub(in crate::dialect) name: &'p str,
    /// Of the arguments, as the inside of a JSON string.
    pub(in crate::dialect) escaped: &'p str,
}

impl Answer {
    /// `id`: unlike any other answer's, and ASCII.
    pub(in crate::dialect) fn new(id: String) -> Self {
        let (model, blocks, finish) = (None, Vec::new(), None);
        Self { id, model, blocks, usage: Usage::default(), finish, refused: false }
    }

    /// The provider answers, with this model if it says so; the first word counts.
    pub(in crate::dialect) fn begin(&mut self, model: Option<&str>) {
        self.model.get_or_insert_with(|| model.unwrap_or_default().to_owned());
    }

    pub(in crate::dialect) fn text(&mut self, text: &Text<'_>) {
        self.say(Kind::Text, text);
    }

    pub(in crate::dialect) fn thinking(&mut self, text: &Text<'_>) {
        self.say(Kind::Thinking, text);
    }

    /// The model declines, in these words.
    pub(in crate::dialect) fn refusal(&mut self, text: &Text<'_>) {
        self.refused |= !text.is_empty();
        self.say(Kind::Text, text);
    }

    pub(in crate::dialect) fn call(&mut self, piece: CallPiece<'_>) {
        let block = self.block_of(piece);
        block.escaped.push_str(piece.escaped);
        if let Kind::Tool(call) = &mut block.kind {
            call.hear(piece);
        }
    }

    /// Replaces what was counted before.
    pub(in crate::dialect) fn count(&mut self, usage: Usage) {
        self.usage = usage;
    }

    pub(in crate::dialect) fn end(&mut self, finish: Finish) {
        self.finish = Some(finish);
    }

    /// Have arguments of the call with that index come?
    pub(in crate::dialect) fn has_arguments(&self, index: u64) -> bool {
        let of_call = |block: &&Block| block.call().is_some_and(|call| call.index == index);
        self.blocks.iter().rfind(of_call).is_some_and(|block| !block.escaped.is_empty())
    }

    fn say(&mut self, kind: Kind, text: &Text<'_>) {
        if text.is_empty() {
            return;
        }
        match self.blocks.last_mut() {
            Some(last) if discriminant(&last.kind) == discriminant(&kind) => {
                last.escaped.push_str(text.escaped());
            }
            _ => self.blocks.push(Block { kind, escaped: text.escaped().to_owned() }),
        }
    }

    fn block_of(&mut self, piece: CallPiece<'_>) -> &mut Block {
        let known =
            self.blocks.iter().rposition(|block| block.call().is_some_and(|c| c.index == piece.index));
        let at = known.filter(|at| !self.blocks[*at].is_followed_by(piece)).unwrap_or_else(|| {
            let call = Call { index: piece.index, ..Call::default() };
            self.blocks.push(Block { kind: Kind::Tool(call), escaped: String::new() });
            self.blocks.len() - 1
        });
        &mut self.blocks[at]
    }

    /// What goes on as the id of the call in that block: the provider's own, unless it gave none, or this one twice.
    pub(super) fn call_id(&self, at: usize) -> String {
        let id = |block: &Block| block.call().map_or(String::new(), |call| call.id.clone());
        let own = id(&self.blocks[at]);
        let used = self.blocks[..at].iter().any(|block| id(block) == own);
        if own.is_empty() || used { format!("call_{}_{at}", self.id_tail()) } else { own }
    }

    fn id_tail(&self) -> &str {
        let skipped = self.id.len().saturating_sub(ID_TAIL);
        self.id.get(skipped..).unwrap_or_default()
    }

    /// Empty where the provider doesn't say it.
    pub(super) fn model(&self) -> &str {
        self.model.as_deref().unwrap_or_default()
    }

    /// Is there something to tell?
    pub(super) fn has_begun(&self) -> bool {
        self.model.is_some() || !self.blocks.is_empty()
    }

    /// Anthropic's word for why it ended (E03). A tool call that was cut is one, whatever the provider says.
    pub(super) fn stop_reason(&self) -> &'static str {
        let mut calls = self.blocks.iter().filter(|block| block.call().is_some()).peekable();
        match self.finish {
            _ if self.refused => "refusal",
            Some(Finish::Filtered) => "refusal",
            Some(Finish::Cut) => "max_tokens",
            _ if calls.peek().is_none() => "end_turn",
            _ if calls.any(|call| call.shape() == Shape::Cut) => "max_tokens",
            _ => "tool_use",
        }
    }

    /// What makes the whole answer unusable, if something does.
    pub(super) fn fault(&self) -> Option<Fault> {
        let nameless = |block: &Block| block.call().is_some_and(|call| call.name.is_empty());
        self.blocks.iter().any(nameless).then_some(Fault::Garbled("a tool call without a name"))
    }
}

impl Block {
    pub(super) fn call(&self) -> Option<&Call> {
        match &self.kind {
            Kind::Tool(call) => Some(call),
            _ => None,
        }
    }

    pub(super) fn shape(&self) -> Shape {
        Shape::of(&self.escaped)
    }

    /// Does the piece, with the same index, begin another call? Some providers give every call the index 0.
    fn is_followed_by(&self, piece: CallPiece<'_>) -> bool {
        let Some(call) = self.call().filter(|call| !call.name.is_empty() && !piece.name.is_empty()) else {
            return false;
        };
        let other_id = !piece.id.is_empty() && !call.id.is_empty() && piece.id != call.id;
        let no_id = piece.id.is_empty() && !piece.escaped.is_empty();
        other_id || (no_id && self.shape() == Shape::Object)
    }
}

impl Call {
    fn hear(&mut self, piece: CallPiece<'_>) {
        for (known, said) in [(&mut self.id, piece.id), (&mut self.name, piece.name)] {
            if known.is_empty() {
                said.clone_into(known);
            }
        }
    }
}
