//! One connection to an upstream, driven by the request that uses it.
//!
//! An HTTP/1 connection has no task of its own: whoever waits for the answer or reads its body polls the
//! connection too. A request's whole way is then one task: no wake-ups between tasks for each event of a
//! stream, and dropping the answer drops the connection. HTTP/2 shares one connection, so it has a task.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming};
use hyper::client::conn::{TrySendError, http1, http2};
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio_util::task::TaskTracker;

use super::bell::Bell;
use super::dial::{Dialled, Protocol, ProxyLogin, Stream};
use crate::router::peek::RequestBody;

/// A request on its way out. On the heap: each future that it is handed to would have room for it.
pub(in crate::router) type Outgoing = Box<Request<Box<RequestBody>>>;

type Driver = http1::Connection<TokioIo<Box<dyn Stream>>, Box<RequestBody>>;

/// Bytes that a connection reads or writes at once; bounds what a request holds in memory.
pub(in crate::router) const BUFFER: usize = 64 * 1024;

/// A shared connection whose peer is gone without a word would be used for ever: it is asked this often for a sign
/// of life, and given up after as long without one.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// Bytes of an answer that a provider may send before they are read.
const STREAM_WINDOW: u32 = 256 * 1024;

/// The same for all answers of a connection: more, so that one client that stops reading doesn't stop the others.
const CONNECTION_WINDOW: u32 = 16 * STREAM_WINDOW;

pub struct Line {
    kind: Kind,
}

enum Kind {
    Http1 {
        sender: http1::SendRequest<Box<RequestBody>>,
        driver: Option<Box<Driver>>,
        bell: Bell,
        proxy: Option<ProxyLogin>,
    },
    Http2 {
        sender: http2::SendRequest<Box<RequestBody>>,
    },
}

impl Line {
    /// Speaks first where the protocol says so.
    pub async fn open(dialled: Dialled, tasks: &TaskTracker) -> hyper::Result<Self> {
        let io = TokioIo::new(dialled.stream);
        let kind = match dialled.protocol {
            Protocol::Http1 => {
                let mut builder = http1::Builder::new();
                builder.preserve_header_case(true).max_buf_size(BUFFER);
                let (sender, driver) = builder.handshake(io).await?;
                let driver = Some(Box::new(driver));
                Kind::Http1 { sender, driver, bell: Bell::new(), proxy: dialled.proxy }
            }
            Protocol::Http2 => {
                let (sender, connection) = http2_builder(tasks).handshake(io).await?;
                tasks.spawn(connection);
                Kind::Http2 { sender }
            }
        };
        Ok(Self { kind })
    }

    /// A second handle on the same connection, where the protocol allows that.
    pub fn share(&self) -> Option<Self> {
        match &self.kind {
            Kind::Http1 { .. } => None,
            Kind::Http2 { sender } => Some(Self { kind: Kind::Http2 { sender: sender.clone() } }),
        }
    }

    pub fn is_http2(&self) -> bool {
        matches!(self.kind, Kind::Http2 { .. })
    }

    pub fn proxy(&self) -> Option<&ProxyLogin> {
        match &self.kind {
            Kind::Http1 { proxy, .. } => proxy.as_ref(),
            Kind::Http2 { .. } => None,
        }
    }

    /// Whether another request can go out now. For HTTP/1, looks whether the peer has hung up meanwhile.
    pub fn ready(&mut self) -> bool {
        match &mut self.kind {
            Kind::Http1 { sender, driver, bell, .. } => {
                // Nobody is to be woken for an idle connection: whoever takes it asks again.
                let mut nobody = Context::from_waker(Waker::noop());
                let _: Poll<()> = bell.attend(&mut nobody, |cx| {
                    advance(driver, bell, cx);
                    Poll::Pending
                });
                driver.is_some() && sender.is_ready()
            }
            Kind::Http2 { sender } => !sender.is_closed(),
        }
    }

    /// The next piece of the answer's `body`, which comes by this connection.
    pub fn poll_body(
        &mut self,
        body: &mut Incoming,
        cx: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        match &mut self.kind {
            Kind::Http1 { driver, bell, .. } => bell.attend(cx, |cx| {
                advance(driver, bell, cx);
                Pin::new(&mut *body).poll_frame(cx)
            }),
            Kind::Http2 { .. } => Pin::new(body).poll_frame(cx),
        }
    }

    /// Sends a request and waits for the answer's head.
    ///
    /// # Errors
    /// With the request itself, untouched, where nothing of it was sent.
    pub async fn send(
        &mut self,
        request: Outgoing,
    ) -> Result<Response<Incoming>, TrySendError<Request<Box<RequestBody>>>> {
        // hyper's future has room for the request twice: on the heap too.
        match &mut self.kind {
            Kind::Http1 { sender, driver, bell, .. } => {
                let mut answer = Box::pin(sender.try_send_request(*request));
                let mut poll = |cx: &mut Context<'_>| {
                    advance(driver, bell, cx);
                    answer.as_mut().poll(cx)
                };
                poll_fn(|cx| bell.attend(cx, &mut poll)).await
            }
            Kind::Http2 { sender } => Box::pin(sender.try_send_request(*request)).await,
        }
    }
}

fn http2_builder(tasks: &TaskTracker) -> http2::Builder<Tracked> {
    let mut builder = http2::Builder::new(Tracked(tasks.clone()));
    builder
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE)
        .keep_alive_while_idle(true)
        .max_send_buf_size(BUFFER)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW);
    builder
}

/// Moves the connection on, if it rang.
fn advance(driver: &mut Option<Box<Driver>>, bell: &Bell, cx: &mut Context<'_>) {
    if let Some(connection) = driver
        && bell.take()
        && Pin::new(connection).poll(cx).is_ready()
    {
        // Ended, well or not: what it has to say reaches whoever waits for the answer or the body.
        *driver = None;
    }
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_http2() { "Line(HTTP/2)" } else { "Line(HTTP/1)" })
    }
}

/// HTTP/2's own tasks, in the list that a shutdown waits for.
#[derive(Clone)]
struct Tracked(TaskTracker);

impl<F> hyper::rt::Executor<F> for Tracked
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, task: F) {
        self.0.spawn(task);
    }
}
