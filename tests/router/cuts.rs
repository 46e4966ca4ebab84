//! Answers that break off: told as an error on a route, passed on as they are on the default upstream.

use std::time::Duration;

use crate::support::lab::{EVENTS, RECORDED};
use crate::support::{Lab, RawUpstream, Wire, chunk};

const ROUTED: &str = "reviewer@glm/glm-5";

/// How an upstream leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Leave {
    /// FIN within a chunked body.
    Fin,
    /// RST.
    Reset,
    /// The chunked body's regular end.
    End,
    /// FIN, where that is the only end that there is.
    Close,
}

/// What a client gets of a stream of which only `sent` came: the body, and whether it was ended.
async fn relayed(
    lab: &Lab,
    upstream: &RawUpstream,
    model: &str,
    sent: &[u8],
    leave: Leave,
) -> (Vec<u8>, bool) {
    let mut client = lab.client().await;
    client.write(lab.post(&[], format!(r#"{{"model":"{model}"}}"#))).await;
    let mut peer = upstream.accept().await;
    let head = peer.head().await;
    peer.body(&head).await;
    let head = if leave == Leave::Close {
        EVENTS.replace("transfer-encoding: chunked\r\n", "")
    } else {
        EVENTS.into()
    };
    let framed = if leave == Leave::Close || sent.is_empty() { sent.to_vec() } else { chunk(sent) };
    peer.write([head.as_bytes(), &framed].concat()).await;
    let head = client.head().await;
    assert_eq!(head.status(), 200);
    let begin = if sent.is_empty() { Vec::new() } else { client.stream(sent.len()).await };
    match leave {
        Leave::Reset => peer.reset(),
        Leave::End => peer.write("0\r\n\r\n").await,
        Leave::Fin | Leave::Close => drop(peer),
    }
    let (rest, whole) = client.what_comes(&head).await;
    ([begin, rest].concat(), whole)
}

/// The events of a stream as a client reads them: name and data. An event without data is none.
fn events(body: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(body);
    let (mut events, mut name, mut data) = (Vec::new(), String::new(), None::<String>);
    for line in text.split('\n') {
        if let Some(value) = line.strip_prefix("event:") {
            value.trim().clone_into(&mut name);
        } else if let Some(value) = line.strip_prefix("data:") {
            data = Some(data.map_or_else(|| value.trim().to_owned(), |data| data + "\n" + value));
        } else if line.is_empty() {
            let (name, data) = (std::mem::take(&mut name), data.take());
            events.extend(data.map(|data| (name, data)));
        }
    }
    assert!(data.is_none(), "an event without an end");
    events
}

#[tokio::test]
async fn c07_a_route_that_dies_at_any_byte_ends_in_one_error_event() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    // From here on `message_stop` is whole: only ends of lines are missing.
    let said = RECORDED.len() - 2;
    let (mut all, mut ok) = (0, 0);
    for (leave, step) in [(Leave::Fin, 1), (Leave::Reset, 11), (Leave::End, 11), (Leave::Close, 11)] {
        for cut in (0..=RECORDED.len()).rev().step_by(step) {
            all += 1;
            let (body, whole) = relayed(&lab, &upstream, ROUTED, &RECORDED[..cut], leave).await;
            assert!(whole, "{leave:?} at {cut}: the answer has an end");
            assert!(body.starts_with(&RECORDED[..cut]), "what came before is passed on");
            if cut >= said {
                assert!(body == RECORDED[..cut], "{leave:?} at {cut}: all was said");
                ok += 1;
                continue;
            }
            let events = events(&body);
            let (name, data) = events.last().expect("an event");
            let error: serde_json::Value = serde_json::from_str(data).expect("JSON");
            assert_eq!((&**name, &error["error"]["type"]), ("error", &"api_error".into()), "{leave:?} {cut}");
            assert!(error["error"]["message"].as_str().expect("text").contains("glm/glm-5: "));
            assert_eq!(events.iter().filter(|(name, _)| name == "error").count(), 1);
        }
    }
    assert_eq!(lab.settled("glm/glm-5").await, [all, 0, ok, 0, all - ok, 0, 0]);
}

#[tokio::test]
async fn c07_on_the_default_upstream_the_abort_itself_is_passed_on() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    for leave in [Leave::Fin, Leave::Reset] {
        for cut in (0..RECORDED.len() - 2).step_by(7) {
            let (body, whole) = relayed(&lab, &upstream, "claude-opus-5", &RECORDED[..cut], leave).await;
            assert!(!whole, "{leave:?} at {cut}: no end is made up");
            assert!(body == RECORDED[..cut], "and no byte either");
        }
    }
    let row = lab.row("default");
    assert_eq!((row.ok, row.in_flight, row.upstream_error), (0, 0, row.requests));
}

#[tokio::test]
async fn c07_what_came_before_an_abort_arrives_even_if_both_come_at_once() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    for _ in 0..50 {
        let mut client = lab.client().await;
        client.write(lab.post(&[], r#"{"model":"claude-opus-5"}"#)).await;
        let mut peer = upstream.accept().await;
        let head = peer.head().await;
        peer.body(&head).await;
        peer.write([EVENTS.as_bytes(), &chunk(&RECORDED[..500])].concat()).await;
        drop(peer);
        let head = client.head().await;
        let (body, whole) = client.what_comes(&head).await;
        assert!(body == RECORDED[..500] && !whole);
    }
}

#[tokio::test]
async fn c07_a_stream_that_has_said_its_error_gets_no_second_one() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    let said = b"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n";
    for leave in [Leave::Fin, Leave::Reset, Leave::End, Leave::Close] {
        let (body, whole) = relayed(&lab, &upstream, ROUTED, said, leave).await;
        assert_eq!((body.escape_ascii().to_string(), whole), (said.escape_ascii().to_string(), true));
    }
    assert_eq!(lab.settled("glm/glm-5").await, [4, 0, 0, 0, 4, 0, 0]);
}

#[tokio::test]
async fn c15_each_cut_is_told_with_its_route_and_without_its_content() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    let sent = b"event: message_start\ndata: {\"type\":\"message_start\",\"x\":\"canary\"}\n\n";
    for (leave, fault) in [
        (Leave::Fin, "unexpected eof during chunk size line"),
        (Leave::Reset, "connection reset"),
        (Leave::Close, "the stream ended before its last event"),
    ] {
        relayed(&lab, &upstream, ROUTED, sent, leave).await;
        let logs = lab.logs.text().to_lowercase();
        let line = logs.lines().rfind(|line| line.contains("an answer was cut")).expect("a line").to_owned();
        assert!(line.contains("warn") && line.contains(fault), "{leave:?}: {line}");
        for field in
            ["route=\"glm/glm-5\"", "status=200", "events=1", "http2=false", &format!("bytes={}", sent.len())]
        {
            assert!(line.contains(field), "{field}: {line}");
        }
    }
    let (_, whole) = relayed(&lab, &upstream, ROUTED, sent, Leave::End).await;
    assert!(whole);
    assert_eq!(lab.logs.count(&["WARN"]), 4);
}

#[tokio::test]
async fn c15_who_closed_first_is_told_with_the_last_event_and_the_providers_request_id() {
    let upstream = RawUpstream::bind().await;
    for (closer, level, want) in [
        ("upstream FIN", "WARN", "by=Provider fault=\"error reading a body"),
        ("upstream RST", "WARN", "by=Provider fault=\"error reading a body"),
        ("client", "DEBUG", "by=Client fault=\"the client hung up\""),
        ("shutdown", "DEBUG", "by=Us fault=\"the router was stopped\""),
    ] {
        let mut lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
        let mut client = lab.client().await;
        client.write(lab.post(&[], format!(r#"{{"model":"{ROUTED}"}}"#))).await;
        let mut peer = upstream.accept().await;
        let head = peer.head().await;
        peer.body(&head).await;
        let head = EVENTS.replace("\r\n\r\n", "\r\nrequest-id: req_7\r\n\r\n");
        peer.write([head.as_bytes(), &chunk(&RECORDED[..900])].concat()).await;
        client.head().await;
        client.stream(900).await;
        match closer {
            "upstream FIN" => drop(peer),
            "upstream RST" => peer.reset(),
            "client" => drop(client),
            _ => lab.stop(Duration::ZERO).await,
        }
        lab.settled("glm/glm-5").await;
        let logs = lab.logs.text();
        let told =
            |line: &&str| line.contains("an answer was cut") || line.contains("an answer was given up");
        let line = logs.lines().find(told).expect("a line");
        assert!(line.contains(level) && line.contains(want), "{closer}: {line}");
        for field in ["last_event=content_block_stop", "silent_ms=", "request_id=\"req_7\""] {
            assert!(line.contains(field), "{field}: {line}");
        }
    }
}

#[tokio::test]
async fn c16_a_mangled_stream_harms_nothing_else() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    let mut other = lab.client().await;
    other.write(lab.post(&[], format!(r#"{{"model":"{ROUTED}"}}"#))).await;
    let mut peer = upstream.accept().await;
    peer.head().await;
    peer.write(EVENTS).await;
    let head = other.head().await;
    let mut random = 0x2545_f491_u32;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % limit
    };
    for round in 0..200 {
        let mut mangled = RECORDED.to_vec();
        let at = below(mangled.len());
        match round % 4 {
            0 => mangled.truncate(at),
            1 => mangled.insert(at, b'\n'),
            2 => mangled[at] = 0,
            _ => drop(mangled.splice(at..at, std::iter::repeat_n(b' ', 4000))),
        }
        let (body, whole) = relayed(&lab, &upstream, ROUTED, &mangled, Leave::End).await;
        assert!(whole && body.starts_with(&mangled));
    }
    peer.write([chunk(RECORDED), b"0\r\n\r\n".to_vec()].concat()).await;
    assert_eq!(other.body(&head).await, RECORDED);
    let row = lab.row("glm/glm-5");
    assert_eq!((row.requests, row.in_flight), (201, 0));
}

#[tokio::test]
async fn c07_a_json_answer_that_is_cut_is_an_aborted_connection_on_a_route_too() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    let mut client: Wire = lab.client().await;
    client.write(lab.post(&[], format!(r#"{{"model":"{ROUTED}"}}"#))).await;
    let mut peer = upstream.accept().await;
    let head = peer.head().await;
    peer.body(&head).await;
    peer.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"type\":")
        .await;
    let head = client.head().await;
    assert_eq!(client.raw(8).await, b"{\"type\":");
    drop(peer);
    assert_eq!(client.what_comes(&head).await, (Vec::new(), false));
    assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 0, 0, 1, 0, 0]);
}
