//! Repairs on the wire: providers that refuse what Claude Code sends, and take it once it is repaired.

use serde_json::{Value, json};

use crate::support::lab::{EVENTS, answer, message};
use crate::support::{AutoUpstream, Lab, Seen, chunk};

const JSON: &[&str] = &["content-type: application/json"];

/// What Claude Code sends, in short, with all that providers stumble over.
fn body() -> Value {
    json!({
        "model": "reviewer@p/m",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]},
            {"role": "system", "content": [{"type": "text", "text": "Note."}]},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "t1", "name": "ToolSearch", "input": {"b": 1, "a": 2}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1",
                "content": [{"type": "tool_reference", "tool_name": "WebFetch"}]}]},
        ],
        "system": [
            {"type": "text", "text": "x-anthropic-billing-header: cc_version=2; cch=71fea;"},
            {"type": "text", "text": "Be kind."},
        ],
        "tools": [{"name": "WebFetch", "input_schema": {"type": "object"}, "defer_loading": true}],
        "max_tokens": 32000,
        "thinking": {"type": "disabled"},
        "context_management": {"edits": []},
        "output_config": {"effort": "high"},
        "stream": true,
    })
}

/// A route `p/m` of this preset at the provider's address, with settings of its own.
async fn lab(url: &str, provider: &str, route: &str) -> Lab {
    let file = format!("[providers.p]\nbase_url = \"{url}\"\n{provider}\n[routes.\"p/m\"]\n{route}");
    Lab::setup(url).config(&file).env("KEY", "canary-key").agent("reviewer", "p/m").start().await
}

fn preset(name: &str) -> String {
    format!("preset = \"{name}\"\nauth = {{ kind = \"none\" }}")
}

async fn send(lab: &Lab, body: &Value) -> (u16, Vec<u8>) {
    let (head, body) = lab.ask(lab.post(&["anthropic-beta: a-1,b-2"], body.to_string())).await;
    (head.status(), body)
}

/// Refuses what a rule finds.
async fn strict(refuse: impl Fn(&Seen) -> Option<&'static str> + Send + Sync + 'static) -> AutoUpstream {
    AutoUpstream::start(move |seen| match refuse(seen) {
        None => message(),
        Some(told) => {
            let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": told}});
            answer("400 Bad Request", JSON, error.to_string())
        }
    })
    .await
}

/// What was sent with the model's name put back.
fn sent(upstream: &AutoUpstream) -> Value {
    let mut sent = upstream.last().json();
    sent["model"] = json!("reviewer@p/m");
    sent
}

#[tokio::test]
async fn b05_the_attribution_goes_from_every_route_and_stays_on_the_default_upstream() {
    let upstream = AutoUpstream::ok().await;
    let lab = lab(&upstream.url(), "", "").await;
    let mut first = None;
    for changing in ["71fea", "00000"] {
        let text = body().to_string().replace("71fea", changing);
        let (head, _) = lab.ask(lab.post(&[], &text)).await;
        assert_eq!(head.status(), 200);
        let seen = upstream.last();
        assert_eq!(seen.body.len() + "reviewer@p/".len(), text.len(), "its length is known beforehand");
        assert_eq!(first.get_or_insert_with(|| seen.body.clone()), &seen.body);
        let mut expect = body();
        expect["system"].as_array_mut().expect("blocks").remove(0);
        assert_eq!(sent(&upstream), expect);
        let main = text.replace("reviewer@p/m", "claude-opus-5");
        lab.ask(lab.post(&[], &main)).await;
        assert_eq!(upstream.last().body, main.as_bytes());
    }
}

#[tokio::test]
async fn d01_a_strict_provider_takes_a_system_turn_once_it_is_folded() {
    let upstream = strict(|seen| {
        let roles = seen.json()["messages"].as_array().expect("turns").clone();
        roles.iter().any(|turn| turn["role"] == "system").then_some("unknown variant `system`")
    })
    .await;
    let plain = lab(&upstream.url(), "", "").await;
    assert_eq!(send(&plain, &body()).await.0, 400);
    let deepseek = lab(&upstream.url(), &preset("deepseek"), "").await;
    assert_eq!(send(&deepseek, &body()).await.0, 200);
    let counted = deepseek.ask(deepseek.post_to("/v1/messages/count_tokens", &[], body().to_string())).await;
    assert_eq!(counted.0.status(), 200, "the same on count_tokens");
}

#[tokio::test]
async fn b07_a_field_that_is_refused_is_named_with_its_repair_and_nothing_is_tried_again() {
    let upstream = strict(|seen| {
        let refused = seen.json().get("context_management").is_some();
        refused.then_some("context_management: Extra inputs are not permitted")
    })
    .await;
    let plain = lab(&upstream.url(), "", "").await;
    let mut records = plain.meter.records();
    let (status, told) = send(&plain, &body()).await;
    let told: Value = serde_json::from_slice(&told).expect("JSON");
    assert_eq!(
        (status, &told["error"]["message"]),
        (400, &json!("context_management: Extra inputs are not permitted"))
    );
    assert_eq!(records.recv().await.expect("a record").mending.as_deref(), Some("drop-context-management"));
    assert_eq!(plain.row("p/m").mending.as_deref(), Some("drop-context-management"), "the summary's source");
    assert_eq!(upstream.seen().len(), 1);
    let mended = lab(&upstream.url(), "", "repairs = { drop-context-management = true }").await;
    assert_eq!(send(&mended, &body()).await.0, 200);
    let mut expect = body();
    expect.as_object_mut().expect("fields").shift_remove("context_management");
    expect["system"].as_array_mut().expect("blocks").remove(0);
    assert_eq!(sent(&upstream), expect);
}

#[tokio::test]
async fn d06_effort_goes_where_thinking_is_switched_off() {
    let upstream = strict(|seen| {
        let body = seen.json();
        let pair = body["thinking"]["type"] == "disabled" && body.get("output_config").is_some();
        pair.then_some("thinking options type cannot be disabled when reasoning_effort is set")
    })
    .await;
    let lab = lab(&upstream.url(), &preset("deepseek"), "").await;
    assert_eq!(send(&lab, &body()).await.0, 200);
    let mut thinks = body();
    thinks["thinking"] = json!({"type": "adaptive"});
    assert_eq!(send(&lab, &thinks).await.0, 200);
    assert_eq!(sent(&upstream)["output_config"]["effort"], "high");
}

#[tokio::test]
async fn d09_references_to_tools_are_text_for_kimi() {
    let upstream = strict(|seen| {
        seen.holds("tool_reference\",")
            .then_some("unsupported content type in ContentBlockParamUnion: tool_reference")
    })
    .await;
    let lab = lab(&upstream.url(), &preset("kimi"), "").await;
    assert_eq!(send(&lab, &body()).await.0, 200);
    let sent = sent(&upstream);
    assert_eq!(sent["messages"][3]["content"][0]["content"][0]["text"], "[tool_reference: WebFetch]");
    assert!(sent["tools"][0].get("defer_loading").is_none());
    // D11: what it has thought stays.
    assert_eq!(sent["messages"][2], body()["messages"][2]);
}

#[tokio::test]
async fn d14_a_foreign_signature_passes_as_it_is() {
    let upstream = AutoUpstream::ok().await;
    let lab = lab(&upstream.url(), "", "repairs = { drop-cache-control = true }").await;
    assert_eq!(send(&lab, &body()).await.0, 200);
    assert_eq!(sent(&upstream)["messages"][2], body()["messages"][2]);
    assert!(!upstream.last().holds("cache_control"));
}

#[tokio::test]
async fn the_beta_header_is_repaired_too() {
    let upstream = AutoUpstream::ok().await;
    let some = lab(&upstream.url(), "", "repairs = { drop-betas = [\"a-1\"] }").await;
    send(&some, &body()).await;
    assert_eq!(upstream.last().head.one("anthropic-beta"), Some("b-2"));
    let all = lab(&upstream.url(), "", "repairs = { drop-betas = true }").await;
    send(&all, &body()).await;
    assert_eq!(upstream.last().head.one("anthropic-beta"), None);
}

#[tokio::test]
async fn d17_a_start_that_is_said_twice_is_said_once() {
    let start = |index: u32| {
        format!(
            "event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{{\"type\":\"text\",\"text\":\"\"}}}}\n\n"
        )
    };
    let delta = |text: &str| {
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
        )
    };
    let begin = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":0}}}\n\n";
    let end = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"input_tokens\":14,\"output_tokens\":2}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let twice = [begin, &start(0), &delta("a"), &start(0), &delta("b"), end].concat();
    let once = [begin, &start(0), &delta("a"), &delta("b"), end].concat();
    let stream = [EVENTS.as_bytes(), &chunk(&twice), b"0\r\n\r\n"].concat();
    let upstream = AutoUpstream::start(move |_| stream.clone()).await;
    let lab = lab(&upstream.url(), "preset = \"llama-cpp\"", "").await;
    let (status, told) = send(&lab, &body()).await;
    assert_eq!((status, String::from_utf8(told).expect("text")), (200, once));
    // D05: the last word of the provider's counts.
    lab.settled("p/m").await;
    assert_eq!((lab.row("p/m").input_tokens, lab.row("p/m").output_tokens), (14, 2));
}
