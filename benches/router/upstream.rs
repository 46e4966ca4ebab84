//! The provider at the other end: reads a request whole, and answers at full speed.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::Fallible;

/// The request's header that says how many events are wanted; `hold` leaves the stream open after the first.
pub(crate) const EVENTS: &str = "x-bench-events";

const EVENT: &[u8] =
    b"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\
    \"text_delta\",\"text\":\"a few words of an answer\"}}\n\n";

/// Serves on a thread of its own, for as long as this process lives.
pub(crate) fn start() -> Fallible<SocketAddr> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || runtime.block_on(serve(listener)));
    Ok(address)
}

async fn serve(listener: std::net::TcpListener) -> std::io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let tasks = TaskTracker::new();
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tasks.spawn(async move {
            // A client that goes away is the end of it.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(answer))
                .await;
        });
    }
}

async fn answer(request: Request<Incoming>) -> Result<Response<Answer>, hyper::Error> {
    let wanted = request.headers().get(EVENTS).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut body = request.into_body();
    while let Some(frame) = body.frame().await {
        frame?;
    }
    let (kind, body) = match wanted.as_deref() {
        Some("hold") => ("text/event-stream", Answer { held: true, ..Answer::new(EVENT, 1) }),
        Some(events) => ("text/event-stream", Answer::new(EVENT, events.parse().unwrap_or(0))),
        None => ("application/json", Answer::new(b"{\"type\":\"message\",\"content\":[]}", 1)),
    };
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    Ok(response)
}

/// The same piece, so often. Each goes out alone, as from a model: a pause that takes no time stands between two.
struct Answer {
    piece: &'static [u8],
    left: usize,
    held: bool,
    paused: bool,
}

impl Answer {
    fn new(piece: &'static [u8], left: usize) -> Self {
        Self { piece, left, held: false, paused: true }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.left {
            0 if self.held => Poll::Pending,
            0 => Poll::Ready(None),
            _ if !self.paused => {
                self.paused = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            _ => {
                self.paused = false;
                self.left -= 1;
                Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(self.piece)))))
            }
        }
    }
}
