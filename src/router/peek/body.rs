//! The request's body on its way out: what was held, then the rest as it comes.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::splice::{SpliceFault, Splicer};
use super::tail::Tail;

/// Why a body ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyFault {
    #[error(transparent)]
    Splice(#[from] SpliceFault),
    #[error("the body exceeds the limit of {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the client stopped sending")]
    ClientGone,
}

/// What the request's owner can see of a body that the connection has taken.
#[derive(Debug, Default)]
pub struct BodyWatch {
    fault: OnceLock<BodyFault>,
    bytes: AtomicU64,
    streams: AtomicBool,
    tail: Mutex<Tail>,
    unread: Mutex<Option<Incoming>>,
}

impl BodyWatch {
    pub fn fault(&self) -> Option<BodyFault> {
        self.fault.get().copied()
    }

    /// Bytes read from the client so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The client asks for a stream, as far as the body has passed.
    pub fn streams(&self) -> bool {
        self.streams.load(Ordering::Relaxed)
    }

    pub(super) fn note_streams(&self, streams: bool) {
        self.streams.store(streams, Ordering::Relaxed);
    }

    /// `output_config.effort`, once the body has passed, where it stands near its end.
    pub fn effort(&self) -> Option<String> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).effort()
    }

    /// Gives the number of bytes read so far.
    pub(super) fn pass(&self, piece: &[u8]) -> u64 {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).feed(piece);
        self.bytes.fetch_add(piece.len() as u64, Ordering::Relaxed) + piece.len() as u64
    }

    /// What the client has not sent yet, once the body has been given up.
    pub fn take_unread(&self) -> Option<Incoming> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The body that is sent upstream, boxed: hyper keeps room for 32 requests for each connection.
///
/// It holds one piece at a time once what was peeked is sent.
#[derive(Debug)]
pub struct RequestBody {
    held: VecDeque<Bytes>,
    /// Taken when the body is dropped.
    rest: Option<Incoming>,
    splicer: Option<Splicer>,
    /// Pieces that the splicer made and that are not sent yet.
    spliced: VecDeque<Bytes>,
    /// What was held has just been given: hyper writes it out, head and all, once the body isn't ready.
    pause: bool,
    limit: u64,
    /// Bytes that are still to be sent; `None`: the client didn't say.
    left: Option<u64>,
    watch: Arc<BodyWatch>,
}

impl RequestBody {
    /// A body that comes from no client: a request of our own.
    pub fn own(bytes: Bytes) -> Self {
        let length = bytes.len() as u64;
        Self {
            held: Some(bytes).filter(|bytes| !bytes.is_empty()).into_iter().collect(),
            rest: None,
            splicer: None,
            spliced: VecDeque::new(),
            pause: false,
            limit: length,
            left: Some(length),
            watch: Arc::default(),
        }
    }

    pub(super) fn new(
        held: VecDeque<Bytes>,
        rest: Incoming,
        splicer: Option<Splicer>,
        limit: u64,
        watch: Arc<BodyWatch>,
    ) -> Self {
        let known: u64 = held.iter().map(|piece| piece.len() as u64).sum();
        let growth = splicer.as_ref().map_or(0, Splicer::growth);
        let left = rest.size_hint().exact().and_then(|n| (n + known).checked_add_signed(growth));
        let rest = Some(rest);
        Self { held, rest, splicer, spliced: VecDeque::new(), pause: false, limit, left, watch }
    }

    pub fn watch(&self) -> Arc<BodyWatch> {
        Arc::clone(&self.watch)
    }

    /// Bytes that will be sent, where that is known.
    pub fn length(&self) -> Option<u64> {
        self.left
    }

    fn fail(&self, fault: BodyFault) -> BodyFault {
        let _ = self.watch.fault.set(fault);
        fault
    }

    /// A piece from the client: counted, checked, changed where it must be.
    fn take(&mut self, piece: Bytes) -> Result<Option<Bytes>, BodyFault> {
        if self.watch.pass(&piece) > self.limit {
            return Err(self.fail(BodyFault::TooLarge { limit: self.limit }));
        }
        let Some(splicer) = &mut self.splicer else { return Ok(Some(piece)) };
        match splicer.feed(&piece, &mut self.spliced) {
            Ok(()) => {
                self.watch.note_streams(splicer.streams());
                Ok(self.spliced.pop_front())
            }
            Err(fault) => Err(self.fail(fault.into())),
        }
    }

    fn poll_rest(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.rest.as_mut().map_or(Poll::Ready(None), |rest| Pin::new(rest).poll_frame(cx))
    }

    fn give(&mut self, piece: Bytes) -> Poll<Option<Result<Frame<Bytes>, BodyFault>>> {
        self.left = self.left.map(|left| left.saturating_sub(piece.len() as u64));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

impl Drop for RequestBody {
    /// Whoever gives a body up has its rest read by the request's owner, who still has to answer the client.
    fn drop(&mut self) {
        *self.watch.unread.lock().unwrap_or_else(PoisonError::into_inner) = self.rest.take();
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BodyFault;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyFault>>> {
        loop {
            if let Some(piece) = self.spliced.pop_front() {
                return self.give(piece);
            }
            let piece = match self.held.pop_front() {
                Some(piece) => {
                    self.pause = self.held.is_empty();
                    piece
                }
                None if std::mem::take(&mut self.pause) => {
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                None => match ready!(self.poll_rest(cx)) {
                    None => return Poll::Ready(None),
                    Some(Err(_)) => return Poll::Ready(Some(Err(self.fail(BodyFault::ClientGone)))),
                    Some(Ok(frame)) => match frame.into_data() {
                        Ok(piece) => piece,
                        Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                    },
                },
            };
            match self.take(piece) {
                Ok(Some(piece)) => return self.give(piece),
                Ok(None) => {}
                Err(fault) => return Poll::Ready(Some(Err(fault))),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_empty() && self.spliced.is_empty() && self.rest.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
