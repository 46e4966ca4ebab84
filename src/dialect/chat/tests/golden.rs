//! Whole exchanges, both ways, in `testdata/`: what goes in is written by hand, what comes out is a snapshot beside it.

use serde_json::Value;

use super::*;

/// Compares with the snapshot of that name.
fn golden(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => "../testdata",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!(name, text) });
}

/// In the order in which it stands.
fn pretty(json: &[u8]) -> String {
    let value: Value = serde_json::from_slice(json).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

fn check_request(name: &str, body: &str, options: ChatOptions) {
    golden(name, &pretty(&request(body.as_bytes(), options).unwrap()));
}

/// Snapshots what is made of a stream, and cuts it at every byte.
fn check_stream(name: &str, sse: &str) {
    let whole = rewritten(stream(), &[sse.as_bytes()]);
    heard(&whole);
    for cut in 0..=sse.len() {
        let (one, other) = sse.as_bytes().split_at(cut);
        assert_eq!(rewritten(stream(), &[one, other]), whole, "cut at {cut}");
    }
    let bytes: Vec<&[u8]> = sse.as_bytes().chunks(1).collect();
    assert_eq!(rewritten(stream(), &bytes), whole);
    golden(name, std::str::from_utf8(&whole).unwrap());
}

const ALL: ChatOptions = ChatOptions {
    limit: LimitField::MaxCompletionTokens,
    effort: Some(Effort::High),
    thinking: Some(ThinkingField::ReasoningContent),
};

#[test]
fn requests() {
    let plain = ChatOptions::default();
    check_request("text-request", include_str!("../testdata/text-request.json"), plain);
    check_request("tools-request", include_str!("../testdata/tools-request.json"), plain);
    check_request("images-request", include_str!("../testdata/images-request.json"), plain);
    check_request("thinking-request", include_str!("../testdata/thinking-request.json"), ALL);
}

#[test]
fn c09_streams_cut_at_every_byte() {
    check_stream("text-stream", include_str!("../testdata/text-stream.sse"));
    check_stream("tools-stream", include_str!("../testdata/tools-stream.sse"));
    check_stream("thinking-stream", include_str!("../testdata/thinking-stream.sse"));
    check_stream("error-stream", include_str!("../testdata/error-stream.sse"));
    check_stream("refusal-stream", include_str!("../testdata/refusal-stream.sse"));
}

#[test]
fn wholes() {
    let body = include_bytes!("../testdata/whole.json");
    golden("whole-message", &pretty(&whole(body, false).unwrap()));
    let events = whole(body, true).unwrap();
    heard(&events);
    golden("whole-events", std::str::from_utf8(&events).unwrap());
}

#[test]
fn errors() {
    let answer = error(400, include_bytes!("../testdata/error.json"));
    assert_eq!(answer.status, 400);
    golden("error", &pretty(&answer.body));
}
