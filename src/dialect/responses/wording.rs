//! A request in the words of Responses.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::config::Effort;
use crate::dialect::text::Text;

#[derive(Debug, Serialize)]
pub(super) struct Response<'a> {
    pub(super) model: Text<'a>,
    pub(super) input: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<ToolChoice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) top_p: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<Wanted<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream: Option<bool>,
    pub(super) store: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Reasoning {
    pub(super) effort: Effort,
}

#[derive(Debug, Serialize)]
pub(super) struct Wanted<'a> {
    pub(super) format: Format<'a>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Format<'a> {
    JsonSchema { name: &'static str, schema: &'a RawValue, strict: bool },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item<'a> {
    Message { role: &'static str, content: Content<'a> },
    FunctionCall { call_id: Text<'a>, name: Text<'a>, arguments: &'a str },
    FunctionCallOutput { call_id: Text<'a>, output: Text<'a> },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Text<'a>),
    Parts(Vec<Part<'a>>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type")]
pub(super) enum Part<'a> {
    #[serde(rename = "input_text")]
    Text { text: Text<'a> },
    #[serde(rename = "input_image")]
    Image { image_url: Text<'a>, detail: &'static str },
    #[serde(rename = "input_file")]
    File { filename: Text<'a>, file_data: Text<'a> },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Tool<'a> {
    Function {
        name: Text<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<Text<'a>>,
        parameters: &'a RawValue,
        /// Always said: what isn't, is strict here.
        strict: bool,
    },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ToolChoice<'a> {
    Word(&'static str),
    Named(Named<'a>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Named<'a> {
    Function { name: Text<'a> },
}
