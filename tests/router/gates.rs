//! What stands before a route: places, budgets, the window; and what takes its place when it fails.

use std::time::Duration;

use serde_json::Value;

use crate::support::lab::{EVENTS, RECORDED, Setup, answer, message};
use crate::support::{AutoUpstream, Lab, RawUpstream, Refusing, Wire, chunk};

const BODY: &str = r#"{"model":"reviewer@glm/glm-5","max_tokens":1}"#;
const STREAM: &str = r#"{"model":"reviewer@glm/glm-5","stream":true}"#;

/// One agent on `glm/glm-5` at `url`, with these settings of the route and whatever follows.
fn setup(url: &str, settings: &str) -> Setup {
    let file = format!("[routes.\"glm/glm-5\"]\n{settings}");
    Lab::setup(url).provider("glm", url).agent("reviewer", "glm/glm-5").config(&file)
}

/// The same with `b/m` at another address in its place.
fn with_other(url: &str, other: &str, settings: &str) -> Setup {
    let more = format!("[policy]\nallowed = [\"b/m\"]\n[providers.b]\nbase_url = \"{other}\"\n");
    setup(url, &format!("fallback = [\"b/m\"]\n{settings}\n{more}"))
}

async fn ask(lab: &Lab, client: &mut Wire, body: &str) -> (u16, String, Value) {
    client.write(lab.post(&[], body)).await;
    let (head, body) = client.answer().await;
    let json: Value = serde_json::from_slice(&body).unwrap_or_default();
    (head.status(), json["error"]["type"].as_str().unwrap_or_default().to_owned(), json)
}

const JSON: &[&str] = &["content-type: application/json"];

#[tokio::test]
async fn a_route_takes_so_many_at_once_and_the_others_wait_in_their_order() {
    let upstream = RawUpstream::bind().await;
    let lab = setup(&upstream.url(), "concurrency = 1\nqueue = 2").start().await;
    let mut clients = Vec::new();
    let mut peer = None;
    for number in 0..3u64 {
        let mut client = lab.client().await;
        client.write(lab.post(&[&format!("x-number: {number}")], BODY)).await;
        clients.push(client);
        if number == 0 {
            let mut first = upstream.accept().await;
            let head = first.head().await;
            assert_eq!(head.one("x-number"), Some("0"));
            first.body(&head).await;
            peer = Some(first);
        }
        lab.until(|row| (row.in_flight, row.queued) == (number + 1, number)).await;
    }
    // The line is full: the next is told so at once, and to come again.
    let mut fourth = lab.client().await;
    let (status, kind, json) = ask(&lab, &mut fourth, BODY).await;
    assert_eq!((status, kind.as_str()), (529, "overloaded_error"));
    assert!(
        json["error"]["message"].as_str().unwrap_or_default().contains("2 requests wait already"),
        "{json}"
    );
    // One who hangs up in the line leaves it.
    drop(clients.pop());
    lab.until(|row| row.queued == 1).await;
    let mut peer = peer.expect("a connection");
    for (number, client) in clients.iter_mut().enumerate() {
        if number > 0 {
            let head = peer.head().await;
            assert_eq!(head.one("x-number"), Some(&*number.to_string()));
            peer.body(&head).await;
        }
        peer.write(message()).await;
        assert_eq!(client.answer().await.0.status(), 200);
    }
    lab.until(|row| (row.in_flight, row.queued, row.ok, row.cancelled) == (0, 0, 2, 1)).await;
}

#[tokio::test(start_paused = true)]
async fn c01_who_waits_for_a_place_or_for_the_first_byte_gets_pings() {
    let upstream = RawUpstream::bind().await;
    let lab = setup(&upstream.url(), "concurrency = 1").start().await;
    let mut first = lab.client().await.timeless();
    first.write(lab.post(&[], STREAM)).await;
    let mut peer = upstream.accept_ever().await.timeless();
    let head = peer.head().await;
    peer.body(&head).await;
    let mut second = lab.client().await.timeless();
    second.write(lab.post(&[], STREAM)).await;
    let mut heads = Vec::new();
    for client in [&mut first, &mut second] {
        let head = client.head().await;
        assert_eq!(
            (head.status(), head.one("content-type")),
            (200, Some("text/event-stream; charset=utf-8"))
        );
        let ping = b"event: ping\ndata: {\"type\": \"ping\"}\n\n";
        assert_eq!(client.stream(ping.len()).await, ping);
        assert_eq!(client.stream(ping.len()).await, ping);
        heads.push(head);
    }
    let closing = EVENTS.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
    let answer = [closing.as_bytes(), &chunk(RECORDED), b"0\r\n\r\n"].concat();
    peer.write(&answer).await;
    assert!(first.body(&heads[0]).await.ends_with(RECORDED));
    let mut peer = upstream.accept_ever().await.timeless();
    let head = peer.head().await;
    peer.body(&head).await;
    peer.write(&answer).await;
    assert!(second.body(&heads[1]).await.ends_with(RECORDED));
    assert_eq!(lab.settled("glm/glm-5").await, [2, 0, 2, 0, 0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_pings_is_told_as_it_was_to_who_asks_again() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    let mut client = lab.client().await.timeless();
    client.write(lab.post(&["x-claude-code-agent-id: a1"], STREAM)).await;
    let mut peer = upstream.accept_ever().await.timeless();
    let head = peer.head().await;
    peer.body(&head).await;
    let head = client.head().await;
    client.stream(10).await;
    let refused = r#"{"type":"error","error":{"type":"invalid_request_error","message":"no such thing"}}"#;
    peer.write(answer("400 Bad Request", JSON, refused)).await;
    let rest = String::from_utf8(client.body(&head).await).expect("text");
    assert!(
        rest.contains("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\""),
        "{rest}"
    );
    // What Claude Code does then: the same again, without a stream.
    client.write(lab.post(&["x-claude-code-agent-id: a1"], STREAM.replace("true", "false"))).await;
    let (head, body) = client.answer().await;
    assert_eq!((head.status(), body), (400, refused.as_bytes().to_vec()));
    assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 0, 1, 0, 0, 0], "the provider was asked once");
    assert_eq!(lab.purse.spent().requests, 1, "and nobody's budget is charged twice");
}

#[tokio::test]
async fn a_budget_refuses_the_next_request_and_names_itself() {
    let upstream = AutoUpstream::start(|_| message()).await;
    let budget = "[budgets.night]\nroute = \"glm/*\"\nrequests = 2";
    let lab = setup(&upstream.url(), budget).start().await;
    let mut client = lab.client().await;
    for _ in 0..2 {
        assert_eq!(ask(&lab, &mut client, BODY).await.0, 200);
    }
    client.write(lab.post(&[], BODY)).await;
    let (head, body) = client.answer().await;
    assert_eq!((head.status(), head.one("x-should-retry")), (403, Some("false")));
    let text = String::from_utf8(body).expect("text");
    assert!(text.contains("`night` (2 requests per session)") && text.contains("glm/glm-5"), "{text}");
    assert_eq!(upstream.seen().len(), 2);
    // The main session never counts.
    assert_eq!(ask(&lab, &mut client, r#"{"model":"claude-opus-5"}"#).await.0, 200);
    assert_eq!(lab.settled("glm/glm-5").await, [3, 0, 2, 1, 0, 0, 0]);
}

#[tokio::test]
async fn j07_a_prompt_beyond_the_window_is_refused_in_the_words_on_which_claude_code_compacts() {
    // What the provider says of its tokens is 1.45 times what four bytes a token make.
    let upstream = AutoUpstream::start(|seen| {
        let tokens = seen.body.len() * 145 / 400;
        answer(
            "200 OK",
            JSON,
            format!(r#"{{"type":"message","usage":{{"input_tokens":{tokens},"output_tokens":1}}}}"#),
        )
    })
    .await;
    let lab = setup(&upstream.url(), "context_window = 10000").start().await;
    let mut client = lab.client().await;
    let body = |bytes: usize| BODY.replace('}', &format!(",\"x\":\"{}\"}}", "x".repeat(bytes)));
    // Before anything is known, four bytes are a token.
    assert_eq!(ask(&lab, &mut client, &body(38_000)).await.0, 200);
    for bytes in [20_000, 25_000] {
        assert_eq!(ask(&lab, &mut client, &body(bytes)).await.0, 200);
    }
    let (status, kind, json) = ask(&lab, &mut client, &body(29_000)).await;
    assert_eq!((status, kind.as_str()), (400, "invalid_request_error"));
    let told = json["error"]["message"].as_str().expect("a message");
    assert!(
        told.starts_with("prompt is too long: 105") && told.contains(" tokens > 10000 maximum"),
        "{told}"
    );
    assert_eq!(upstream.seen().len(), 3);
    // A picture is no text, however long it is.
    let picture = format!("{{\"type\":\"base64\",\"data\":\"{}\"}}", "QUJD".repeat(20_000));
    let (status, ..) = ask(&lab, &mut client, &BODY.replace('}', &format!(",\"x\":{picture}}}"))).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn another_route_takes_the_place_of_one_that_fails_before_it_answers() {
    let other = AutoUpstream::start(|_| message()).await;
    for status in ["500 Oops", "529 Overloaded", "429 Too Many Requests", "503 Later"] {
        let upstream = AutoUpstream::start(move |_| answer(status, JSON, "{}")).await;
        let lab = with_other(&upstream.url(), &other.url(), "").start().await;
        let mut records = lab.meter.records();
        let mut client = lab.client().await;
        assert_eq!(ask(&lab, &mut client, BODY).await.0, 200, "{status}");
        let [first, second] = [records.recv().await.expect("one"), records.recv().await.expect("two")];
        assert_eq!((&*first.route, first.instead_of.as_deref()), ("glm/glm-5", None));
        assert_eq!((&*second.route, second.instead_of.as_deref()), ("b/m", Some("glm/glm-5")));
        assert_eq!(second.upstream_model.as_deref(), Some("m"));
    }
    let body = String::from_utf8(other.seen()[0].body.clone()).expect("text");
    assert_eq!(body, BODY.replace("reviewer@glm/glm-5", "m"), "each gets its own model");
    let refusing = Refusing::new();
    let lab = with_other(&refusing.url(), &other.url(), "").start().await;
    let mut client = lab.client().await;
    assert_eq!(ask(&lab, &mut client, BODY).await.0, 200);
}

#[tokio::test]
async fn c12_what_the_client_did_wrong_is_no_other_routes_affair() {
    let upstream = AutoUpstream::start(|_| answer("400 No", JSON, "{}")).await;
    let other = AutoUpstream::start(|_| message()).await;
    let lab = with_other(&upstream.url(), &other.url(), "").start().await;
    let mut client = lab.client().await;
    assert_eq!(ask(&lab, &mut client, BODY).await.0, 400);
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn the_first_failure_is_told_where_none_does_better() {
    let upstream = AutoUpstream::start(|_| answer("503 Later", JSON, r#"{"first":1}"#)).await;
    let other = AutoUpstream::start(|_| answer("500 Oops", JSON, "{}")).await;
    let lab = with_other(&upstream.url(), &other.url(), "").start().await;
    let mut client = lab.client().await;
    let (status, _, json) = ask(&lab, &mut client, BODY).await;
    assert_eq!((status, json["first"].as_u64()), (503, Some(1)));
    assert_eq!((upstream.seen().len(), other.seen().len()), (1, 1));
}

#[tokio::test]
async fn a_route_that_fails_again_and_again_is_left_alone() {
    let upstream = AutoUpstream::start(|_| answer("500 Oops", JSON, "{}")).await;
    let other = AutoUpstream::start(|_| message()).await;
    let lab = with_other(&upstream.url(), &other.url(), "").start().await;
    let circuit = || serde_json::to_value(lab.row("glm/glm-5").circuit).expect("JSON");
    assert_eq!(circuit(), "closed");
    let mut records = lab.meter.records();
    let mut client = lab.client().await;
    for number in 0..5 {
        assert_eq!(ask(&lab, &mut client, BODY).await.0, 200);
        if number < 3 {
            assert_eq!(records.recv().await.expect("a failure").route, "glm/glm-5");
        }
        let answered = records.recv().await.expect("an answer");
        assert_eq!((&*answered.route, answered.instead_of.as_deref()), ("b/m", Some("glm/glm-5")));
    }
    assert_eq!((upstream.seen().len(), other.seen().len()), (3, 5));
    assert_eq!(circuit(), "open");
    assert_eq!(lab.row("b/m").circuit, None, "nothing takes its place");
}

#[tokio::test(start_paused = true)]
async fn a_route_that_is_silent_for_too_long_has_failed() {
    let upstream = RawUpstream::bind().await;
    let other = AutoUpstream::start(|_| message()).await;
    let lab = with_other(&upstream.url(), &other.url(), "timeouts = { first_byte = 7 }").start().await;
    let mut client = lab.client().await.timeless();
    client.write(lab.post(&[], BODY)).await;
    let mut peer = upstream.accept_ever().await.timeless();
    let head = peer.head().await;
    peer.body(&head).await;
    tokio::time::sleep(Duration::from_secs(8)).await;
    assert_eq!(client.answer().await.0.status(), 200);
    assert_eq!(lab.settled("glm/glm-5").await[4], 1, "an upstream's error");
}
