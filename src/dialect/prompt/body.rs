//! The request's top level.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Unsayable;
use super::tools::{Demand, Given};
use crate::config::Effort;
use crate::dialect::text::Text;

/// What isn't named here (`metadata`, with the user's id, `top_k`, `context_management`…) goes to nobody.
#[derive(Debug, Deserialize)]
pub(in crate::dialect) struct Body<'a> {
    #[serde(borrow)]
    pub(in crate::dialect) model: Text<'a>,
    pub(in crate::dialect) max_tokens: Option<&'a RawValue>,
    pub(in crate::dialect) temperature: Option<&'a RawValue>,
    pub(in crate::dialect) top_p: Option<&'a RawValue>,
    pub(in crate::dialect) stop_sequences: Option<Vec<Text<'a>>>,
    stream: Option<bool>,
    pub(super) system: Option<&'a RawValue>,
    pub(super) messages: Vec<Message<'a>>,
    pub(super) tools: Option<Vec<Given<'a>>>,
    pub(super) tool_choice: Option<Demand<'a>>,
    thinking: Option<Thinking<'a>>,
    output_config: Option<OutputConfig<'a>>,
    output_format: Option<Format<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) role: Cow<'a, str>,
    pub(super) content: &'a RawValue,
}

#[derive(Debug, Deserialize)]
struct Thinking<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
struct OutputConfig<'a> {
    #[serde(borrow)]
    effort: Option<Cow<'a, str>>,
    format: Option<Format<'a>>,
}

#[derive(Debug, Deserialize)]
struct Format<'a> {
    #[serde(borrow)]
    schema: Option<&'a RawValue>,
}

impl<'a> Body<'a> {
    pub(in crate::dialect) fn read(body: &'a [u8]) -> Result<Self, Unsayable> {
        Ok(serde_json::from_slice(body)?)
    }

    pub(in crate::dialect) fn wants_stream(&self) -> bool {
        self.stream == Some(true)
    }

    /// None of a request that switches thinking off: providers refuse the two together (D06).
    pub(in crate::dialect) fn effort(&self) -> Option<Effort> {
        let off = self.thinking.as_ref().is_some_and(|thinking| thinking.kind == "disabled");
        let effort = self.output_config.as_ref()?.effort.as_deref()?;
        Effort::of(effort).filter(|_| !off)
    }

    /// The schema that the answer's text is to fit.
    pub(in crate::dialect) fn schema(&self) -> Option<&'a RawValue> {
        let format = self.output_config.as_ref().and_then(|config| config.format.as_ref());
        format.or(self.output_format.as_ref())?.schema
    }
}
