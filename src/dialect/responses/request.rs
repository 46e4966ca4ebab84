//! From a request of Anthropic's to one of Responses.

use super::Unsayable;
use super::wording::{Content, Format, Item, Named, Part, Reasoning, Response, Tool, ToolChoice, Wanted};
use crate::config::Effort;
use crate::dialect::prompt::{self, Body, Choice, ToolCall, ToolResult, Tools, Turn};

/// In tokens: less is refused (`max_output_tokens` of the API reference).
const LEAST: u64 = 16;

/// Says `body`, a request of Anthropic's, in Responses. Sequences to stop at can't be said there. `highest`: the
/// highest `reasoning.effort` that the model knows; more is said as this. `None`: effort isn't said, since models that
/// don't reason refuse the field.
///
/// # Errors
/// When it is no such request, or nothing of what it wants can be said.
pub fn request(body: &[u8], highest: Option<Effort>) -> Result<Vec<u8>, Unsayable> {
    let body = Body::read(body)?;
    Ok(serde_json::to_vec(&response(&body, highest)?)?)
}

fn response<'a>(body: &Body<'a>, highest: Option<Effort>) -> Result<Response<'a>, Unsayable> {
    let tools = Tools::of(body)?;
    let limit = body.max_tokens.and_then(|limit| limit.get().parse::<u64>().ok());
    let effort = highest.and_then(|highest| Some(body.effort()?.min(highest)));
    Ok(Response {
        model: body.model.clone(),
        input: prompt::turns(body)?.into_iter().flat_map(items).collect(),
        parallel_tool_calls: tools.single.then_some(false),
        tool_choice: tools.choice.map(tool_choice),
        tools: tools.functions.into_iter().map(tool).collect(),
        max_output_tokens: limit.map(|limit| limit.max(LEAST)),
        temperature: body.temperature,
        top_p: body.top_p,
        reasoning: effort.map(|effort| Reasoning { effort }),
        text: body
            .schema()
            .map(|schema| Wanted { format: Format::JsonSchema { name: "answer", schema, strict: true } }),
        stream: body.wants_stream().then_some(true),
        store: false,
    })
}

fn items(turn: Turn<'_>) -> Vec<Item<'_>> {
    let text = |role, text| Item::Message { role, content: Content::Text(text) };
    match turn {
        Turn::System(content) => vec![text("system", content)],
        Turn::User { results, parts } => {
            let results = results.into_iter().map(output);
            let shown: Vec<Part<'_>> = parts.into_iter().map(part).collect();
            let user = |shown| Item::Message { role: "user", content: Content::Parts(shown) };
            results.chain((!shown.is_empty()).then_some(shown).map(user)).collect()
        }
        Turn::Assistant { text: said, calls, .. } => {
            let said = said.map(|said| text("assistant", said));
            said.into_iter().chain(calls.into_iter().map(call)).collect()
        }
    }
}

fn output(result: ToolResult<'_>) -> Item<'_> {
    Item::FunctionCallOutput { call_id: result.call, output: result.text }
}

fn call(call: ToolCall<'_>) -> Item<'_> {
    Item::FunctionCall { call_id: call.id, name: call.name, arguments: call.input }
}

fn part(part: prompt::Part<'_>) -> Part<'_> {
    match part {
        prompt::Part::Text(text) => Part::Text { text },
        prompt::Part::Image(url) => Part::Image { image_url: url, detail: "auto" },
        prompt::Part::File { name, data } => Part::File { filename: name, file_data: data },
    }
}

fn tool(tool: prompt::Tool<'_>) -> Tool<'_> {
    Tool::Function {
        name: tool.name,
        description: tool.description,
        parameters: tool.schema,
        strict: tool.strict.unwrap_or(false),
    }
}

fn tool_choice(choice: Choice<'_>) -> ToolChoice<'_> {
    match choice {
        Choice::Auto => ToolChoice::Word("auto"),
        Choice::None => ToolChoice::Word("none"),
        Choice::Required => ToolChoice::Word("required"),
        Choice::Function(name) => ToolChoice::Named(Named::Function { name }),
    }
}
