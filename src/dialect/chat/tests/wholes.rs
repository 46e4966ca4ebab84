//! Answers in one piece.

use serde_json::json;

use super::*;

fn message(content: &Value, finish: &str) -> Value {
    let body = json!({"id": "x", "model": "m", "choices": [{"message": content, "finish_reason": finish}]});
    serde_json::from_slice(&whole(body.to_string().as_bytes(), false).unwrap()).unwrap()
}

fn call(arguments: Value) -> Value {
    let function = Value::from_iter([("name", json!("t")), ("arguments", arguments)]);
    json!({"content": null, "tool_calls": [{"id": "c", "function": function}]})
}

#[test]
fn e07_a_whole_answer_to_a_request_for_a_stream_is_told_as_one() {
    let body = json!({"id": "x", "choices": [{"message": {"content": "a"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}});
    let heard = heard(&whole(body.to_string().as_bytes(), true).unwrap());
    assert_eq!(heard.blocks, [json!({"type": "text", "text": "a"})]);
    assert_eq!((heard.stop_reason.as_deref(), &heard.usage["output_tokens"]), (Some("end_turn"), &json!(4)));
}

#[test]
fn arguments_come_as_the_model_made_them() {
    for (arguments, finish, input, stop_reason) in [
        (json!("{\"a\":1}"), "tool_calls", json!({"a": 1}), "tool_use"),
        (json!({"a": 1}), "stop", json!({"a": 1}), "tool_use"),
        (json!(""), "tool_calls", json!({}), "tool_use"),
        (Value::Null, "tool_calls", json!({}), "tool_use"),
        (json!("{\"a\":"), "length", json!("{\"a\":"), "max_tokens"),
        (json!("{\"a\":"), "tool_calls", json!("{\"a\":"), "max_tokens"),
        (json!("{a}"), "tool_calls", json!("{a}"), "tool_use"),
    ] {
        let message = message(&call(arguments), finish);
        assert_eq!((&message["content"][0]["input"], &message["stop_reason"]), (&input, &json!(stop_reason)));
    }
}

#[test]
fn mistrals_lists_and_what_came_before_tool_calls_are_read() {
    let content = json!([
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "a"},
    ]);
    let said = json!({"content": content, "function_call": {"name": "t", "arguments": "{}"}});
    let message = message(&said, "function_call");
    let kinds: Vec<&Value> =
        message["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
    assert_eq!(json!(kinds), json!(["thinking", "text", "tool_use"]));
    assert_eq!(
        (&message["content"][0]["thinking"], &message["stop_reason"]),
        (&json!("hm"), &json!("tool_use"))
    );
}

#[test]
fn an_error_with_a_status_of_success_is_one() {
    for (body, status) in [
        (r#"{"error":{"message":"slow down","code":429}}"#, 429),
        (r#"{"error":{"message":"a","code":"context_length_exceeded"}}"#, 400),
        (r#"{"error":"odd"}"#, 500),
        ("<html>", 502),
        ("", 502),
        (r#"{"choices":[{"message":{"tool_calls":[{"function":{"arguments":"{}"}}]}}]}"#, 502),
    ] {
        for stream in [false, true] {
            let answer = whole(body.as_bytes(), stream).unwrap_err();
            let said: Value = serde_json::from_slice(&answer.body).unwrap();
            assert_eq!((answer.status, &said["type"]), (status, &json!("error")), "{body}");
        }
    }
}
