//! A provider that speaks HTTP/2 over TLS, as most of them do.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::provider_servers::{Asked, Reply, like, self_signed, stage_at};

/// Serves on a thread of its own until the process ends. The port, and its certificate as PEM.
fn serve() -> (u16, String) {
    let (mut config, pem): (ServerConfig, String) = self_signed();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(accept(listener, TlsAcceptor::from(Arc::new(config))));
    });
    (port, pem)
}

async fn accept(listener: std::net::TcpListener, acceptor: TlsAcceptor) {
    let listener = TcpListener::from_std(listener).unwrap();
    let mut open = tokio::task::JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let acceptor = acceptor.clone();
        open.spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let served = http2::Builder::new(TokioExecutor::new());
            // A client that has seen enough hangs up.
            let _ = served.serve_connection(TokioIo::new(stream), service_fn(answer)).await;
        });
    }
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    assert_eq!(request.version(), Version::HTTP_2);
    let (head, body) = request.into_parts();
    let headers = head.headers.iter();
    let asked = Asked {
        method: head.method.to_string(),
        target: head.uri.path_and_query().unwrap().to_string(),
        headers: headers
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect(),
        body: serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap_or_default(),
    };
    let (status, kind, text) = match like("kimi")(&asked) {
        Reply::Json(status, value) => (status, "application/json", value.to_string()),
        Reply::Events(events) => (200, "text/event-stream", events),
        _ => (500, "text/plain", String::new()),
    };
    Ok(Response::builder().status(status).header("content-type", kind).body(Full::from(text)).unwrap())
}

#[test]
fn a_provider_that_speaks_http2_lists_and_answers() {
    let (port, pem) = serve();
    let stage = stage_at("kimi", &format!("https://127.0.0.1:{port}/anthropic")).with("config/ca.pem", &pem);
    stage.run(&["provider", "set", "p", "ca_file", "ca.pem"]).ok();
    let ran = stage.run(&["provider", "test", "p", "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let report = ran.json("provider-test");
    assert_eq!(report["trial"]["route"], "p/kimi-k2.6");
    for check in ["streaming", "tools", "count_tokens", "thinking", "system_turn"] {
        assert_eq!(report["trial"]["checks"][check]["verdict"], "works", "{check}");
    }
}
