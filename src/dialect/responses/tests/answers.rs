//! Answers, as events and in one piece.

use serde_json::json;

use super::*;
use crate::dialect::testing::End;

fn created() -> Value {
    json!({"type": "response.created", "response": {"id": "resp_0123456789abcdef0123", "model": "m", "output": []}})
}

fn text(delta: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": delta})
}

fn call(kind: &str, index: u64, id: &str, arguments: &str) -> Value {
    let item =
        json!({"type": "function_call", "id": "fc", "call_id": id, "name": "t", "arguments": arguments});
    json!({"type": format!("response.output_item.{kind}"), "output_index": index, "item": item})
}

fn arguments(index: u64, delta: &str) -> Value {
    json!({"type": "response.function_call_arguments.delta", "output_index": index, "delta": delta})
}

fn end(kind: &str, response: Value) -> Value {
    Value::from_iter([("type", json!(format!("response.{kind}"))), ("response", response)])
}

#[test]
fn e03_how_it_ended_and_what_was_said_make_the_stop_reason() {
    let completed =
        end("completed", json!({"status": "completed", "incomplete_details": null, "error": null}));
    let incomplete =
        |reason| end("incomplete", json!({"status": "incomplete", "incomplete_details": {"reason": reason}}));
    let refusal = json!({"type": "response.refusal.delta", "output_index": 0, "delta": "no"});
    for (said, end, expect) in [
        (text("a"), completed.clone(), "end_turn"),
        (call("done", 0, "c", "{}"), completed.clone(), "tool_use"),
        (call("done", 0, "c", "{\"a\":"), completed.clone(), "max_tokens"),
        (text("a"), incomplete("max_output_tokens"), "max_tokens"),
        (text("a"), incomplete("content_filter"), "refusal"),
        (refusal, completed.clone(), "refusal"),
    ] {
        assert_eq!(told(&[created(), said.clone(), end]).stop_reason.as_deref(), Some(expect), "{said}");
    }
}

#[test]
fn e08_arguments_are_told_once_whether_they_come_in_pieces_or_at_the_end() {
    let completed = end("completed", json!({}));
    for events in [
        vec![
            call("added", 0, "c", ""),
            arguments(0, "{\"a\""),
            arguments(0, ":1}"),
            call("done", 0, "c", "{\"a\":1}"),
        ],
        vec![call("added", 0, "c", ""), call("done", 0, "c", "{\"a\":1}")],
        vec![call("added", 0, "c", "{\"a\":1}"), call("done", 0, "c", "{\"a\":1}")],
        vec![call("done", 0, "c", "{\"a\":1}")],
    ] {
        let events: Vec<Value> = [created()].into_iter().chain(events).chain([completed.clone()]).collect();
        let heard = told(&events);
        assert_eq!(heard.blocks, [json!({"type": "tool_use", "id": "c", "name": "t", "input": "{\"a\":1}"})]);
    }
}

#[test]
fn c07_only_the_provider_ends_an_answer() {
    assert_eq!(told(&[created(), text("a")]).end, End::Open);
    assert_eq!(told(&[]).end, End::Open);
    let failed = json!({"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "slow"}});
    for (event, kind) in [
        (end("failed", failed), "rate_limit_error"),
        (end("failed", json!({"status": "failed"})), "api_error"),
        (json!({"type": "error", "code": "server_error", "message": "a", "param": null}), "api_error"),
        (
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "a"}}),
            "invalid_request_error",
        ),
        (json!({"error": {"code": "context_length_exceeded", "message": "a"}}), "invalid_request_error"),
        (json!({"type": "response.output_item.done"}), "api_error"),
    ] {
        let heard = told(&[created(), text("a"), event.clone(), text("b"), end("completed", json!({}))]);
        let End::Error(error) = heard.end else { panic!("{event} is no end") };
        assert_eq!(error["type"], kind, "{error}");
    }
}

#[test]
fn an_error_with_a_status_of_success_is_one() {
    for (body, status) in [
        (r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"},"status":"failed"}"#, 429),
        (r#"{"status":"failed","error":null}"#, 502),
        ("<html>", 502),
    ] {
        assert_eq!(whole(body.as_bytes(), true).unwrap_err().status, status, "{body}");
    }
}

#[test]
fn a_limit_below_what_the_provider_takes_is_raised_and_tools_are_strict_only_if_they_were() {
    let body = json!({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "a"}],
        "tools": [{"name": "t", "input_schema": {"type": "object"}}]});
    let made = request(body.to_string().as_bytes(), None).unwrap();
    let made: Value = serde_json::from_slice(&made).unwrap();
    assert_eq!((&made["max_output_tokens"], &made["tools"][0]["strict"]), (&json!(16), &json!(false)));
    assert_eq!(made["store"], false);
}
