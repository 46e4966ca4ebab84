//! Sizes and times: what is large passes, what is too large or too slow is told.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use subagents::router::{
    LateFailures, Listener, Meter, Pass, Passes, ProxyVariables, Pulse, Running, Service, Shared, Token,
    Upstream,
};

use crate::support::lab::EVENTS;
use crate::support::{AutoUpstream, Lab, RawUpstream, Refusing, TOKEN, Wire, chunk, soon};

const MIB: usize = 1024 * 1024;

/// A body of exactly `length` bytes, with its model at the begin or at the end.
fn large(length: usize, model: &str, last: bool) -> Vec<u8> {
    let (begin, end) = if last {
        ("{\"messages\":[\"".to_owned(), format!("\"],\"model\":\"{model}\"}}"))
    } else {
        (format!("{{\"model\":\"{model}\",\"messages\":[\""), "\"]}".to_owned())
    };
    let mut body = begin.into_bytes();
    let mut text = b"the quick brown fox jumps over the lazy dog, ".repeat(length / 45 + 1);
    text.truncate(length - body.len() - end.len());
    body.append(&mut text);
    body.extend(end.into_bytes());
    body
}

#[tokio::test]
async fn r17_b09_large_bodies_pass_whole() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for (length, model, last) in [
        (2_100_000, "claude-opus-5", false),
        (10_000_000, "reviewer@glm/glm-5", false),
        (31 * MIB, "claude-opus-5", false),
        (31 * MIB, "reviewer@glm/glm-5", true),
    ] {
        let body = large(length, model, last);
        let (head, _) = lab.ask(lab.post(&[], &body)).await;
        assert_eq!(head.status(), 200);
        let seen = upstream.last().body;
        let want =
            if model.contains('@') { large(length - "reviewer@glm/".len(), "glm-5", last) } else { body };
        assert!(seen == want, "{length} {model}");
    }
}

#[tokio::test]
async fn r17_b09_a_body_that_announces_too_much_is_413_and_no_upstream_is_called() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    let length = usize::try_from(subagents::router::BODY_LIMIT).expect("a size") + 1;
    let mut client = lab.client().await;
    client.write(lab.request("POST /v1/messages", &[&format!("content-length: {length}")], "")).await;
    let piece = vec![b' '; MIB];
    for sent in (0..length).step_by(MIB) {
        client.write(&piece[..MIB.min(length - sent)]).await;
    }
    let (head, body) = client.answer().await;
    assert_eq!((head.status(), head.one("x-should-retry")), (413, Some("false")));
    let json: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(json["error"]["type"], "request_too_large");
    assert!(json["error"]["message"].as_str().expect("text").contains("67108864 bytes"));
    assert!(upstream.seen().is_empty());
}

/// A router with a small limit, and its default upstream.
async fn small(upstream: &RawUpstream, body_limit: u64) -> (u16, Running, Arc<Meter>) {
    let shared = Shared::new(&ProxyVariables::default());
    let base = upstream.url().parse().expect("a base URL");
    let listener = Listener::bind(0).await.expect("a port");
    let port = listener.port();
    let meter = Arc::new(Meter::new(Vec::new()));
    let service = Service {
        passes: Arc::new(Passes::new(
            Token::new(TOKEN).expect("a token"),
            Pass::main(Arc::default(), Arc::default()),
        )),
        port,
        default: Arc::new(Upstream::default("default".to_owned(), base, &shared)),
        routes: HashMap::new(),
        allowances: Arc::default(),
        late: LateFailures::default(),
        pulse: Pulse::default(),
        meter: Arc::clone(&meter),
        control: None,
        body_limit,
    };
    (port, listener.serve(Arc::new(service), shared.tasks), meter)
}

#[tokio::test]
async fn r17_b09_a_chunked_body_over_the_limit_is_413_wherever_its_model_is() {
    let upstream = RawUpstream::bind().await;
    let (port, _running, meter) = small(&upstream, MIB as u64).await;
    let head = format!(
        "POST /s/{TOKEN}/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    for (begin, reaches_upstream) in [("{\"model\":\"m\",\"x\":\"", true), ("{\"x\":\"", false)] {
        let mut client = Wire::connect(port).await;
        client.write([head.as_bytes(), &chunk(begin)].concat()).await;
        let peer = async {
            if reaches_upstream {
                let mut peer = upstream.accept().await;
                let head = peer.head().await;
                let (body, whole) = peer.what_comes(&head).await;
                assert!(!whole && body.len() <= MIB, "nothing over the limit is sent on");
            }
        };
        let ask = async {
            let piece = chunk(vec![b'x'; MIB / 16]);
            for _ in 0..20 {
                client.write(&piece).await;
            }
            client.write("0\r\n\r\n").await;
            let (head, body) = client.answer().await;
            let json: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
            assert_eq!((head.status(), &json["error"]["type"]), (413, &"request_too_large".into()));
        };
        tokio::join!(peer, ask);
    }
    assert_eq!(meter.figures().routes[0].client_error, 1);
}

#[tokio::test]
async fn an_answer_of_ours_waits_for_the_rest_of_a_large_body() {
    let (down, peer) = (Refusing::new(), RawUpstream::bind().await);
    let lab = Lab::setup(&down.url())
        .provider("glm", &down.url())
        .provider("cut", &peer.url())
        .agent("reviewer", "glm/glm-5")
        .agent("critic", "cut/m")
        .start()
        .await;
    lab.callers.started("a1", "reviewer");
    let stray = ["x-claude-code-agent-id: a1", "x-claude-code-request-class: subagent"];
    for (headers, model, status) in [
        (&stray[..], "claude-opus-5", 403),
        (&[], "claude-opus-5", 502),
        (&[], "reviewer@glm/glm-5", 502),
        (&["origin: http://x"], "claude-opus-5", 403),
        (&[], "critic@cut/m", 502),
    ] {
        let request = lab.post(headers, large(2_000_000, model, false));
        let (begin, end) = request.split_at(1_000_000);
        let mut client = lab.client().await;
        client.write(begin).await;
        if model.starts_with("critic") {
            peer.accept().await.reset();
        }
        client.write(end).await;
        assert_eq!(client.answer().await.0.status(), status, "{model}");
        client.write(lab.request("HEAD /", &[], "")).await;
        assert_eq!(client.head().await.status(), 200, "the connection serves on");
    }
}

#[tokio::test]
async fn r5_a_client_that_waits_for_leave_gets_it_here() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    let mut client = lab.client().await;
    let headers = ["Expect: 100-continue", "content-length: 13"];
    client.write(lab.request("POST /v1/messages", &headers, "")).await;
    assert_eq!(client.head().await.first, "HTTP/1.1 100 Continue");
    client.write("{\"model\":\"m\"}").await;
    assert_eq!(client.answer().await.0.status(), 200);
    assert_eq!(upstream.only().head.one("expect"), None);
}

/// `reviewer` on a route with these timeouts.
async fn impatient(upstream: &RawUpstream, timeouts: &str) -> Lab {
    let provider = format!("[providers.glm]\nbase_url = \"{}\"\ntimeouts = {{ {timeouts} }}", upstream.url());
    let setup = Lab::setup("http://127.0.0.1:9").config(&provider);
    setup.agent("reviewer", "glm/glm-5").start().await
}

#[tokio::test]
async fn c13_a_limit_for_the_first_byte_is_one_of_the_users_own() {
    let upstream = RawUpstream::bind().await;
    let lab = impatient(&upstream, "first_byte = 0.2").await;
    let mut client = lab.client().await;
    client.write(lab.post(&[], r#"{"model":"reviewer@glm/glm-5"}"#)).await;
    let mut peer = upstream.accept().await;
    let (head, body) = client.answer().await;
    assert_eq!(head.status(), 504);
    let text = String::from_utf8(body).expect("text");
    assert!(
        text.contains("timeout_error") && text.contains("glm/glm-5") && text.contains("timeouts.first_byte")
    );
    soon("the end of the upstream's work", peer.gone()).await;
    assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 0, 0, 1, 0, 0]);
}

#[tokio::test]
async fn c07_a_route_that_falls_silent_ends_in_an_error_event() {
    let upstream = RawUpstream::bind().await;
    let lab = impatient(&upstream, "idle = 0.2").await;
    let mut client = lab.client().await;
    client.write(lab.post(&[], r#"{"model":"reviewer@glm/glm-5"}"#)).await;
    let mut peer = upstream.accept().await;
    peer.write([EVENTS.as_bytes(), &chunk("event: message_start\ndata: {}\n\n")].concat()).await;
    let (_, body) = client.answer().await;
    let text = String::from_utf8(body).expect("text");
    assert!(text.contains("\n\nevent: error\ndata: {") && text.contains("timeouts.idle"), "{text}");
    tokio::time::timeout(Duration::from_secs(1), peer.gone()).await.expect("the upstream is freed");
    assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 0, 0, 1, 0, 0]);
}
