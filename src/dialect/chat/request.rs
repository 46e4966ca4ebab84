//! From a request of Anthropic's to one of Chat Completions.

use super::Unsayable;
use super::wording::{
    Call, Completion, Content, Definition, File, Format, Function, Image, Message, Name, Named, Part,
    StreamOptions, Tool, ToolChoice, Wanted,
};
use crate::config::{ChatOptions, LimitField, ThinkingField};
use crate::dialect::prompt::{self, Body, Choice, ToolCall, ToolResult, Tools, Turn};
use crate::dialect::text::Text;

/// `OpenAI` takes no more; what is too much for one provider is left out for all.
const STOPS: usize = 4;

/// Says `body`, a request of Anthropic's, in Chat Completions.
///
/// # Errors
/// When it is no such request, or nothing of what it wants can be said.
pub fn request(body: &[u8], options: ChatOptions) -> Result<Vec<u8>, Unsayable> {
    let body = Body::read(body)?;
    Ok(serde_json::to_vec(&completion(&body, options)?)?)
}

fn completion<'a>(body: &Body<'a>, options: ChatOptions) -> Result<Completion<'a>, Unsayable> {
    let tools = Tools::of(body)?;
    let limit = |field| body.max_tokens.filter(|_| options.limit == field);
    let stream = body.wants_stream().then_some(true);
    let stop: Vec<Text<'a>> = body.stop_sequences.iter().flatten().take(STOPS).cloned().collect();
    Ok(Completion {
        model: body.model.clone(),
        messages: messages(body, options)?,
        parallel_tool_calls: tools.single.then_some(false),
        tool_choice: tools.choice.map(tool_choice),
        tools: tools.functions.into_iter().map(tool).collect(),
        max_tokens: limit(LimitField::MaxTokens),
        max_completion_tokens: limit(LimitField::MaxCompletionTokens),
        temperature: body.temperature,
        top_p: body.top_p,
        stop,
        reasoning_effort: options.effort.and_then(|highest| Some(body.effort()?.min(highest))),
        response_format: body.schema().map(|schema| Format::JsonSchema {
            json_schema: Wanted { name: "answer", schema, strict: true },
        }),
        stream,
        stream_options: stream.map(|_| StreamOptions { include_usage: true }),
    })
}

fn messages<'a>(body: &Body<'a>, options: ChatOptions) -> Result<Vec<Message<'a>>, Unsayable> {
    let mut messages = Vec::new();
    for turn in prompt::turns(body)? {
        match turn {
            Turn::System(content) => messages.push(Message::System { content }),
            Turn::User { results, parts } => {
                messages.extend(results.into_iter().map(tool_message));
                messages.extend(content(parts).map(|content| Message::User { content }));
            }
            Turn::Assistant { thinking, text, calls } => {
                let field = |field| thinking.clone().filter(|_| options.thinking == Some(field));
                messages.push(Message::Assistant {
                    content: text,
                    reasoning_content: field(ThinkingField::ReasoningContent),
                    reasoning: field(ThinkingField::Reasoning),
                    tool_calls: calls.into_iter().map(call).collect(),
                });
            }
        }
    }
    Ok(messages)
}

fn tool_message(result: ToolResult<'_>) -> Message<'_> {
    Message::Tool { tool_call_id: result.call, content: result.text }
}

/// One text is said as a string, which every provider takes.
fn content(mut parts: Vec<prompt::Part<'_>>) -> Option<Content<'_>> {
    if let [prompt::Part::Text(_)] = parts.as_slice()
        && let Some(prompt::Part::Text(text)) = parts.pop()
    {
        return Some(Content::Text(text));
    }
    let parts: Vec<Part<'_>> = parts.into_iter().map(part).collect();
    (!parts.is_empty()).then_some(Content::Parts(parts))
}

fn part(part: prompt::Part<'_>) -> Part<'_> {
    match part {
        prompt::Part::Text(text) => Part::Text { text },
        prompt::Part::Image(url) => Part::ImageUrl { image_url: Image { url } },
        prompt::Part::File { name, data } => Part::File { file: File { filename: name, file_data: data } },
    }
}

fn call(call: ToolCall<'_>) -> Call<'_> {
    Call::Function { id: call.id, function: Function { name: call.name, arguments: call.input } }
}

fn tool(tool: prompt::Tool<'_>) -> Tool<'_> {
    Tool::Function {
        function: Definition {
            name: tool.name,
            description: tool.description,
            parameters: tool.schema,
            strict: tool.strict,
        },
    }
}

fn tool_choice(choice: Choice<'_>) -> ToolChoice<'_> {
    match choice {
        Choice::Auto => ToolChoice::Word("auto"),
        Choice::None => ToolChoice::Word("none"),
        Choice::Required => ToolChoice::Word("required"),
        Choice::Function(name) => ToolChoice::Named(Named::Function { function: Name { name } }),
    }
}
