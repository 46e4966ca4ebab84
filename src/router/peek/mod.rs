//! Reads a request's body only as far as its top-level `model`; the rest streams on.
//!
//! What was read is held and sent first. The only case that holds much is a body whose `model` comes last.

mod attribution;
mod body;
mod scan;
mod splice;
mod tail;
mod whole;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

pub use body::{BodyFault, BodyWatch, RequestBody};
pub use scan::{ModelValue, Scanner, Seen};
pub use splice::{SpliceFault, Splicer};
pub use whole::Whole;

use super::error::Error;

/// How long an answer waits for the rest of a body that nobody needs.
const PATIENCE: Duration = Duration::from_secs(5);

/// A body of which the beginning is known.
#[derive(Debug)]
pub struct Peeked {
    /// The top-level `model`, if the body is a JSON object that has one and it is a string.
    pub model: Option<ModelValue>,
    held: VecDeque<Bytes>,
    rest: Incoming,
    watch: Arc<BodyWatch>,
}

impl Peeked {
    fn new(model: Option<ModelValue>, held: VecDeque<Bytes>, rest: Incoming) -> Self {
        Self { model, held, rest, watch: Arc::default() }
    }

    /// A body that is not looked into: compressed, or none at all.
    pub fn unread(rest: Incoming) -> Self {
        Self::new(None, VecDeque::new(), rest)
    }

    /// Reads `rest` until the model is known, or until it is known that there is none.
    ///
    /// # Errors
    /// The body exceeds `limit` bytes, or the client stops sending.
    pub async fn read(mut rest: Incoming, limit: u64) -> Result<Self, Error> {
        let mut scanner = Scanner::default();
        let (mut held, mut size) = (VecDeque::new(), 0);
        while let Some(frame) = rest.frame().await {
            let Ok(piece) = frame.map_err(Error::ClientBody)?.into_data() else { continue };
            size += piece.len() as u64;
            if size > limit {
                Box::pin(discard(rest, limit)).await;
                return Err(Error::TooLarge { limit });
            }
            let look = look(&mut scanner, &piece);
            held.push_back(piece);
            match look {
                Look::On => {}
                Look::Found(model) => return Ok(Self::new(Some(model), held, rest)),
                Look::Nothing => break,
            }
        }
        Ok(Self::new(None, held, rest))
    }

    /// The body as the client sent it, byte for byte.
    pub fn pass(self, limit: u64) -> Box<RequestBody> {
        Box::new(RequestBody::new(self.held, self.rest, None, limit, self.watch))
    }

    /// The body as this splicer changes it on its way.
    pub fn splice(self, splicer: Splicer, limit: u64) -> Box<RequestBody> {
        Box::new(RequestBody::new(self.held, self.rest, Some(splicer), limit, self.watch))
    }

    /// The body, held as a whole: it will be changed in more than its model, or sent more than once.
    ///
    /// # Errors
    /// The body exceeds `limit` bytes, or the client stops sending.
    pub async fn whole(mut self, limit: u64) -> Result<Whole, Error> {
        let room = self.length().unwrap_or_default().min(limit);
        let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
        self.held.drain(..).for_each(|piece| bytes.extend_from_slice(&piece));
        while let Some(frame) = self.rest.frame().await {
            let Ok(piece) = frame.map_err(Error::ClientBody)?.into_data() else { continue };
            if (bytes.len() + piece.len()) as u64 > limit {
                Box::pin(discard(self.rest, limit)).await;
                return Err(Error::TooLarge { limit });
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(Whole::new(bytes.into(), self.model, &self.watch))
    }

    /// What is seen of the body as it passes.
    pub fn watch(&self) -> Arc<BodyWatch> {
        Arc::clone(&self.watch)
    }

    /// Reads the body to its end, keeps nothing, and tells its size in bytes; a longer one is read to `limit`.
    pub async fn drain(mut self, limit: u64) -> u64 {
        let mut size = self.held.iter().map(|piece| piece.len() as u64).sum();
        while size < limit {
            let Some(Ok(frame)) = self.rest.frame().await else { break };
            size += frame.data_ref().map_or(0, |piece| piece.len() as u64);
        }
        size
    }

    /// What is not read yet.
    pub fn into_rest(self) -> Incoming {
        self.rest
    }

    /// Bytes of the whole body, where that is known beforehand.
    pub fn length(&self) -> Option<u64> {
        let held: u64 = self.held.iter().map(|piece| piece.len() as u64).sum();
        self.rest.size_hint().exact().map(|rest| held + rest)
    }
}

/// Reads on for a while and up to `most` bytes: a client that is still sending gets to read the answer, where it
/// would otherwise see a broken connection.
pub async fn discard(mut body: Incoming, most: u64) {
    let read = async {
        let mut seen = 0;
        while seen < most {
            let Some(Ok(frame)) = body.frame().await else { return };
            seen += frame.data_ref().map_or(0, |piece| piece.len() as u64);
        }
    };
    // What is still missing then, the client can keep.
    let _ = tokio::time::timeout(PATIENCE, read).await;
}

enum Look {
    /// Not known yet.
    On,
    Found(ModelValue),
    /// No model, or none that is a string: nothing further can change that.
    Nothing,
}

fn look(scanner: &mut Scanner, piece: &[u8]) -> Look {
    let mut at = 0;
    while at < piece.len() {
        let (read, seen) = scanner.next(&piece[at..]);
        at += read;
        match seen {
            Some(Seen::Model(model)) => return model.map_or(Look::Nothing, Look::Found),
            Some(Seen::NotJson | Seen::End) => return Look::Nothing,
            // Nothing that tells more of the model.
            _ => {}
        }
    }
    Look::On
}
