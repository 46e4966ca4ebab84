//! Steps 7 and 8: the answer's body on its way back, byte for byte, and what is counted at its end.
//!
//! The request's account lives here, so that it ends when the body does, or when the client hangs
//! up and the body is dropped. On a route, and only there, a silent stream gets pings and a cut one an error event.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::account::{Account, Stop};
use super::early::Early;
use super::error::Blame;
use super::forward::{Line, Upstream, reason};
use super::gate::Seat;
use super::tap::Ending;
use super::vigil::{Due, Vigil};
use crate::dialect::Rewrite;

/// What the client is told of a stream that ended in order, but too early.
const EARLY: &str = "the provider ended the stream before its last event";

pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What the control endpoint answers: whole, or as it comes.
pub type ControlBody = BoxBody<Bytes, Infallible>;

/// The body of any answer: one of ours, the control endpoint's, or an upstream's.
#[derive(Debug)]
pub enum Reply {
    Own(Full<Bytes>),
    Control(ControlBody),
    Relayed(Box<Relay>),
    /// A route's that has nothing to pass on yet.
    Early(Box<Early>),
}

#[derive(Debug)]
pub struct Relay {
    body: Incoming,
    line: Option<Line>,
    home: Arc<Upstream>,
    /// `None` for what is no inference, and after the end.
    account: Option<Account>,
    /// On routes.
    vigil: Option<Vigil>,
    /// On routes whose provider speaks otherwise.
    rewrite: Option<Box<dyn Rewrite>>,
    /// Held until the upstream's part is over.
    seat: Option<Seat>,
    /// The upstream's abort, to be passed on.
    broken: Option<BoxError>,
    /// Something of ours was sent as the end.
    closed: bool,
    /// The upstream's regular end came too early: the farewell is still to be sent.
    owing: bool,
    /// The stream ended between two events.
    between: bool,
    /// What the upstream had ready behind what was gathered, and that can't be added to it.
    ahead: Option<Polled>,
}

/// What an upstream's body gives; `None`: its end.
type Polled = Option<Result<Frame<Bytes>, hyper::Error>>;

/// Bytes up to which pieces that are already here are sent on as one.
const GATHERED: usize = 8 * 1024;

impl Relay {
    pub(super) fn new(
        body: Incoming,
        line: Line,
        home: Arc<Upstream>,
        account: Option<Account>,
        vigil: Option<Vigil>,
    ) -> Self {
        let line = Some(line);
        let mut relay = Self {
            body,
            line,
            home,
            account,
            vigil,
            rewrite: None,
            seat: None,
            broken: None,
            closed: false,
            owing: false,
            between: false,
            ahead: None,
        };
        if relay.body.is_end_stream() {
            // An empty body is never polled.
            relay.end();
        }
        relay
    }

    /// Keeps the request's place at its route.
    pub(super) fn hold(&mut self, seat: Option<Seat>) {
        self.seat = seat.filter(|_| self.line.is_some());
    }

    /// Changes what comes on its way to the client.
    pub(super) fn rewrite(&mut self, rewrite: Box<dyn Rewrite>) {
        self.rewrite = Some(rewrite);
    }

    /// The upstream has nothing more to say.
    fn is_read(&self) -> bool {
        self.body.is_end_stream() && self.ahead.is_none()
    }

    /// What the client gets for a frame; `None`: nothing yet.
    fn pass(&mut self, frame: Frame<Bytes>) -> Option<Frame<Bytes>> {
        if let Some(vigil) = &mut self.vigil {
            vigil.heard();
        }
        let Some(rewrite) = &mut self.rewrite else {
            if let Some(piece) = frame.data_ref() {
                self.sent(piece);
            }
            return Some(frame);
        };
        let mut out = Vec::new();
        rewrite.feed(&frame.into_data().ok()?, &mut out);
        self.rewritten(out)
    }

    /// Adds what is already waiting behind a small piece: a chunk for each event costs more than the copy. Nothing is
    /// waited for.
    fn gather(&mut self, cx: &mut Context<'_>, first: Frame<Bytes>) -> Frame<Bytes> {
        let first = match first.into_data() {
            Ok(piece) if piece.len() < GATHERED => piece,
            Ok(piece) => return Frame::data(piece),
            Err(trailers) => return trailers,
        };
        let mut all = Vec::new();
        while first.len().max(all.len()) < GATHERED && !self.body.is_end_stream() {
            match self.poll_upstream(cx) {
                Poll::Ready(Some(Ok(frame))) if frame.is_data() => {
                    let Some(piece) = self.pass(frame).and_then(|frame| frame.into_data().ok()) else {
                        continue;
                    };
                    if all.is_empty() {
                        all.extend_from_slice(&first);
                    }
                    all.extend_from_slice(&piece);
                }
                Poll::Ready(other) => {
                    self.ahead = Some(other);
                    break;
                }
                Poll::Pending => break,
            }
        }
        Frame::data(if all.is_empty() { first } else { all.into() })
    }

    fn rewritten(&mut self, out: Vec<u8>) -> Option<Frame<Bytes>> {
        let out = Some(Bytes::from(out)).filter(|out| !out.is_empty())?;
        self.sent(&out);
        Some(Frame::data(out))
    }

    fn sent(&mut self, piece: &Bytes) {
        if let Some(account) = &mut self.account {
            account.data(piece);
        }
        if let Some(vigil) = &mut self.vigil {
            vigil.sent();
        }
    }

    /// The upstream's next frame.
    fn poll_upstream(&mut self, cx: &mut Context<'_>) -> Poll<Polled> {
        if let Some(ahead) = self.ahead.take() {
            return Poll::Ready(ahead);
        }
        match &mut self.line {
            Some(line) => line.poll_body(&mut self.body, cx),
            None => Pin::new(&mut self.body).poll_frame(cx),
        }
    }

    /// The upstream's part is over: counts the request out. `fault`: why it ended early.
    fn settle(&mut self, fault: Option<&str>, by: Blame) -> Option<Ending> {
        self.seat = None;
        let account = self.account.take()?;
        self.between = account.tap().between_events();
        Some(account.settle(Stop { fault, by, http2: self.is_http2() }))
    }

    fn is_http2(&self) -> bool {
        self.line.as_ref().is_some_and(Line::is_http2)
    }

    /// What is still to be said once the upstream has said everything.
    fn finish(&mut self) -> Option<Frame<Bytes>> {
        let mut out = Vec::new();
        self.rewrite.take()?.finish(&mut out);
        self.rewritten(out)
    }

    /// The body's regular end.
    fn end(&mut self) {
        let cut = self.settle(None, Blame::Provider) == Some(Ending::Cut);
        self.owing |= cut && self.vigil.as_ref().is_some_and(Vigil::may_add);
        self.hand_back();
    }

    /// A connection that can take another request goes back to its upstream.
    fn hand_back(&mut self) {
        if let Some(line) = self.line.take() {
            self.home.give_back(line);
        }
    }

    /// The upstream broke off, or we did.
    fn cut(
        &mut self,
        cx: &mut Context<'_>,
        fault: &str,
        by: Blame,
        error: BoxError,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let said = matches!(self.settle(Some(fault), by), Some(Ending::Complete | Ending::ErrorEvent));
        self.line = None;
        match self.farewell(fault) {
            Poll::Ready(None) => {
                // The server drops what it holds when a body fails: let it write that first.
                self.broken = Some(error);
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            // C07: nothing follows the last event.
            Poll::Ready(Some(_)) if said => Poll::Ready(None),
            told => told,
        }
    }

    /// C07: a cut stream of a route ends in an error event. Elsewhere the abort itself is passed on.
    fn farewell(&mut self, fault: &str) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.closed = true;
        self.owing = false;
        let vigil = self.vigil.take();
        let event = vigil.and_then(|vigil| vigil.error_event(self.home.label(), fault, self.between));
        Poll::Ready(event.map(|event| Ok(Frame::data(event))))
    }

    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let pingable = self.account.as_ref().is_some_and(|account| account.tap().between_events());
        match self.vigil.as_mut().map(|vigil| vigil.poll(cx, pingable)) {
            None | Some(Poll::Pending) => Poll::Pending,
            Some(Poll::Ready(Due::Ping(ping))) => Poll::Ready(Some(Ok(Frame::data(ping)))),
            Some(Poll::Ready(Due::Over(setting, limit))) => {
                let limit = limit.as_secs();
                let fault = match setting {
                    "idle" => format!("nothing came for {limit} s (timeouts.idle)"),
                    _ => format!("no end after {limit} s (timeouts.{setting})"),
                };
                self.cut(cx, &fault, Blame::Us, fault.clone().into())
            }
        }
    }
}

impl Body for Relay {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        if let Some(error) = this.broken.take() {
            return Poll::Ready(Some(Err(error)));
        }
        if this.closed {
            return Poll::Ready(None);
        }
        if this.owing {
            return this.farewell(EARLY);
        }
        loop {
            return match this.poll_upstream(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    let Some(frame) = this.pass(frame) else { continue };
                    let frame = this.gather(cx, frame);
                    // A body of known length is not asked for its end again.
                    if this.rewrite.is_none() && this.is_read() {
                        this.end();
                    }
                    Poll::Ready(Some(Ok(frame)))
                }
                Poll::Ready(Some(Err(error))) => {
                    let fault = reason(&error);
                    this.cut(cx, &fault, Blame::Provider, error.into())
                }
                Poll::Ready(None) => {
                    if let Some(frame) = this.finish() {
                        return Poll::Ready(Some(Ok(frame)));
                    }
                    this.end();
                    if this.owing { this.farewell(EARLY) } else { Poll::Ready(None) }
                }
                Poll::Pending => this.wait(cx),
            };
        }
    }

    fn is_end_stream(&self) -> bool {
        let ended = self.account.is_none() && self.rewrite.is_none() && self.is_read() && !self.owing;
        ended || (self.closed && self.broken.is_none())
    }

    fn size_hint(&self) -> SizeHint {
        if self.rewrite.is_some() { SizeHint::default() } else { self.body.size_hint() }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let Some(account) = self.account.take() else { return };
        let (fault, by) = if self.home.is_stopping() {
            ("the router was stopped", Blame::Us)
        } else {
            ("the client hung up", Blame::Client)
        };
        account.abandon(Stop { fault: Some(fault), by, http2: self.is_http2() });
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.get_mut() {
            Self::Own(body) => Pin::new(body).poll_frame(cx).map_err(|never| match never {}),
            Self::Control(body) => Pin::new(body).poll_frame(cx).map_err(|never| match never {}),
            Self::Relayed(body) => Pin::new(&mut **body).poll_frame(cx),
            Self::Early(body) => Pin::new(&mut **body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Own(body) => body.is_end_stream(),
            Self::Control(body) => body.is_end_stream(),
            Self::Relayed(body) => body.is_end_stream(),
            Self::Early(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Own(body) => body.size_hint(),
            Self::Control(body) => body.size_hint(),
            Self::Relayed(body) => body.size_hint(),
            Self::Early(_) => SizeHint::default(),
        }
    }
}
