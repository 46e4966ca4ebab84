//! The default upstream: nothing changes on the way there, and nothing on the way back.

use crate::support::lab::{answer, message};
use crate::support::{AutoUpstream, Lab, RawUpstream, TOKEN, chunk};

/// Headers as Claude Code sends them, and everything that a careless proxy loses.
const CLIENT: &[&str] = &[
    "User-Agent: claude-cli/2.1.300 (external, cli)",
    "Authorization: Bearer sk-ant-oat01-canary",
    "anthropic-version: 2023-06-01",
    "anthropic-beta: claude-code-20250219,oauth-2025-04-20",
    "Anthropic-Beta: interleaved-thinking-2025-05-14",
    "anthropic-dangerous-direct-browser-access: true",
    "X-App: cli",
    "X-Claude-Code-Session-Id: 7a0c3f6e",
    "X-Stainless-Retry-Count: 0",
    "x-StainLess-OS: Linux",
    "Accept-Encoding: gzip, deflate, br, zstd",
    "Content-Type: application/json",
    "Cookie: a=1",
    "x-api-key: canary-of-a-key",
    "X-Empty:",
    "x-latin: caf\u{e9} \u{9ad8}\u{5fb7}",
];

const HOP_BY_HOP: &[&str] = &[
    "Connection: X-Foo, keep-alive",
    "X-foo: dropped",
    "Keep-Alive: timeout=5",
    "TE: trailers",
    "Proxy-Connection: keep-alive",
    "Proxy-Authorization: Basic Zm9v",
    "Upgrade: h2c",
];

#[tokio::test]
async fn b03_a03_r5_r7_every_end_to_end_header_arrives_as_it_was_written() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    let headers: Vec<&str> = HOP_BY_HOP.iter().chain(CLIENT).copied().collect();
    let (head, _) = lab.ask(lab.post(&headers, r#"{"model":"claude-opus-5"}"#)).await;
    assert_eq!(head.status(), 200);
    let seen = upstream.only();
    let field = |line: &&str| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_owned(), value.trim().as_bytes().escape_ascii().to_string())
    };
    let mut want: Vec<_> = CLIENT.iter().map(field).collect();
    want.sort_by_key(|(name, _)| name.to_ascii_lowercase());
    assert_eq!(seen.head.sorted(&["host", "content-length"]), want);
    assert_eq!(seen.head.one("host"), Some(&*format!("127.0.0.1:{}", upstream.port)));
    assert!(!seen.holds(TOKEN), "the token stays here");
}

#[tokio::test]
async fn r8_b01_a_body_for_the_default_upstream_is_not_touched() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::with_route(&upstream.url(), "http://127.0.0.1:9").await;
    for body in [
        &br#" {"zebra":1,"mango":12345678901234567890123,"e":1e5,"model" : "claude-opus-5","a":"\u00e9","a":2} "#[..],
        br#"{"metadata":{"user_id":"{\"device_id\":\"d\"}"},"model":"claude-opus-5[1m]"}"#,
        br#"{"model":"claude-opus-5","model":"reviewer@glm/glm-5"}"#,
        b"{\"model\":\"x\",\"t\":\"\xff\xfe\"}",
        br#"{"model":"claude-opus-5","#,
    ] {
        lab.ask(lab.post(&[], body)).await;
        let seen = upstream.last();
        assert_eq!(seen.body, body);
        assert_eq!(seen.head.one("content-length"), Some(&*body.len().to_string()));
    }
    assert_eq!(lab.settled("default").await, [5, 0, 5, 0, 0, 0, 0]);
}

#[tokio::test]
async fn r3_what_names_no_model_goes_to_the_default_upstream() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::with_route(&upstream.url(), "http://127.0.0.1:9").await;
    let bodies = [
        "",
        "not json",
        "[]",
        "\"reviewer@glm/glm-5\"",
        "{}",
        r#"{"model":null}"#,
        r#"{"model":7}"#,
        r#"{"model":["reviewer@glm/glm-5"]}"#,
        r#"{"model":{"model":"reviewer@glm/glm-5"}}"#,
        r#"{"system":{"model":"reviewer@glm/glm-5"}}"#,
        r#"{"model":"Reviewer@glm/glm-5"}"#,
        r#"{"model":"glm/glm-5"}"#,
        r#"{"model":""}"#,
    ];
    for body in bodies {
        let (head, _) = lab.ask(lab.post(&[], body)).await;
        assert_eq!(head.status(), 200, "{body}");
        assert_eq!(upstream.last().body, body.as_bytes());
    }
    assert_eq!(lab.row("default").requests, bodies.len() as u64);
}

#[tokio::test]
async fn a16_ids_that_nobody_configured_pass_through() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::with_route(&upstream.url(), "http://127.0.0.1:9").await;
    for n in 0..20 {
        let id = ["claude-xyz-", "CLAUDE-HAIKU-", "claude-haiku-4-5-2025100", "gpt-"][n % 4];
        let body = format!(r#"{{"model":"{id}{n}"}}"#);
        for path in ["/v1/messages?beta=true", "/v1/messages/count_tokens?beta=true"] {
            lab.ask(lab.post_to(path, &[], &body)).await;
            let seen = upstream.last();
            assert_eq!((seen.head.first.split(' ').nth(1), seen.body), (Some(path), body.clone().into()));
        }
    }
    assert_eq!(lab.settled("default").await, [20, 0, 20, 0, 0, 0, 20]);
    assert_eq!(lab.counts("glm/glm-5"), [0; 7]);
}

#[tokio::test]
async fn r4_method_path_and_query_are_kept_below_the_bases_own_path() {
    let upstream = AutoUpstream::ok().await;
    for (base, prefix) in [("", ""), ("/", ""), ("/api/anthropic", "/api/anthropic"), ("/a//", "/a")] {
        let lab = Lab::setup(&format!("{}{base}", upstream.url())).start().await;
        for (line, want) in [
            ("GET /v1/models?limit=1000&after=x%2Fy", "GET {}/v1/models?limit=1000&after=x%2Fy"),
            ("POST /v1/messages?beta=true", "POST {}/v1/messages?beta=true"),
            ("DELETE /v1/files/a%20b", "DELETE {}/v1/files/a%20b"),
            ("PUT /x?", "PUT {}/x?"),
            ("POST /v1/v1/messages", "POST {}/v1/messages"),
            ("POST /v1/messages/v1/messages?beta=true", "POST {}/v1/messages?beta=true"),
            ("GET //double/../dots", "GET {}//double/../dots"),
        ] {
            lab.ask(lab.request(line, &["content-length: 0"], "")).await;
            let seen = upstream.last();
            assert_eq!(seen.head.first, format!("{} HTTP/1.1", want.replace("{}", prefix)));
        }
    }
}

#[tokio::test]
async fn r4_a_request_without_a_body_gets_none() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    lab.ask(lab.request("GET /v1/models", &[], "")).await;
    let seen = upstream.only();
    assert!(seen.head.all("transfer-encoding").is_empty() && seen.head.all("content-length").is_empty());
}

#[tokio::test]
async fn r8_a_chunked_body_stays_chunked_and_whole() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for (model, want) in [("claude-opus-5", "claude-opus-5"), ("reviewer@glm/glm-5", "glm-5")] {
        let body = format!(r#"{{"max_tokens":8,"model":"{model}","messages":["{}"]}}"#, "x".repeat(70_000));
        let pieces: Vec<u8> = body.as_bytes().chunks(7_001).flat_map(chunk).collect();
        let body = [pieces.as_slice(), b"0\r\n\r\n"].concat();
        lab.ask(lab.request("POST /v1/messages", &["Transfer-Encoding: chunked"], body)).await;
        let seen = upstream.last();
        assert_eq!(seen.head.one("transfer-encoding"), Some("chunked"));
        assert_eq!(seen.head.one("content-length"), None);
        assert_eq!(seen.json()["model"], want);
        assert_eq!(
            seen.body.len(),
            70_000 + r#"{"max_tokens":8,"model":"","messages":[""]}"#.len() + want.len()
        );
    }
}

#[tokio::test]
async fn r9_b03_an_answers_status_reason_and_headers_come_back_as_they_were_written() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    let mut client = lab.client().await;
    client.write(lab.post(&[], r#"{"model":"claude-opus-5"}"#)).await;
    let mut peer = upstream.accept().await;
    let head = peer.head().await;
    peer.body(&head).await;
    let headers = [
        "Content-Type: application/json",
        "Request-ID: req_1",
        "anthropic-ratelimit-Requests-Remaining: 4",
        "Set-Cookie: a=1",
        "set-cookie: b=2",
        "X-Latin: caf\u{e9}",
        "X-Empty:",
        "Date: Mon, 30 Nov 2026 01:00:00 GMT",
        "Connection: x-hop",
        "X-Hop: dropped",
        "Keep-Alive: timeout=5",
    ];
    peer.write(answer("200 Fine By Me", &headers, "{\"a\" : 1}")).await;
    let (head, body) = client.answer().await;
    assert_eq!(head.first, "HTTP/1.1 200 Fine By Me");
    assert_eq!(body, b"{\"a\" : 1}");
    let kept: Vec<_> = headers[..8].iter().map(|line| line.split_once(':').unwrap()).collect();
    let mut want: Vec<(String, String)> = kept
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.trim().as_bytes().escape_ascii().to_string()))
        .collect();
    want.push(("content-length".to_owned(), "9".to_owned()));
    want.sort_by_key(|(name, _)| name.to_ascii_lowercase());
    assert_eq!(head.sorted(&[]), want);
}

#[tokio::test]
async fn r4_answers_that_have_no_body_keep_their_framing() {
    let upstream = AutoUpstream::start(|seen| match seen.head.first.split(' ').next() {
        Some("HEAD") => b"HTTP/1.1 200 OK\r\nContent-Length: 123\r\n\r\n".to_vec(),
        Some("DELETE") => b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
        _ => message(),
    })
    .await;
    let lab = Lab::setup(&upstream.url()).start().await;
    let mut client = lab.client().await;
    client.write(lab.request("HEAD /v1/models", &[], "")).await;
    let head = client.head().await;
    assert_eq!((head.status(), head.one("content-length")), (200, Some("123")));
    client.write(lab.request("DELETE /v1/files/x", &[], "")).await;
    let head = client.head().await;
    assert_eq!((head.status(), head.all("transfer-encoding").len()), (204, 0));
    client.write(lab.post(&[], "{}")).await;
    assert_eq!(client.answer().await.0.status(), 200, "the connection is in step");
}
