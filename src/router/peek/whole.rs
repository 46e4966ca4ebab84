//! A body that is held as a whole.

use std::collections::VecDeque;

use bytes::Bytes;

use super::body::BodyWatch;
use super::scan::{ModelValue, Scanner, Seen};
use super::splice::{SpliceFault, Splicer};

/// A whole body, as the client sent it.
#[derive(Debug, Clone)]
pub struct Whole {
    bytes: Bytes,
    model: Option<ModelValue>,
}

impl Whole {
    pub(super) fn new(bytes: Bytes, model: Option<ModelValue>, watch: &BodyWatch) -> Self {
        watch.pass(&bytes);
        watch.note_streams(streams(&bytes));
        Self { bytes, model }
    }

    /// As the client sent them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes with the model's name replaced by `name` (a JSON string, quotes included), and without the user's id.
    ///
    /// # Errors
    /// The body is no JSON object, or names a second model.
    pub fn spliced(&self, name: &Bytes) -> Result<Vec<u8>, SpliceFault> {
        let Some(model) = &self.model else { return Ok(self.bytes.to_vec()) };
        let mut splicer = Splicer::new(model.start..model.end, name.clone());
        let mut pieces = VecDeque::new();
        splicer.feed(&self.bytes, &mut pieces)?;
        let mut body = Vec::with_capacity(self.bytes.len() + name.len());
        for piece in &pieces {
            body.extend_from_slice(piece);
        }
        Ok(body)
    }
}

/// Whether the body asks for a stream.
fn streams(body: &[u8]) -> bool {
    let (mut scanner, mut at) = (Scanner::default(), 0);
    while at < body.len() {
        let (read, seen) = scanner.next(&body[at..]);
        at += read;
        if seen == Some(Seen::Streams) {
            return true;
        }
    }
    false
}
