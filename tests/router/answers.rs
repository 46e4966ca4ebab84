//! What comes back when it is not a plain 200: an upstream's own words, or ours.

use std::io::Write;

use crate::support::lab::{RECORDED, answer};
use crate::support::{AutoUpstream, Lab, RawUpstream, Refusing, TOKEN};

const MODELS: [&str; 2] = ["claude-opus-5", "reviewer@glm/glm-5"];

fn body(model: &str) -> String {
    format!(r#"{{"model":"{model}"}}"#)
}

fn packed(coding: &str, bytes: &[u8]) -> Vec<u8> {
    match coding {
        "gzip" => {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(bytes).expect("memory");
            gzip.finish().expect("memory")
        }
        "zstd" => zstd::encode_all(bytes, 1).expect("memory"),
        // Any bytes will do where only the relay is looked at.
        _ => bytes.iter().map(|byte| byte ^ 0x5a).collect(),
    }
}

#[tokio::test]
async fn c03_a_compressed_answer_is_relayed_as_it_is_whatever_its_status() {
    let json = br#"{"type":"message","usage":{"input_tokens":5,"output_tokens":7}}"#;
    for coding in ["gzip", "zstd", "br", "deflate"] {
        for (status, kind, plain) in [
            ("200 OK", "application/json", &json[..]),
            ("200 OK", "text/event-stream", RECORDED),
            ("400 Bad Request", "application/json", json),
            ("404 Not Found", "application/json", json),
            ("529 Overloaded", "application/json", json),
        ] {
            let bytes = packed(coding, plain);
            let headers = [&*format!("Content-Type: {kind}"), &*format!("content-Encoding: {coding}")];
            let whole = answer(status, &headers, &bytes);
            let upstream = AutoUpstream::start(move |_| whole.clone()).await;
            let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
            for model in MODELS {
                let (head, got) = lab.ask(lab.post(&[], body(model))).await;
                assert_eq!(head.first, format!("HTTP/1.1 {status}"));
                assert_eq!(head.one("content-encoding"), Some(coding));
                assert_eq!(head.one("content-length"), Some(&*bytes.len().to_string()));
                assert!(got == bytes, "{coding} {status}");
            }
        }
    }
}

#[tokio::test]
async fn c03_usage_is_read_out_of_compressed_streams_too() {
    for coding in ["gzip", "zstd"] {
        let headers = ["content-type: text/event-stream", &*format!("content-encoding: {coding}")];
        let whole = answer("200 OK", &headers, packed(coding, RECORDED));
        let upstream = AutoUpstream::start(move |_| whole.clone()).await;
        let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
        lab.ask(lab.post(&[], body("reviewer@glm/glm-5"))).await;
        assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 1, 0, 0, 0, 0], "{coding}");
        assert_eq!(lab.row("glm/glm-5").output_tokens, 42);
    }
}

#[tokio::test]
async fn c12_refusals_pass_verbatim_and_nothing_is_tried_again() {
    let headers = [
        "Content-Type: application/json",
        "Retry-After: 7",
        "X-Should-Retry: true",
        "anthropic-ratelimit-unified-status: rejected",
        "anthropic-ratelimit-unified-reset: 1790000000",
        "Request-Id: req_x",
    ];
    let text = br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_x"}"#;
    for (status, client_errors) in [
        ("400 Bad Request", 1),
        ("401 Unauthorized", 1),
        ("403 Forbidden", 1),
        ("404 Not Found", 1),
        ("413 Payload Too Large", 1),
        ("429 Too Many Requests", 1),
        ("500 Internal Server Error", 0),
        ("529 Site is overloaded", 0),
    ] {
        let whole = answer(status, &headers, text);
        let upstream = AutoUpstream::start(move |_| whole.clone()).await;
        let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
        for (model, route) in MODELS.into_iter().zip(["default", "glm/glm-5"]) {
            let (head, got) = lab.ask(lab.post(&[], body(model))).await;
            assert_eq!((&head.first, got), (&format!("HTTP/1.1 {status}"), text.to_vec()));
            for header in headers {
                let (name, value) = header.split_once(": ").expect("a header");
                assert_eq!(head.one(name), Some(value));
                assert!(head.fields.iter().any(|(field, _)| field == name), "{name} in its case");
            }
            let want = [1, 0, 0, client_errors, 1 - client_errors, 0, 0];
            assert_eq!(lab.settled(route).await, want, "{status}");
        }
        assert_eq!(upstream.seen().len(), 2);
    }
}

/// A client that follows a redirect sends the prompt and its own headers on: only the default upstream, whose
/// headers they are, may ask for that.
#[tokio::test]
async fn r13_redirects_are_handed_to_the_client_by_the_default_upstream_and_never_by_a_route() {
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let elsewhere = AutoUpstream::ok().await;
        let location = format!("Location: {}/v1/messages?key=canary", elsewhere.url());
        let whole = answer(status, &[&location], "");
        let upstream = AutoUpstream::start(move |_| whole.clone()).await;
        let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
        let (head, _) = lab.ask(lab.post(&[], body("claude-opus-5"))).await;
        assert_eq!(head.first, format!("HTTP/1.1 {status}"));
        assert_eq!(head.one("location"), location.strip_prefix("Location: "));
        for target in ["/v1/messages", "/v1/messages/count_tokens"] {
            let (head, got) = lab.ask(lab.post_to(target, &[], body("reviewer@glm/glm-5"))).await;
            let sent = (head.status(), head.one("location"), head.one("x-should-retry"));
            assert_eq!(sent, (502, None, Some("false")));
            let json: serde_json::Value = serde_json::from_slice(&got).expect("JSON");
            assert_eq!(json["error"]["type"], "api_error");
            let message = json["error"]["message"].as_str().expect("text");
            assert!(
                message.ends_with("glm/glm-5: the provider redirects; set base_url to its final address")
            );
        }
        assert_eq!((upstream.seen().len(), elsewhere.seen().len()), (3, 0));
        assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 0, 0, 1, 0, 1]);
    }
}

#[tokio::test]
async fn r10_an_upstream_that_is_down_is_a_502_that_names_the_route_and_no_address() {
    let down = Refusing::new();
    let lab = Lab::with_route(&down.url(), &down.url()).await;
    // Where nobody listens, a route says so at once; on the default upstream the client decides for itself.
    let ways = [("default", None), ("glm/glm-5", Some("false"))];
    for (model, (route, again)) in MODELS.into_iter().zip(ways) {
        let headers = ["authorization: Bearer canary"];
        let (head, got) = lab.ask(lab.post(&headers, body(model))).await;
        assert_eq!((head.status(), head.one("content-type")), (502, Some("application/json")));
        assert_eq!(head.one("x-should-retry"), again);
        let json: serde_json::Value = serde_json::from_slice(&got).expect("JSON");
        assert_eq!((&json["type"], &json["error"]["type"]), (&"error".into(), &"api_error".into()));
        let message = json["error"]["message"].as_str().expect("text");
        assert!(message.contains(&format!("{route}: no connection")), "{message}");
        for secret in [TOKEN, "canary", "127.0.0.1", "http"] {
            assert!(!message.contains(secret), "{message}");
        }
        assert_eq!(lab.settled(route).await, [1, 0, 0, 0, 1, 0, 0]);
    }
}

#[tokio::test]
async fn r10_an_upstream_that_ends_before_it_answers_is_a_502_too() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for (model, route) in MODELS.into_iter().zip(["default", "glm/glm-5"]) {
        for partial in ["", "HTTP/1.1 200 O", "no http\r\n\r\n"] {
            let mut client = lab.client().await;
            client.write(lab.post(&[], body(model))).await;
            let mut peer = upstream.accept().await;
            let head = peer.head().await;
            peer.body(&head).await;
            peer.write(partial).await;
            drop(peer);
            let (head, got) = client.answer().await;
            assert_eq!(head.status(), 502, "{partial:?}");
            let text = String::from_utf8(got).expect("text");
            assert!(text.contains(&format!("{route}: the provider ended the exchange")), "{text}");
        }
        assert_eq!(lab.settled(route).await, [3, 0, 0, 0, 3, 0, 0]);
    }
}
