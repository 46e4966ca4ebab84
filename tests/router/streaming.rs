//! Bytes pass as they come, both ways.

use std::time::Duration;

use crate::support::lab::{EVENTS, RECORDED};
use crate::support::{AutoUpstream, Lab, RawUpstream, Wire, chunk};

const MODELS: [&str; 2] = ["claude-opus-5", "reviewer@glm/glm-5"];

/// A client whose request has reached the upstream, and that upstream's end.
async fn asked(lab: &Lab, upstream: &RawUpstream, model: &str) -> (Wire, Wire) {
    let mut client = lab.client().await;
    client.write(lab.post(&[], format!(r#"{{"model":"{model}","stream":true}}"#))).await;
    let mut peer = upstream.accept().await;
    let head = peer.head().await;
    peer.body(&head).await;
    (client, peer)
}

#[tokio::test]
async fn r9_the_client_has_the_first_event_before_the_upstream_makes_the_second() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for model in MODELS {
        let (mut client, mut peer) = asked(&lab, &upstream, model).await;
        peer.write(EVENTS).await;
        let head = client.head().await;
        assert_eq!(head.one("content-type"), Some("text/event-stream; charset=utf-8"));
        let events: Vec<&[u8]> = RECORDED.split_inclusive(|&byte| byte == b'\n').collect();
        for event in &events {
            peer.write(chunk(event)).await;
            assert_eq!(client.stream(event.len()).await, *event);
        }
        peer.write("0\r\n\r\n").await;
        assert_eq!(client.body(&head).await, b"");
    }
    for (route, want) in [("default", [1, 0, 1, 0, 0, 0, 0]), ("glm/glm-5", [1, 0, 1, 0, 0, 0, 0])] {
        assert_eq!(lab.settled(route).await, want);
        let row = lab.row(route);
        let tokens = [row.input_tokens, row.output_tokens, row.cache_read_tokens, row.cache_write_tokens];
        assert_eq!(tokens, [14, 42, 9000, 120]);
    }
}

#[tokio::test]
async fn r9_events_that_are_there_at_once_go_on_as_one_piece_and_their_end_is_not_lost() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for model in MODELS {
        let (mut client, mut peer) = asked(&lab, &upstream, model).await;
        let events = RECORDED.split_inclusive(|&byte| byte == b'\n').flat_map(chunk);
        let all: Vec<u8> = EVENTS.bytes().chain(events).chain(*b"0\r\n\r\n").collect();
        peer.write(all).await;
        client.head().await;
        assert!(RECORDED.len() < 8 * 1024, "more is sent in several");
        let want = [format!("{:X}\r\n", RECORDED.len()).as_bytes(), RECORDED, b"\r\n0\r\n\r\n"].concat();
        assert_eq!(client.raw(want.len()).await, want);
    }
    assert_eq!(lab.settled("default").await, [1, 0, 1, 0, 0, 0, 0]);
    assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 1, 0, 0, 0, 0]);
}

#[tokio::test]
async fn r9_the_upstream_has_the_first_bytes_before_the_client_sends_the_rest() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for model in MODELS {
        let mut client = lab.client().await;
        let begin = format!(r#"{{"model":"{model}","messages":["#);
        let length = format!("content-length: {}", begin.len() + 7);
        client.write(lab.request("POST /v1/messages", &[&length], &begin)).await;
        let mut peer = upstream.accept().await;
        peer.head().await;
        let sent = begin.replace("reviewer@glm/", "");
        assert_eq!(peer.raw(sent.len()).await, sent.as_bytes());
        client.write("\"hi\"").await;
        assert_eq!(peer.raw(4).await, b"\"hi\"");
        client.write("]} ").await;
        assert_eq!(peer.raw(3).await, b"]} ");
        peer.write(crate::support::lab::message()).await;
        assert_eq!(client.answer().await.0.status(), 200);
    }
}

#[tokio::test]
async fn r9_an_answer_may_begin_before_its_request_has_ended() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for model in MODELS {
        let mut client = lab.client().await;
        let begin = format!(r#"{{"model":"{model}","messages":["#);
        let length = format!("content-length: {}", begin.len() + 2);
        client.write(lab.request("POST /v1/messages", &[&length], &begin)).await;
        let mut peer = upstream.accept().await;
        peer.head().await;
        peer.write([EVENTS.as_bytes(), &chunk(RECORDED)].concat()).await;
        let head = client.head().await;
        assert_eq!(client.stream(RECORDED.len()).await, RECORDED);
        peer.raw(begin.replace("reviewer@glm/", "").len()).await;
        client.write("]}").await;
        assert_eq!(peer.raw(2).await, b"]}");
        peer.write("0\r\n\r\n").await;
        assert_eq!(client.body(&head).await, b"");
    }
}

#[tokio::test]
async fn c09_characters_that_are_cut_anywhere_arrive_whole() {
    let upstream = AutoUpstream::start(|seen| {
        let cut: usize = seen.head.one("x-cut").expect("a place").parse().expect("a number");
        let (one, other) = RECORDED.split_at(cut);
        let one = if one.is_empty() { Vec::new() } else { chunk(one) };
        [EVENTS.as_bytes(), &one, &chunk(other), b"0\r\n\r\n"].concat()
    })
    .await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for (model, step) in MODELS.into_iter().zip([7, 1]) {
        let mut client = lab.client().await;
        for cut in (0..RECORDED.len()).step_by(step) {
            let at = format!("x-cut: {cut}");
            client.write(lab.post(&[&at], format!(r#"{{"model":"{model}"}}"#))).await;
            assert!(client.answer().await.1 == RECORDED, "cut at {cut}");
        }
    }
    let row = lab.row("glm/glm-5");
    assert_eq!((row.ok, row.output_tokens), (RECORDED.len() as u64, 42 * RECORDED.len() as u64));
}

#[tokio::test(start_paused = true)]
async fn c13_c01_a_model_may_think_for_twenty_minutes_and_its_silence_is_filled_on_routes_only() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    let mut client = lab.client().await.timeless();
    client.write(lab.post(&[], r#"{"model":"reviewer@glm/glm-5"}"#)).await;
    let mut peer = upstream.accept_ever().await.timeless();
    let head = peer.head().await;
    peer.body(&head).await;
    tokio::time::sleep(Duration::from_mins(20)).await;
    let start = b"event: message_start\ndata: {\"type\":\"message_start\"}\n\n";
    peer.write([EVENTS.as_bytes(), &chunk(start)].concat()).await;
    assert_eq!(client.head().await.status(), 200);
    assert_eq!(client.stream(start.len()).await, start);
    let begin = tokio::time::Instant::now();
    for n in 1..=3 {
        assert_eq!(client.stream(1).await, b"event: ping\ndata: {\"type\": \"ping\"}\n\n");
        assert_eq!(begin.elapsed().as_secs(), 15 * n);
    }
    peer.write(chunk("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")).await;
    assert!(client.stream(1).await.starts_with(b"event: message_stop"));
}
