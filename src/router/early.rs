//! An answer that begins before its upstream's does: pings, until there is something to pass on.
//!
//! Claude Code gives a stream up that is silent for five minutes, and a local model may read a long prompt for longer; a
//! request may also wait for one of its route's places. By then the status is sent: see [`super::late`] for a failure.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::Response;
use hyper::body::{Body, Frame};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use tokio::time::{Instant, Sleep, sleep_until};

use super::answer::is_events;
use super::error::{self, Error};
use super::late::Asker;
use super::relay::{BoxError, Reply};
use super::service::Service;
use super::vigil::{PING, PING_AFTER};

/// What has not been answered yet.
pub(super) type Going = Pin<Box<dyn Future<Output = Result<Response<Reply>, Error>> + Send>>;

/// Pings, then the answer.
pub struct Early {
    stage: Stage,
    timer: Pin<Box<Sleep>>,
    /// Something is to be sent at once: the client has waited long enough.
    due: bool,
    service: Arc<Service>,
    asker: Option<Asker>,
}

enum Stage {
    Going(Going),
    /// The upstream's own stream.
    Passing(Box<Reply>),
    /// The event that ends it; `None`: sent.
    Over(Option<Bytes>),
}

/// An event stream that waits for `going`.
pub(super) fn early(going: Going, service: Arc<Service>, asker: Asker) -> Response<Reply> {
    let timer = Box::pin(sleep_until(Instant::now() + PING_AFTER));
    let early = Early { stage: Stage::Going(going), timer, due: true, service, asker: Some(asker) };
    let mut response = Response::new(Reply::Early(Box::new(early)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

impl Early {
    /// What has become of the request, once it is known.
    fn arrive(&mut self, result: Result<Response<Reply>, Error>) -> Stage {
        let answer = match result {
            Ok(response) if response.status().is_success() && is_events(response.headers()) => {
                return Stage::Passing(Box::new(response.into_body()));
            }
            Ok(response) => response.map(whole),
            Err(error) => error.response(),
        };
        let told = error::body(
            "api_error",
            "subagents: it failed after it had begun to wait; asked again, it says why",
        );
        if let Some(asker) = self.asker.take() {
            self.service.late.keep(asker, answer);
        }
        Stage::Over(Some([b"event: error\ndata: ", &*told, b"\n\n"].concat().into()))
    }
}

/// The bytes of an answer that was read to its end.
fn whole(reply: Reply) -> Bytes {
    match reply {
        Reply::Own(body) => body.into_inner().unwrap_or_default(),
        Reply::Control(_) | Reply::Relayed(_) | Reply::Early(_) => Bytes::new(),
    }
}

impl Body for Early {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        loop {
            match &mut self.stage {
                Stage::Passing(reply) => return Pin::new(&mut **reply).poll_frame(cx),
                Stage::Over(event) => return Poll::Ready(event.take().map(|event| Ok(Frame::data(event)))),
                Stage::Going(going) => match going.as_mut().poll(cx) {
                    Poll::Ready(result) => self.stage = self.arrive(result),
                    Poll::Pending => break,
                },
            }
        }
        if !std::mem::take(&mut self.due) {
            ready!(self.timer.as_mut().poll(cx));
        }
        self.timer.as_mut().reset(Instant::now() + PING_AFTER);
        // The timer is asked, so that it wakes us.
        let _ = self.timer.as_mut().poll(cx);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(PING)))))
    }
}

impl std::fmt::Debug for Early {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Early").finish_non_exhaustive()
    }
}
