//! What holds for any request and any stream.

use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::dialect::testing::bodies::{any_body, text};
use crate::dialect::testing::cut;

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(include_str!("../testdata/request.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

/// An event, or what may come in its place.
fn line() -> impl Strategy<Value = String> {
    let arguments = || prop_oneof![text(), Just("{}".into()), Just("{\"a\":".into()), Just("1}".into())];
    let delta = ("output_text|refusal|reasoning_text|reasoning_summary_text|function_call_arguments", 0..3_u64, arguments())
        .prop_map(|(kind, index, delta)| {
            json!({"type": format!("response.{kind}.delta"), "output_index": index, "delta": delta})
        });
    let item = ("added|done", 0..3_u64, "function_call|message|reasoning", "[a-z]{0,3}", arguments())
        .prop_map(|(kind, index, item, id, arguments)| {
            let item = json!({"type": item, "call_id": id, "name": id, "arguments": arguments});
            json!({"type": format!("response.output_item.{kind}"), "output_index": index, "item": item})
        });
    let end = ("created|completed|incomplete|failed", option::of("max_output_tokens|content_filter"))
        .prop_map(|(kind, reason)| {
            let response = json!({"id": "x", "model": "m", "incomplete_details": {"reason": reason}});
            json!({"type": format!("response.{kind}"), "response": response})
        });
    let event = prop_oneof![10 => delta, 5 => item, 1 => end];
    prop_oneof![
        20 => event.prop_map(|event| format!("event: x\ndata: {event}\n\n")),
        1 => Just("data: {\"type\":\"error\",\"message\":\"m\"}\n\n".to_owned()),
        1 => text().prop_map(|text| format!("data: {text}\n\n")),
    ]
}

proptest! {
    #[test]
    fn any_request_is_one_that_openai_documents(
        body in any_body(),
        effort in option::of(prop::sample::select(vec![Effort::Low, Effort::Max])),
    ) {
        let Ok(made) = request(body.to_string().as_bytes(), effort) else {
            prop_assert!(body["tools"].as_array().unwrap().iter().all(|tool| tool["input_schema"].is_null()));
            return Ok(());
        };
        let text = String::from_utf8(made).unwrap();
        for key in ["cache_control", "citations", "signature", "metadata"] {
            prop_assert!(!text.contains(&format!("\"{key}\":")), "E12: {} in {}", key, text);
        }
        let made = serde_json::from_str(&text).unwrap();
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
    fn c16_no_bytes_do_harm(bytes in vec(any::<u8>(), 0..200), good in vec(line(), 0..4)) {
        let stream_of = [good.concat().as_bytes(), b"data: ", &bytes, b"\n\n"].concat();
        heard(&rewritten(stream(), &[&stream_of]));
        let _ = whole(&bytes, true);
        let _ = request(&bytes, None);
    }
}
