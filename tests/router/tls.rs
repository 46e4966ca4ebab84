//! Providers behind TLS, and those that speak HTTP/2.

use crate::support::h2::{FIRST_EVENT, Http2Upstream};
use crate::support::lab::{EVENTS, RECORDED, message};
use crate::support::tls::SelfSigned;
use crate::support::{Lab, RawUpstream, chunk, soon};

const ROUTED: &str = r#"{"model":"reviewer@glm/glm-5"}"#;

/// A router with `reviewer` on a TLS provider, and `more` in that provider's section.
async fn lab(url: &str, more: &str) -> Lab {
    Lab::setup("http://127.0.0.1:9")
        .config(&format!("[providers.glm]\nbase_url = \"{url}\"\n{more}"))
        .config(&format!("[providers.strict]\nbase_url = \"{url}\""))
        .agent("reviewer", "glm/glm-5")
        .agent("critic", "strict/glm-5")
        .start()
        .await
}

#[tokio::test]
async fn r11_a_self_signed_certificate_is_accepted_where_the_provider_says_so_and_nowhere_else() {
    let certificate = SelfSigned::new(&["http/1.1"]);
    let upstream = RawUpstream::bind().await;
    let url = format!("https://127.0.0.1:{}", upstream.port());
    let ca_file = format!("ca_file = {:?}", certificate.ca_file());
    for accepts in ["verify_tls = false", &ca_file] {
        let lab = lab(&url, accepts).await;
        let mut client = lab.client().await;
        client.write(lab.post(&[], ROUTED)).await;
        let mut peer = certificate.accept(upstream.accept().await).await;
        let head = peer.head().await;
        assert_eq!(peer.body(&head).await, br#"{"model":"glm-5"}"#);
        assert_eq!(head.one("host"), Some(&*format!("127.0.0.1:{}", upstream.port())));
        peer.write(message()).await;
        assert_eq!(client.answer().await.0.status(), 200);

        client.write(lab.post(&[], r#"{"model":"critic@strict/glm-5"}"#)).await;
        let refused = certificate.acceptor().accept(upstream.accept().await.into_stream());
        let (refused, (head, body)) = tokio::join!(refused, client.answer());
        assert!(refused.is_err(), "no request leaves");
        let text = String::from_utf8(body).expect("text");
        assert_eq!(head.status(), 502);
        assert!(text.contains("strict/glm-5") && text.contains("certificate"), "{text}");
    }
}

#[tokio::test]
async fn r11_a_ca_file_that_does_not_fit_is_a_502_that_names_it() {
    let upstream = RawUpstream::bind().await;
    let lab = lab(&format!("https://127.0.0.1:{}", upstream.port()), "ca_file = \"/nowhere/ca.pem\"").await;
    let (head, body) = lab.ask(lab.post(&[], ROUTED)).await;
    let text = String::from_utf8(body).expect("text");
    assert_eq!(head.status(), 502);
    assert!(text.contains("glm/glm-5") && text.contains("ca_file /nowhere/ca.pem"), "{text}");
}

#[tokio::test]
async fn r9_r18_a_stream_over_tls_passes_event_by_event_and_ends_with_its_client() {
    let certificate = SelfSigned::new(&["http/1.1"]);
    let upstream = RawUpstream::bind().await;
    let lab = lab(&format!("https://127.0.0.1:{}", upstream.port()), "verify_tls = false").await;
    let mut client = lab.client().await;
    client.write(lab.post(&[], ROUTED)).await;
    let mut peer = certificate.accept(upstream.accept().await).await;
    let head = peer.head().await;
    peer.body(&head).await;
    peer.write(EVENTS).await;
    client.head().await;
    for event in RECORDED.split_inclusive(|&byte| byte == b'\n').take(9) {
        peer.write(chunk(event)).await;
        assert_eq!(client.stream(event.len()).await, event);
    }
    drop(client);
    tokio::time::timeout(std::time::Duration::from_secs(1), peer.gone()).await.expect("within a second");
    assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 0, 0, 0, 1, 0]);
}

#[tokio::test]
async fn b03_r6_over_http2_the_same_headers_and_bytes_arrive_on_one_connection() {
    let certificate = SelfSigned::new(&["h2", "http/1.1"]);
    let upstream = Http2Upstream::start(&certificate).await;
    let provider = format!(
        "[providers.glm]\nbase_url = \"{}/api\"\nverify_tls = false\n\
         auth = {{ kind = \"bearer\", secret = \"env:KEY\" }}",
        upstream.url()
    );
    let lab = Lab::setup("http://127.0.0.1:9")
        .config(&provider)
        .agent("reviewer", "glm/glm-5")
        .env("KEY", "canary-key")
        .start()
        .await;
    let headers = [
        "Authorization: Bearer canary-of-the-client",
        "Connection: x-hop",
        "X-Hop: 1",
        "anthropic-beta: a",
        "Anthropic-Beta: b",
        "X-Empty:",
    ];
    let mut client = lab.client().await;
    for _ in 0..3 {
        client.write(lab.post_to("/v1/messages?beta=true", &headers, ROUTED)).await;
        let (head, body) = client.answer().await;
        assert_eq!(head.first, "HTTP/1.1 200 OK");
        assert!(body.starts_with(br#"{"type":"message""#));
    }
    let chunked = [chunk(ROUTED), b"0\r\n\r\n".to_vec()].concat();
    lab.ask(lab.request("POST /v1/messages", &["Transfer-Encoding: chunked"], chunked)).await;
    let seen = upstream.seen();
    assert_eq!((seen.len(), upstream.connections()), (4, 1));
    for (parts, body) in &seen {
        assert_eq!(&body[..], br#"{"model":"glm-5"}"#);
        assert!(parts.uri.path() == "/api/v1/messages" && parts.uri.authority().is_some());
        assert_eq!(parts.headers["authorization"], "Bearer canary-key");
        assert!(!parts.headers.contains_key("x-hop") && !parts.headers.contains_key("host"));
    }
    let betas: Vec<_> = seen[0].0.headers.get_all("anthropic-beta").iter().collect();
    assert_eq!(betas, ["a", "b"]);
    assert_eq!(seen[0].0.headers["x-empty"], "");
    assert_eq!(seen[0].0.headers["content-length"], "17");
    assert_eq!(lab.settled("glm/glm-5").await, [4, 0, 4, 0, 0, 0, 0]);
}

#[tokio::test]
async fn r18_over_http2_a_client_that_hangs_up_ends_its_own_request_and_no_other() {
    let certificate = SelfSigned::new(&["h2"]);
    let upstream = Http2Upstream::start(&certificate).await;
    let lab = lab(&upstream.url(), "verify_tls = false").await;
    let mut client = lab.client().await;
    client.write(lab.post(&["x-hold: 1"], ROUTED)).await;
    let arrived = async {
        while upstream.seen().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    soon("the request", arrived).await;
    drop(client);
    tokio::time::timeout(std::time::Duration::from_secs(1), upstream.released()).await.expect("in a second");
    assert_eq!(lab.ask(lab.post(&[], ROUTED)).await.0.status(), 200);
    assert_eq!((lab.settled("glm/glm-5").await, upstream.connections()), ([2, 0, 1, 0, 0, 1, 0], 1));
}

#[tokio::test]
async fn c07_over_http2_a_stream_whose_last_frame_ends_it_too_early_ends_in_an_error_event() {
    let certificate = SelfSigned::new(&["h2"]);
    let upstream = Http2Upstream::start(&certificate).await;
    let lab = lab(&upstream.url(), "verify_tls = false").await;
    let mut client = lab.client().await;
    for _ in 0..2 {
        client.write(lab.post(&["x-cut: 1"], ROUTED)).await;
        let (_, body) = client.answer().await;
        let text = String::from_utf8(body).expect("text");
        let farewell = text.strip_prefix(FIRST_EVENT).expect("what was sent");
        assert!(farewell.starts_with("event: error\ndata: {\"type\":\"error\""), "{farewell}");
        assert!(farewell.contains("before its last event") && farewell.ends_with("}\n\n"));
    }
    assert_eq!((lab.settled("glm/glm-5").await, upstream.connections()), ([2, 0, 0, 0, 2, 0, 0], 1));
}

#[tokio::test]
async fn over_http2_a_peer_that_is_gone_without_a_word_is_given_up() {
    let certificate = SelfSigned::new(&["h2"]);
    let upstream = Http2Upstream::start(&certificate).await;
    let lab = lab(&upstream.url(), "verify_tls = false").await;
    let mut client = lab.client().await.timeless();
    client.write(lab.post(&["x-hold: 1"], ROUTED)).await;
    let arrived = async {
        while upstream.seen().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    soon("the request", arrived).await;
    upstream.freeze();
    tokio::time::pause();
    let begin = tokio::time::Instant::now();
    let (head, _) = client.answer().await;
    assert!((20..=45).contains(&begin.elapsed().as_secs()), "{:?}", begin.elapsed());
    tokio::time::resume();
    assert_eq!(head.status(), 502);
    assert_eq!(lab.ask(lab.post(&[], ROUTED)).await.0.status(), 200);
    assert_eq!((lab.settled("glm/glm-5").await, upstream.connections()), ([2, 0, 1, 0, 1, 0, 0], 2));
}

#[tokio::test]
async fn c13_a_provider_that_never_finishes_its_handshake_is_given_up_and_named() {
    let upstream = RawUpstream::bind().await;
    let url = format!("https://127.0.0.1:{}", upstream.port());
    let lab = lab(&url, "verify_tls = false\ntimeouts = { connect = 0.2 }").await;
    let (head, body) = lab.ask(lab.post(&[], ROUTED)).await;
    let text = String::from_utf8(body).expect("text");
    assert_eq!(head.status(), 502);
    assert!(text.contains("glm/glm-5: no connection: nobody answered within"), "{text}");
    assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 0, 0, 1, 0, 0]);
}
