//! A request in the words of Chat Completions.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::config::Effort;
use crate::dialect::text::Text;

#[derive(Debug, Serialize)]
pub(super) struct Completion<'a> {
    pub(super) model: Text<'a>,
    pub(super) messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<ToolChoice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_completion_tokens: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) top_p: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) stop: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_effort: Option<Effort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response_format: Option<Format<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream_options: Option<StreamOptions>,
}

#[derive(Debug, Serialize)]
pub(super) struct StreamOptions {
    pub(super) include_usage: bool,
}

#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum Message<'a> {
    System {
        content: Text<'a>,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        /// `null` of a turn that only calls tools (E16).
        content: Option<Text<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<Text<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning: Option<Text<'a>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_call_id: Text<'a>,
        content: Text<'a>,
    },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Text<'a>),
    Parts(Vec<Part<'a>>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    Text { text: Text<'a> },
    ImageUrl { image_url: Image<'a> },
    File { file: File<'a> },
}

#[derive(Debug, Serialize)]
pub(super) struct Image<'a> {
    pub(super) url: Text<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct File<'a> {
    pub(super) filename: Text<'a>,
    pub(super) file_data: Text<'a>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Call<'a> {
    Function { id: Text<'a>, function: Function<'a> },
}

#[derive(Debug, Serialize)]
pub(super) struct Function<'a> {
    pub(super) name: Text<'a>,
    /// JSON within a string.
    pub(super) arguments: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Tool<'a> {
    Function { function: Definition<'a> },
}

#[derive(Debug, Serialize)]
pub(super) struct Definition<'a> {
    pub(super) name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<Text<'a>>,
    pub(super) parameters: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) strict: Option<bool>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ToolChoice<'a> {
    Word(&'static str),
    Named(Named<'a>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Named<'a> {
    Function { function: Name<'a> },
}

#[derive(Debug, Serialize)]
pub(super) struct Name<'a> {
    pub(super) name: Text<'a>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Format<'a> {
    JsonSchema { json_schema: Wanted<'a> },
}

#[derive(Debug, Serialize)]
pub(super) struct Wanted<'a> {
    pub(super) name: &'static str,
    pub(super) schema: &'a RawValue,
    pub(super) strict: bool,
}
