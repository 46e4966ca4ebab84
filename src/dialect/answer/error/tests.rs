//! Errors of many providers, as Claude Code reads them.

use serde_json::{Value, json};

use super::*;

fn told(status: u16, body: &str) -> (u16, String, String) {
    let answer = error(status, body.as_bytes());
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(body["type"], "error");
    let word = |key: &str| body["error"][key].as_str().unwrap().to_owned();
    (answer.status, word("type"), word("message"))
}

#[test]
fn c12_every_status_keeps_its_class_and_has_anthropics_type() {
    for (status, kind) in [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (405, "invalid_request_error"),
        (413, "request_too_large"),
        (422, "invalid_request_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (502, "api_error"),
        (503, "overloaded_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ] {
        let body = json!({"error": {"message": "no"}}).to_string();
        assert_eq!(told(status, &body), (status, kind.to_owned(), "no".to_owned()));
    }
}

#[test]
fn e10_the_providers_message_is_kept_whatever_its_shape() {
    for (body, message) in [
        (
            r#"{"error":{"message":"Unknown parameter: 'x'.","type":"invalid_request_error","param":"x","code":"unknown_parameter"}}"#,
            "Unknown parameter: 'x'. (code: unknown_parameter, type: invalid_request_error, param: x)",
        ),
        (r#"{"error":"model 'x' not found"}"#, "model 'x' not found"),
        (r#"{"error":{"message":"a","code":null,"type":"","param":null}}"#, "a"),
        (
            r#"{"object":"error","message":"a","type":"BadRequestError","code":400}"#,
            "a (code: 400, type: BadRequestError)",
        ),
        (r#"{"error":{"object":"error","message":"a","code":40001}}"#, "a (code: 40001)"),
        (r#"{"detail":"Not Found"}"#, "Not Found"),
        (
            r#"{"detail":[{"loc":["body","tools"],"msg":"field required"}]}"#,
            r#"[{"loc":["body","tools"],"msg":"field required"}]"#,
        ),
        (
            r#"[{"error":{"code":400,"message":"a","status":"INVALID_ARGUMENT"}}]"#,
            "a (code: 400, type: INVALID_ARGUMENT)",
        ),
        (
            r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":\"tools\"}","provider_name":"X"}}}"#,
            r#"Provider returned error: {"error":"tools"} (code: 400)"#,
        ),
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"a"}}"#,
            "a (type: overloaded_error)",
        ),
        (r#"{"odd":1}"#, r#"{"odd":1}"#),
        ("upstream  connect\nerror", "upstream connect error"),
        ("<html><head><title>502 Bad\nGateway</title></head><body>x</body></html>", "502 Bad Gateway"),
        ("<!doctype html><p>Go <b>away</b></p>", "Go away"),
        ("", "no message"),
    ] {
        assert_eq!(told(400, body).2, message, "{body}");
    }
}

#[test]
fn a_page_is_cut_to_a_line() {
    assert_eq!(told(500, &"x ".repeat(5000)).2.len(), 500);
}

#[test]
fn a_prompt_that_is_too_long_is_told_in_the_words_on_which_claude_code_compacts() {
    for body in [
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        r#"{"error":{"message":"a","code":"context_length_exceeded"}}"#,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":4096}}"#,
        r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072","type":"invalid_request_error"}}"#,
        r#"{"error":{"message":"Please reduce the length of the messages or completion."}}"#,
        r#"{"object":"error","message":"Prompt contains 40000 tokens, too large for a model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}"#,
        r#"{"error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}"#,
        r#"[{"error":{"code":400,"message":"The input token count (1100000) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}]"#,
    ] {
        for status in [400, 413, 500] {
            let (status, kind, message) = told(status, body);
            assert_eq!((status, kind.as_str()), (400, "invalid_request_error"), "{body}");
            assert!(message.starts_with("prompt is too long: "), "{message}");
        }
    }
}

#[test]
fn a_limit_that_is_too_high_makes_no_prompt_too_long() {
    let body = r#"{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 16384 tokens and your request has 5 input tokens."}}"#;
    assert!(told(400, body).2.starts_with('\''));
}

#[test]
fn without_a_status_line_the_providers_words_decide() {
    for (error, status) in [
        (json!({"message": "a", "code": 502}), 502),
        (json!({"message": "a", "code": "429"}), 429),
        (json!({"message": "a", "code": "rate_limit_exceeded"}), 429),
        (json!({"message": "a", "type": "server_error"}), 500),
        (json!({"message": "a", "type": "server_error", "code": "server_is_overloaded"}), 529),
        (json!({"message": "a", "type": "invalid_request_error"}), 400),
        (json!("a"), 500),
    ] {
        assert_eq!(Fault::Told(Complaint::of(&json!({"error": error}))).answer().status, status, "{error}");
    }
}
