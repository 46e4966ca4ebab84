//! The conversation, turn by turn, in the order in which other dialects want it.

use serde_json::value::RawValue;

use super::block::{Block, blocks};
use super::part::{Part, add, parts};
use super::{Body, Unsayable};
use crate::dialect::ATTRIBUTION;
use crate::dialect::text::Text;

/// Between texts that were blocks of their own.
const GAP: &str = "\n\n";
/// E16: what stands for a turn, or a tool's result, that shows nothing: providers refuse empty ones.
const NOTHING: &str = " ";

#[derive(Debug)]
pub(in crate::dialect) enum Turn<'a> {
    System(Text<'a>),
    User {
        /// Come first: they belong to the calls of the turn before (E14).
        results: Vec<ToolResult<'a>>,
        /// What the person shows, behind what tools showed beside text. Empty only where there are results.
        parts: Vec<Part<'a>>,
    },
    Assistant {
        thinking: Option<Text<'a>>,
        text: Option<Text<'a>>,
        calls: Vec<ToolCall<'a>>,
    },
}

#[derive(Debug)]
pub(in crate::dialect) struct ToolResult<'a> {
    pub(in crate::dialect) call: Text<'a>,
    pub(in crate::dialect) text: Text<'a>,
}

#[derive(Debug)]
pub(in crate::dialect) struct ToolCall<'a> {
    pub(in crate::dialect) id: Text<'a>,
    pub(in crate::dialect) name: Text<'a>,
    /// JSON, to the byte.
    pub(in crate::dialect) input: &'a str,
}

/// The whole conversation. What `system` says is its first turn.
pub(in crate::dialect) fn turns<'a>(body: &Body<'a>) -> Result<Vec<Turn<'a>>, Unsayable> {
    let system = body.system.map(system).transpose()?.flatten();
    let mut turns: Vec<Turn<'a>> = system.map(Turn::System).into_iter().collect();
    for message in &body.messages {
        match &*message.role {
            "system" => turns.extend(joined(parts(Some(message.content))?).map(Turn::System)),
            "assistant" => turns.push(assistant(blocks(message.content)?)?),
            _ => user(blocks(message.content)?, &mut turns)?,
        }
    }
    turns.iter_mut().for_each(Turn::fill);
    Ok(turns)
}

fn system(content: &RawValue) -> Result<Option<Text<'_>>, Unsayable> {
    let mut parts = parts(Some(content))?;
    if let Some(Part::Text(first)) = parts.first_mut()
        && first.escaped().starts_with(ATTRIBUTION)
    {
        *first = Text::from_escaped(first.escaped().split_once("\\n").map_or("", |(_, rest)| rest));
    }
    Ok(joined(parts))
}

fn assistant(blocks: Vec<Block<'_>>) -> Result<Turn<'_>, Unsayable> {
    let (mut thoughts, mut shown, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for block in blocks {
        match &*block.kind {
            "thinking" => thoughts.extend(block.thinking.filter(|text| !text.is_empty())),
            "redacted_thinking" => {}
            "tool_use" => calls.extend(call(block)),
            _ => add(block, &mut shown)?,
        }
    }
    Ok(Turn::Assistant { thinking: Text::join(&thoughts, GAP), text: joined(shown), calls })
}

fn call(block: Block<'_>) -> Option<ToolCall<'_>> {
    let input = block.input.map_or("{}", RawValue::get);
    Some(ToolCall { id: block.id?, name: block.name?, input })
}

/// Turns of the user that follow each other become one: no result may stand behind a text.
fn user<'a>(blocks: Vec<Block<'a>>, turns: &mut Vec<Turn<'a>>) -> Result<(), Unsayable> {
    if !matches!(turns.last(), Some(Turn::User { .. })) {
        turns.push(Turn::User { results: Vec::new(), parts: Vec::new() });
    }
    let Some(Turn::User { results, parts }) = turns.last_mut() else { return Ok(()) };
    let mut own = Vec::new();
    for block in blocks {
        match &*block.kind {
            "tool_result" => results.extend(result(&block, parts)?),
            _ => add(block, &mut own)?,
        }
    }
    parts.append(&mut own);
    Ok(())
}

/// A tool's result is text; what it shows beside goes to the turn's `parts`.
fn result<'a>(block: &Block<'a>, shown: &mut Vec<Part<'a>>) -> Result<Option<ToolResult<'a>>, Unsayable> {
    let Some(call) = block.tool_use_id.clone() else { return Ok(None) };
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    for part in parts(block.content)? {
        match part {
            Part::Text(text) => texts.push(text),
            other => others.push(other),
        }
    }
    if block.is_error == Some(true) {
        texts.insert(0, Text::of("[error]"));
    }
    if !others.is_empty() {
        texts.push(Text::of("[shown in the next message]"));
        let label = format!("[shown by the tool call {}]", call.escaped());
        shown.push(Part::Text(Text::from_escaped(&label)));
        shown.append(&mut others);
    }
    let text = Text::join(&texts, GAP).unwrap_or_else(|| Text::of(NOTHING));
    Ok(Some(ToolResult { call, text }))
}

/// The texts among them as one; files and images can't be said here.
fn joined(parts: Vec<Part<'_>>) -> Option<Text<'_>> {
    let texts = parts.into_iter().filter_map(|part| match part {
        Part::Text(text) if !text.is_blank() => Some(text),
        Part::Text(_) => None,
        Part::Image(_) => Some(Text::of("[image left out]")),
        Part::File { .. } => Some(Text::of("[document left out]")),
    });
    Text::join(&texts.collect::<Vec<_>>(), GAP)
}

impl Turn<'_> {
    /// E16: puts something where there is nothing.
    fn fill(&mut self) {
        match self {
            Self::User { results, parts } if results.is_empty() && parts.is_empty() => {
                parts.push(Part::Text(Text::of(NOTHING)));
            }
            Self::Assistant { text: text @ None, calls, .. } if calls.is_empty() => {
                *text = Some(Text::of(NOTHING));
            }
            _ => {}
        }
    }
}
