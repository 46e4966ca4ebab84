//! Requests of Anthropic's, for properties that hold for any of them.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

/// What Anthropic's API takes as an id, and as a tool's name.
const ID: &str = "[a-zA-Z0-9_-]{1,20}";

pub(in crate::dialect) fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), Just(String::new()), "[ \n\t]{0,3}", "[a-z]{1,8}"]
}

fn marked(block: Value, cached: bool) -> Value {
    let mut block = block;
    if cached {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    block
}

fn source() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(|data| json!({"type": "base64", "media_type": "image/png", "data": data})),
        "[a-z]{1,5}".prop_map(|host| json!({"type": "url", "url": format!("https://{host}.invalid/")})),
        text().prop_map(|data| json!({"type": "text", "media_type": "text/plain", "data": data})),
        Just(json!({"type": "file", "file_id": "f"})),
    ]
}

/// What a user's turn, or a tool's result, may show.
fn shown() -> impl Strategy<Value = Value> {
    let block = prop_oneof![
        text().prop_map(|text| json!({"type": "text", "text": text, "citations": []})),
        source().prop_map(|source| json!({"type": "image", "source": source})),
        (source(), option::of(text()))
            .prop_map(|(source, title)| json!({"type": "document", "source": source, "title": title})),
        Just(json!({"type": "tool_reference", "tool_name": "Read"})),
        Just(
            json!({"type": "search_result", "title": "t", "source": "s", "content": [{"type": "text", "text": "a"}]})
        ),
        Just(json!({"type": "container_upload", "file_id": "f"})),
    ];
    (block, any::<bool>()).prop_map(|(block, cached)| marked(block, cached))
}

fn content(block: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    prop_oneof![text().prop_map(Value::String), vec(block, 0..5).prop_map(Value::Array)]
}

fn user() -> impl Strategy<Value = Value> {
    let result =
        (ID, option::of(content(shown())), any::<Option<bool>>()).prop_map(|(id, content, is_error)| {
            let result = json!({"type": "tool_result", "tool_use_id": id, "is_error": is_error});
            let mut result = marked(result, true);
            if let Some(content) = content {
                result["content"] = content;
            }
            result
        });
    content(prop_oneof![shown(), result]).prop_map(|content| json!({"role": "user", "content": content}))
}

fn assistant() -> impl Strategy<Value = Value> {
    let block = prop_oneof![
        text().prop_map(|text| json!({"type": "text", "text": text})),
        text().prop_map(|text| json!({"type": "thinking", "thinking": text, "signature": "s"})),
        Just(json!({"type": "redacted_thinking", "data": "d"})),
        (ID, ID, text()).prop_map(
            |(id, name, value)| json!({"type": "tool_use", "id": id, "name": name, "input": {"a": value}})
        ),
        Just(json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})),
        Just(json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": {"type": "error"}})),
    ];
    content(block).prop_map(|content| json!({"role": "assistant", "content": content}))
}

fn message() -> impl Strategy<Value = Value> {
    let system = content(shown()).prop_map(|content| json!({"role": "system", "content": content}));
    prop_oneof![3 => user(), 3 => assistant(), 1 => system]
}

fn tools() -> impl Strategy<Value = Vec<Value>> {
    let own = (ID, option::of(text()), any::<Option<bool>>()).prop_map(|(name, description, strict)| {
        json!({"name": name, "description": description, "strict": strict, "input_schema": {"type": "object"}, "defer_loading": true})
    });
    let server = Just(json!({"type": "web_search_20250305", "name": "web_search"}));
    vec(prop_oneof![3 => own, 1 => server], 0..4)
}

fn choice() -> impl Strategy<Value = Option<Value>> {
    let kind = prop::sample::select(vec!["auto", "any", "none"]);
    option::of(
        (kind, any::<bool>()).prop_map(|(kind, one)| json!({"type": kind, "disable_parallel_tool_use": one})),
    )
}

prop_compose! {
    pub(in crate::dialect) fn any_body()(
        first in user(),
        rest in vec(message(), 0..6),
        system in option::of(content(shown())),
        tools in tools(),
        choice in choice(),
        stops in option::of(vec(text(), 0..7)),
        (stream, effort) in (any::<Option<bool>>(), option::of("low|medium|high|xhigh|max|odd")),
    ) -> Value {
        let mut body = json!({
            "model": "m", "max_tokens": 9, "messages": [first], "stream": stream, "temperature": 0.5, "top_k": 3,
            "metadata": {"user_id": "u"}, "tools": tools, "stop_sequences": stops,
            "output_config": {"effort": effort}, "context_management": {"edits": []},
        });
        body["messages"].as_array_mut().unwrap().extend(rest);
        for (key, value) in [("system", system), ("tool_choice", choice)] {
            if let Some(value) = value {
                body[key] = value;
            }
        }
        body
    }
}
