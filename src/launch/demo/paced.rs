//! A response body that comes in pieces, with a pause before each but the first.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

/// The pieces that are still to come.
pub(super) struct Paced {
    pieces: std::vec::IntoIter<Bytes>,
    pause: Duration,
    /// The pause that is being made.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Paced {
    pub(super) fn new(pieces: Vec<Bytes>, pause: Duration) -> Self {
        Self { pieces: pieces.into_iter(), pause, sleep: None }
    }

    /// A body in one piece.
    pub(super) fn whole(body: impl Into<Bytes>) -> Self {
        Self::new(vec![body.into()], Duration::ZERO)
    }

    /// The pause before the next piece begins when this one is taken, not when it has been sent.
    fn begin_pause(&mut self) {
        match &mut self.sleep {
            _ if self.pause.is_zero() => {}
            Some(sleep) => sleep.as_mut().reset(Instant::now() + self.pause),
            None => self.sleep = Some(Box::pin(tokio::time::sleep(self.pause))),
        }
    }
}

impl Body for Paced {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(sleep) = &mut self.sleep {
            ready!(sleep.as_mut().poll(context));
        }
        let piece = self.pieces.next();
        self.begin_pause();
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.as_slice().is_empty()
    }

    /// Known for a body in one piece only: a stream is sent chunked, as providers do.
    fn size_hint(&self) -> SizeHint {
        match self.pieces.as_slice() {
            [] => SizeHint::with_exact(0),
            [piece] => SizeHint::with_exact(piece.len() as u64),
            _ => SizeHint::default(),
        }
    }
}
