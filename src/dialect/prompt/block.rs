//! Blocks of content, flat: every field that some kind of block has.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Unsayable;
use crate::dialect::text::Text;

#[derive(Debug, Deserialize)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) text: Option<Text<'a>>,
    pub(super) thinking: Option<Text<'a>>,
    pub(super) id: Option<Text<'a>>,
    pub(super) name: Option<Text<'a>>,
    pub(super) input: Option<&'a RawValue>,
    pub(super) tool_use_id: Option<Text<'a>>,
    pub(super) is_error: Option<bool>,
    pub(super) title: Option<Text<'a>>,
    pub(super) tool_name: Option<Text<'a>>,
    /// Read by those kinds alone that know its shape.
    pub(super) content: Option<&'a RawValue>,
    pub(super) source: Option<&'a RawValue>,
}

/// Where an image or a document is.
#[derive(Debug, Deserialize)]
pub(super) struct Source<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) media_type: Option<Text<'a>>,
    pub(super) data: Option<Text<'a>>,
    pub(super) url: Option<Text<'a>>,
    pub(super) content: Option<&'a RawValue>,
}

/// A string stands for one block of text.
pub(super) fn blocks(content: &RawValue) -> Result<Vec<Block<'_>>, Unsayable> {
    let Some(text) = Text::new(content) else { return Ok(serde_json::from_str(content.get())?) };
    Ok(vec![Block::of_text(text)])
}

impl<'a> Block<'a> {
    fn of_text(text: Text<'a>) -> Self {
        Self {
            kind: Cow::Borrowed("text"),
            text: Some(text),
            thinking: None,
            id: None,
            name: None,
            input: None,
            tool_use_id: None,
            is_error: None,
            title: None,
            tool_name: None,
            content: None,
            source: None,
        }
    }
}
