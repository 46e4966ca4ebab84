//! Connections and the router itself: how they begin, are used again, and end.

use std::pin::Pin;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::{Request, Response};
use subagents::launch::assembly::bind;
use subagents::router::{Control, ControlBody};
use tokio::task::JoinSet;

use crate::support::lab::{EVENTS, RECORDED, answer, message};
use crate::support::{AutoUpstream, Lab, RawUpstream, chunk, soon};

const MODELS: [&str; 2] = ["claude-opus-5", "reviewer@glm/glm-5"];

fn body(model: &str) -> String {
    format!(r#"{{"model":"{model}"}}"#)
}

#[tokio::test]
async fn h07_a_connection_serves_one_answer_after_the_other_whatever_its_framing() {
    let stream = [EVENTS.as_bytes(), &chunk(RECORDED), b"0\r\n\r\n"].concat();
    for whole in [message(), stream, answer("200 OK", &[], ""), b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()] {
        let shown = whole.escape_ascii().to_string();
        let upstream = AutoUpstream::start(move |_| whole.clone()).await;
        let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
        for _ in 0..5 {
            let mut client = lab.client().await;
            client.write(lab.post(&["connection: close"], body(MODELS[1]))).await;
            client.head().await;
            client.gone().await;
        }
        assert_eq!((upstream.seen().len(), upstream.connections()), (5, 1), "{shown}");
    }
}

#[tokio::test]
async fn h07_an_idle_connection_that_its_upstream_closed_costs_no_request() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for model in MODELS {
        let mut client = lab.client().await;
        for _ in 0..5 {
            client.write(lab.post(&[], body(model))).await;
            let mut peer = upstream.accept().await;
            let head = peer.head().await;
            peer.body(&head).await;
            peer.write(message()).await;
            assert_eq!(client.answer().await.0.status(), 200);
        }
    }
    assert_eq!(lab.settled("default").await, [5, 0, 5, 0, 0, 0, 0]);
    assert_eq!(lab.settled("glm/glm-5").await, [5, 0, 5, 0, 0, 0, 0]);
}

#[tokio::test]
async fn r5_an_upstream_that_wants_its_connection_closed_is_dialled_anew() {
    let last = answer("200 OK", &["connection: close", "content-type: application/json"], "{}");
    let upstream = AutoUpstream::start(move |_| last.clone()).await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    for model in MODELS {
        for _ in 0..3 {
            assert_eq!(lab.ask(lab.post(&[], body(model))).await.0.status(), 200);
        }
    }
    assert_eq!((upstream.seen().len(), upstream.connections()), (6, 6));
}

#[tokio::test]
async fn b11_two_requests_sent_at_once_on_one_connection_are_answered_in_turn() {
    let upstream = AutoUpstream::start(|seen| answer("200 OK", &[], &seen.body)).await;
    let lab = Lab::setup(&upstream.url()).start().await;
    let mut client = lab.client().await;
    client.write([lab.post(&[], "{\"n\":1}"), lab.post(&[], "{\"n\":2}")].concat()).await;
    assert_eq!(client.answer().await.1, b"{\"n\":1}");
    assert_eq!(client.answer().await.1, b"{\"n\":2}");
}

#[tokio::test]
async fn r12_a_shutdown_lets_what_is_in_flight_end_and_takes_nothing_new() {
    let upstream = RawUpstream::bind().await;
    let mut lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    let mut idle = lab.client().await;
    let mut client = lab.client().await;
    client.write(lab.post(&[], body(MODELS[1]))).await;
    let mut peer = upstream.accept().await;
    peer.write([EVENTS.as_bytes(), &chunk(&RECORDED[..500])].concat()).await;
    let head = client.head().await;
    client.stream(500).await;
    let (port, rest) = (lab.port, &RECORDED[500..]);
    let end = async {
        idle.gone().await;
        assert!(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err(), "nobody listens");
        peer.write([chunk(rest), b"0\r\n\r\n".to_vec()].concat()).await;
        assert_eq!(client.body(&head).await, rest);
    };
    soon("a shutdown", async { tokio::join!(lab.stop(Duration::from_mins(10)), end) }).await;
    assert_eq!(lab.counts("glm/glm-5"), [1, 0, 1, 0, 0, 0, 0]);
}

#[tokio::test]
async fn r12_a_shutdown_is_bounded_and_cuts_what_does_not_end() {
    let upstream = RawUpstream::bind().await;
    let mut lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    let mut clients = Vec::new();
    for model in MODELS {
        let mut client = lab.client().await;
        client.write(lab.post(&[], body(model))).await;
        let peer = upstream.accept().await;
        clients.push((client, peer));
    }
    let mut half = lab.client().await;
    half.write("POST /s/").await;
    let begin = Instant::now();
    lab.stop(Duration::from_millis(200)).await;
    assert!(begin.elapsed() < Duration::from_secs(2));
    for (mut client, mut peer) in clients {
        client.gone().await;
        peer.gone().await;
    }
    half.gone().await;
    assert_eq!(lab.counts("default"), [1, 0, 0, 0, 0, 1, 0]);
    assert_eq!(lab.counts("glm/glm-5"), [1, 0, 0, 0, 0, 1, 0]);
}

#[tokio::test]
async fn h03_twenty_routers_live_side_by_side_and_a_taken_port_is_named() {
    let upstream = AutoUpstream::ok().await;
    let mut labs = Vec::new();
    for _ in 0..20 {
        labs.push(Lab::setup(&upstream.url()).start().await);
    }
    let mut ports: Vec<u16> = labs.iter().map(|lab| lab.port).collect();
    let error = bind(ports[3]).await.expect_err("the port is taken");
    assert!(error.to_string().contains(&format!("127.0.0.1:{}", ports[3])), "{error}");
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports.len(), 20);
    while let Some(mut lab) = labs.pop() {
        lab.stop(Duration::from_secs(1)).await;
        for other in &labs {
            assert_eq!(other.ask(other.post(&[], "{}")).await.0.status(), 200);
        }
    }
}

/// Fails as no handler should.
struct Broken;

impl Control for Broken {
    fn call<'a>(
        &'a self,
        path: &'a str,
        _: Request<Incoming>,
    ) -> Pin<Box<dyn Future<Output = Response<ControlBody>> + Send + 'a>> {
        Box::pin(async move { panic!("asked for {path}") })
    }
}

#[tokio::test]
async fn h07_a_panic_in_one_handler_stops_no_other() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::setup(&upstream.url()).control(Broken).start().await;
    let mut client = lab.client().await;
    client.write(lab.post(&[], body(MODELS[0]))).await;
    let mut peer = upstream.accept().await;
    let host = format!("Host: 127.0.0.1:{}", lab.port);
    let mut broken = JoinSet::new();
    for _ in 0..5 {
        let mut client = lab.client().await;
        client.write(format!("GET /.subagents/x HTTP/1.1\r\n{host}\r\n\r\n")).await;
        broken.spawn(async move { client.gone().await });
    }
    broken.join_all().await;
    peer.write(message()).await;
    assert_eq!(client.answer().await.0.status(), 200);
    assert_eq!(lab.ask(lab.request("HEAD /", &["connection: close"], "")).await.0.status(), 200);
}
