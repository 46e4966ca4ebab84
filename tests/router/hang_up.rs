//! The client goes: so does the upstream's work, at once.

use std::time::Duration;

use crate::support::lab::{EVENTS, RECORDED};
use crate::support::{Lab, RawUpstream, Wire, chunk};

const MODELS: [(&str, &str); 2] = [("claude-opus-5", "default"), ("reviewer@glm/glm-5", "glm/glm-5")];

/// How a client leaves.
#[derive(Debug, Clone, Copy)]
enum Leave {
    Fin,
    Reset,
}

impl Leave {
    fn end(self, client: Wire) {
        match self {
            Self::Fin => drop(client),
            Self::Reset => client.reset(),
        }
    }
}

/// The upstream sees the end within a second.
async fn released(mut peer: Wire) {
    let gone = tokio::time::timeout(Duration::from_secs(1), peer.gone()).await;
    assert!(gone.is_ok(), "the upstream still works");
}

#[tokio::test]
async fn r18_c05_a_client_that_hangs_up_before_the_first_byte_frees_the_upstream() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for (model, route) in MODELS {
        for leave in [Leave::Fin, Leave::Reset] {
            let mut client = lab.client().await;
            client.write(lab.post(&[], format!(r#"{{"model":"{model}"}}"#))).await;
            let mut peer = upstream.accept().await;
            let head = peer.head().await;
            peer.body(&head).await;
            assert_eq!(lab.row(route).in_flight, 1);
            leave.end(client);
            released(peer).await;
        }
        assert_eq!(lab.settled(route).await, [2, 0, 0, 0, 0, 2, 0]);
    }
}

#[tokio::test]
async fn r18_c05_a_client_that_hangs_up_within_the_stream_frees_the_upstream() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for (model, route) in MODELS {
        for leave in [Leave::Fin, Leave::Reset] {
            let mut client = lab.client().await;
            client.write(lab.post(&[], format!(r#"{{"model":"{model}"}}"#))).await;
            let mut peer = upstream.accept().await;
            let head = peer.head().await;
            peer.body(&head).await;
            let sent = &RECORDED[..900];
            peer.write([EVENTS.as_bytes(), &chunk(sent)].concat()).await;
            client.head().await;
            client.stream(sent.len()).await;
            leave.end(client);
            released(peer).await;
        }
        assert_eq!(lab.settled(route).await, [2, 0, 0, 0, 0, 2, 0]);
        let row = lab.row(route);
        assert_eq!((row.input_tokens, row.output_tokens), (28, 2), "what was used is known");
    }
}

#[tokio::test]
async fn r18_a_client_that_hangs_up_within_its_own_body_frees_the_upstream() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for (model, route) in MODELS {
        for leave in [Leave::Fin, Leave::Reset] {
            let mut client = lab.client().await;
            let begin = format!(r#"{{"model":"{model}","messages":["#);
            client.write(lab.request("POST /v1/messages", &["content-length: 5000"], &begin)).await;
            let mut peer = upstream.accept().await;
            peer.head().await;
            leave.end(client);
            released(peer).await;
        }
        assert_eq!(lab.settled(route).await, [2, 0, 0, 0, 0, 2, 0]);
    }
}

#[tokio::test]
async fn r18_a_client_that_hangs_up_within_a_body_that_is_held_has_cancelled() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::setup(&upstream.url()).provider("glm", &upstream.url()).agent("reviewer", "glm/glm-5");
    let lab = lab.config("[routes.\"glm/glm-5\"]\nconcurrency = 1").start().await;
    for leave in [Leave::Fin, Leave::Reset] {
        let mut client = lab.client().await;
        let begin = r#"{"model":"reviewer@glm/glm-5","messages":["#;
        client.write(lab.request("POST /v1/messages", &["content-length: 5000"], begin)).await;
        leave.end(client);
    }
    lab.until(|row| row.cancelled == 2).await;
    assert_eq!(lab.counts("glm/glm-5"), [2, 0, 0, 0, 0, 2, 0]);
}

#[tokio::test]
async fn r18_a_client_that_hangs_up_before_its_model_reaches_nobody() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    let mut client = lab.client().await;
    client.write(lab.request("POST /v1/messages", &["content-length: 5000"], r#"{"messages":["#)).await;
    client.finish().await;
    client.gone().await;
    assert!(!lab.meter.used());
}

#[tokio::test]
async fn c05_a_client_that_hangs_up_after_an_error_event_was_failed_by_its_provider() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    let said = b"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";
    for (model, route) in MODELS {
        let mut client = lab.client().await;
        client.write(lab.post(&[], format!(r#"{{"model":"{model}"}}"#))).await;
        let mut peer = upstream.accept().await;
        let head = peer.head().await;
        peer.body(&head).await;
        peer.write([EVENTS.as_bytes(), &chunk(said)].concat()).await;
        client.head().await;
        client.stream(said.len()).await;
        drop(client);
        released(peer).await;
        assert_eq!(lab.settled(route).await, [1, 0, 0, 0, 1, 0, 0]);
    }
}
