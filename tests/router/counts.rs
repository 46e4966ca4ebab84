//! `count_tokens` on routes whose provider has no such call.

use tokio::task::JoinSet;

use crate::support::lab::{answer, message};
use crate::support::{AutoUpstream, Lab, chunk};

const TARGET: &str = "/v1/messages/count_tokens?beta=true";

/// A body of 400 bytes.
fn body() -> String {
    let body = r#"{"model":"reviewer@glm/glm-5","messages":"%"}"#;
    body.replace('%', &"x".repeat(401 - body.len()))
}

#[tokio::test]
async fn d03_a_route_that_cannot_count_is_asked_once_and_answered_for_by_an_estimate() {
    let json = &["content-type: application/json"][..];
    for whole in [
        answer("404 Not Found", json, r#"{"error":{"message":"Invalid URL"}}"#),
        answer("405 Method Not Allowed", &[], ""),
        answer("501 Not Implemented", &[], ""),
        answer("200 OK", json, "{}"),
        answer("200 OK", json, r#"{"error":"Unexpected endpoint. Returning 200 anyway"}"#),
        answer("200 OK", json, r#"{"input_tokens":"7"}"#),
        answer("200 OK", &["content-type: text/html"], "<html>"),
        answer("200 OK", &["content-type: text/html"], "<p>".repeat(100_000)),
    ] {
        let upstream = AutoUpstream::start(move |_| whole.clone()).await;
        let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
        for _ in 0..3 {
            let (head, got) = lab.ask(lab.post_to(TARGET, &[], body())).await;
            assert_eq!((head.status(), got), (200, br#"{"input_tokens":100}"#.to_vec()));
            assert_eq!(head.one("content-type"), Some("application/json"));
        }
        let chunked = [chunk(body()), b"0\r\n\r\n".to_vec()].concat();
        let request = lab.request(&format!("POST {TARGET}"), &["transfer-encoding: chunked"], chunked);
        assert_eq!(lab.ask(request).await.1, br#"{"input_tokens":100}"#);
        assert_eq!(upstream.seen().len(), 1);
        assert_eq!(lab.counts("glm/glm-5"), [0, 0, 0, 0, 0, 0, 4]);
    }
}

#[tokio::test]
async fn j07_an_estimate_learns_from_what_was_used_on_that_very_route() {
    // Its tokens are shorter than most.
    let upstream = AutoUpstream::start(|seen| {
        let usage = |tokens| format!(r#"{{"type":"message","stop_reason":"end_turn","usage":{{"input_tokens":{tokens},"cache_read_input_tokens":100,"output_tokens":2}}}}"#);
        if seen.head.first.contains("count_tokens") {
            answer("404 Not Found", &[], "{}")
        } else {
            answer("200 OK", &["content-type: application/json"], usage(45))
        }
    })
    .await;
    let lab = Lab::setup("http://127.0.0.1:9")
        .provider("glm", &upstream.url())
        .agent("reviewer", "glm/glm-5")
        .agent("other", "glm/glm-6")
        .start()
        .await;
    let count = async |body: String| -> u64 {
        let (_, got) = lab.ask(lab.post_to(TARGET, &[], body)).await;
        let got: serde_json::Value = serde_json::from_slice(&got).unwrap();
        got["input_tokens"].as_u64().unwrap()
    };
    assert_eq!(count(body()).await, 100, "four bytes each");
    for _ in 0..3 {
        lab.ask(lab.post(&[], body())).await;
    }
    let estimate = count(body()).await;
    assert!((131..=159).contains(&estimate), "{estimate}");
    let other = body().replace("reviewer@glm/glm-5", "other@glm/glm-6");
    assert_eq!(count(other).await, 99, "another model's tokens are others");
}

#[tokio::test]
async fn c14_fifty_counts_at_once_ask_such_a_route_three_times_at_most() {
    let upstream = AutoUpstream::start(|seen| {
        if seen.head.first.contains("count_tokens") { answer("404 Not Found", &[], "{}") } else { message() }
    })
    .await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    let mut clients = JoinSet::new();
    for _ in 0..50 {
        let (mut client, request) = (lab.client().await, lab.post_to(TARGET, &[], body()));
        clients.spawn(async move {
            client.write(request).await;
            client.answer().await.1
        });
    }
    for got in clients.join_all().await {
        assert_eq!(got, br#"{"input_tokens":100}"#);
    }
    assert!((1..=3).contains(&upstream.seen().len()), "{}", upstream.seen().len());
    assert!(message().ends_with(&lab.ask(lab.post(&[], body())).await.1), "inference goes on");
}

#[tokio::test]
async fn c14_what_is_no_final_no_passes_and_is_asked_again() {
    let headers = ["content-type: application/json", "retry-after: 3"];
    let upstream = AutoUpstream::start(move |_| answer("429 Too Many Requests", &headers, "{\"a\":1}")).await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    for _ in 0..5 {
        let (head, got) = lab.ask(lab.post_to(TARGET, &[], body())).await;
        assert_eq!((head.status(), head.one("retry-after"), got), (429, Some("3"), b"{\"a\":1}".to_vec()));
    }
    assert_eq!(upstream.seen().len(), 5);
}

#[tokio::test]
async fn d03_a_route_that_counts_is_believed_and_the_default_upstream_is_never_answered_for() {
    let counts = "HTTP/1.1 200 OK\r\nX-Mine: 1\r\ntransfer-encoding: chunked\r\n\r\n";
    let counts = [counts.as_bytes(), &chunk(" {\"input_tokens\": 7}"), b"0\r\n\r\n"].concat();
    let route = AutoUpstream::start(move |_| counts.clone()).await;
    let default = AutoUpstream::start(|_| answer("404 Not Found", &[], "no")).await;
    let lab = Lab::with_route(&default.url(), &route.url()).await;
    for _ in 0..3 {
        let (head, got) = lab.ask(lab.post_to(TARGET, &[], body())).await;
        assert_eq!((head.one("x-mine"), got), (Some("1"), b" {\"input_tokens\": 7}".to_vec()));
        let (head, got) = lab.ask(lab.post_to(TARGET, &[], r#"{"model":"claude-opus-5"}"#)).await;
        assert_eq!((head.status(), got), (404, b"no".to_vec()));
    }
    assert_eq!((route.seen().len(), default.seen().len()), (3, 3));
}
