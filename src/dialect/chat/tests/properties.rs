//! What holds for any request and any stream.

use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::dialect::testing::bodies::{any_body, text};
use crate::dialect::testing::{End, cut};

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(include_str!("../testdata/request.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

fn options() -> impl Strategy<Value = ChatOptions> {
    let field = prop::sample::select(vec![LimitField::MaxTokens, LimitField::MaxCompletionTokens]);
    let effort = option::of(prop::sample::select(vec![Effort::Low, Effort::High, Effort::Max]));
    let thinking =
        option::of(prop::sample::select(vec![ThinkingField::Reasoning, ThinkingField::ReasoningContent]));
    (field, effort, thinking).prop_map(|(limit, effort, thinking)| ChatOptions { limit, effort, thinking })
}

/// Takes out what providers have added to `OpenAI`'s own words.
fn without_thinking(mut request: Value) -> Value {
    for message in request["messages"].as_array_mut().unwrap() {
        let message = message.as_object_mut().unwrap();
        message.retain(|key, _| !["reasoning", "reasoning_content"].contains(&key.as_str()));
    }
    request
}

/// A chunk, or what may come in its place.
fn line() -> impl Strategy<Value = String> {
    let piece = (0..3_u64, option::of(text()), option::of("[a-z]{0,3}"), option::of(prop_oneof![text(), Just("{}".into()), Just("{\"a\":".into()), Just("1}".into())]))
        .prop_map(|(index, id, name, arguments)| json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}}));
    let delta = prop_oneof![
        text().prop_map(|text| json!({"content": text})),
        text().prop_map(|text| json!({"reasoning_content": text})),
        text().prop_map(|text| json!({"refusal": text})),
        vec(piece, 1..4).prop_map(|pieces| json!({"tool_calls": pieces})),
        Just(json!({})),
    ];
    let finish = option::weighted(0.1, "stop|length|tool_calls|content_filter|error|odd");
    let chunk = (delta, finish, any::<bool>()).prop_map(|(delta, finish, counted)| {
        let usage = counted.then(|| json!({"prompt_tokens": 1, "completion_tokens": 2}));
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        json!({"id": "x", "created": 1, "model": "m", "choices": [choice], "usage": usage})
    });
    prop_oneof![
        20 => chunk.prop_map(|chunk| format!("data: {chunk}\n\n")),
        2 => Just(": PROCESSING\r\n\r\n".to_owned()),
        2 => Just("data: {\"choices\":[]}\n".to_owned()),
        1 => Just("data: [DONE]\n\n".to_owned()),
        1 => Just("data: {\"error\":{\"message\":\"m\",\"code\":500}}\n\n".to_owned()),
        1 => text().prop_map(|text| format!("data: {text}\n\n")),
    ]
}

proptest! {
    #[test]
    fn any_request_is_one_that_openai_documents(body in any_body(), options in options()) {
        let Ok(made) = request(body.to_string().as_bytes(), options) else {
            prop_assert!(body["tools"].as_array().unwrap().iter().all(|tool| tool["input_schema"].is_null()));
            return Ok(());
        };
        let text = String::from_utf8(made).unwrap();
        let made: Value = serde_json::from_str(&text).unwrap();
        let roles: Vec<&str> = made["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
        prop_assert!(!roles.windows(2).any(|pair| pair == ["user", "tool"]), "E14: {:?}", roles);
        for key in ["cache_control", "citations", "signature", "metadata"] {
            prop_assert!(!text.contains(&format!("\"{key}\":")), "E12: {} in {}", key, text);
        }
        let made = without_thinking(made);
        let wrong: Vec<String> = SCHEMA.iter_errors(&made).map(|error| error.to_string()).collect();
        prop_assert!(wrong.is_empty(), "{wrong:?} in {made}");
    }

    #[test]
    fn any_stream_is_one_that_anthropic_documents(
        lines in vec(line(), 0..20),
        cuts in vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let bytes = lines.concat().into_bytes();
        let whole = rewritten(stream(), &[&bytes]);
        heard(&whole);
        prop_assert_eq!(rewritten(stream(), &cut(&bytes, &cuts)), whole, "C09");
    }

    #[test]
    fn every_word_of_a_good_stream_is_told(texts in vec((any::<bool>(), text()), 0..12)) {
        let of = |(thought, text): &(bool, String)| {
            let key = if *thought { "reasoning" } else { "content" };
            json!({"choices": [{"delta": {key: text}}]})
        };
        let mut chunks: Vec<Value> = texts.iter().map(of).collect();
        chunks.push(json!({"choices": [{"finish_reason": "stop"}]}));
        let heard = told(&chunks);
        prop_assert_eq!(heard.end, End::Stopped);
        for (thought, kind) in [(true, "thinking"), (false, "text")] {
            let said: String = texts.iter().filter(|text| text.0 == thought).map(|text| text.1.as_str()).collect();
            let told: String = heard.blocks.iter().filter_map(|block| block[kind].as_str()).collect();
            prop_assert_eq!(said, told);
        }
    }

    #[test]
    fn c16_no_bytes_do_harm(bytes in vec(any::<u8>(), 0..200), good in vec(line(), 0..4)) {
        let stream_of = [good.concat().as_bytes(), b"data: ", &bytes, b"\n\n"].concat();
        heard(&rewritten(stream(), &[&stream_of]));
        error(500, &bytes);
        let _ = whole(&bytes, true);
        let _ = request(&bytes, ChatOptions::default());
    }
}

#[test]
fn the_schema_refuses_what_openai_does_not_know() {
    for (path, value) in [
        ("/messages/0/cache_control", json!({})),
        ("/messages/0/content", json!([])),
        ("/messages/0/role", json!("person")),
        ("/metadata", json!({"user_id": "u"})),
    ] {
        let mut request = json!({"model": "m", "messages": [{"role": "user", "content": "a"}]});
        assert!(SCHEMA.is_valid(&request));
        let (parent, key) = path.rsplit_once('/').unwrap();
        request.pointer_mut(parent).unwrap()[key] = value;
        assert!(!SCHEMA.is_valid(&request), "{path}");
    }
}
