//! An upstream that speaks HTTP/2 over TLS.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::http::request::Parts;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::tls::SelfSigned;
use super::upstream::RawUpstream;

type Requests = Arc<Mutex<Vec<(Parts, Bytes)>>>;

/// Answers each request by a short message, and remembers it. One with `x-hold` is never answered; one with
/// `x-cut` gets an event stream whose only frame of data is the end too.
#[derive(Debug)]
pub(crate) struct Http2Upstream {
    port: u16,
    seen: Requests,
    connections: Arc<AtomicUsize>,
    released: Arc<Notify>,
    frozen: Arc<Notify>,
    _task: JoinSet<()>,
}

impl Http2Upstream {
    pub(crate) async fn start(certificate: &SelfSigned) -> Self {
        let listener = RawUpstream::bind().await;
        let port = listener.port();
        let (seen, connections) = (Requests::default(), Arc::new(AtomicUsize::new(0)));
        let released = Arc::new(Notify::new());
        let frozen = Arc::new(Notify::new());
        let (free, freeze) = (Arc::clone(&released), Arc::clone(&frozen));
        let (kept, count, acceptor) = (Arc::clone(&seen), Arc::clone(&connections), certificate.acceptor());
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                let stream = listener.accept_ever().await.into_stream();
                count.fetch_add(1, Ordering::SeqCst);
                let served = serve(stream, acceptor.clone(), Arc::clone(&kept), Arc::clone(&free));
                let freeze = Arc::clone(&freeze);
                open.spawn(async move {
                    let mut served = std::pin::pin!(served);
                    tokio::select! {
                        () = &mut served => {}
                        // Still held: the connection stays open.
                        () = freeze.notified() => std::future::pending().await,
                    }
                });
            }
        });
        Self { port, seen, connections, released, frozen, _task: task }
    }

    pub(crate) fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<(Parts, Bytes)> {
        self.seen.lock().expect("no panic").clone()
    }

    /// Returns when a held request was given up.
    pub(crate) async fn released(&self) {
        self.released.notified().await;
    }

    /// From now on the open connections are silent, and stay open.
    pub(crate) fn freeze(&self) {
        self.frozen.notify_waiters();
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, seen: Requests, released: Arc<Notify>) {
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let answer = service_fn(move |request: Request<Incoming>| {
        let (seen, released) = (Arc::clone(&seen), Arc::clone(&released));
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
            let held = parts.headers.contains_key("x-hold");
            let cut = parts.headers.contains_key("x-cut");
            seen.lock().expect("no panic").push((parts, body));
            if held {
                let _released = Released(released);
                std::future::pending::<()>().await;
            }
            Ok::<_, Infallible>(if cut { cut_stream() } else { message() })
        }
    });
    let _ = http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), answer).await;
}

/// A whole body, with and without its length said.
enum Answer {
    Known(Full<Bytes>),
    Open(Full<Bytes>),
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let (Self::Known(body) | Self::Open(body)) = self.get_mut();
        Pin::new(body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        let (Self::Known(body) | Self::Open(body)) = self;
        body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Known(body) => body.size_hint(),
            Self::Open(_) => SizeHint::default(),
        }
    }
}

/// Tells that a held request was given up.
struct Released(Arc<Notify>);

impl Drop for Released {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// The first event of a message.
pub(crate) const FIRST_EVENT: &str = "event: message_start\ndata: {\"type\":\"message_start\"}\n\n";

fn message() -> Response<Answer> {
    let body = Bytes::from_static(br#"{"type":"message","usage":{"input_tokens":3,"output_tokens":2}}"#);
    answer("application/json", Answer::Known(Full::new(body)))
}

fn cut_stream() -> Response<Answer> {
    answer("text/event-stream", Answer::Open(Full::new(FIRST_EVENT.into())))
}

fn answer(kind: &'static str, body: Answer) -> Response<Answer> {
    let mut response = Response::new(body);
    let kind = hyper::header::HeaderValue::from_static(kind);
    response.headers_mut().insert("content-type", kind);
    response
}
