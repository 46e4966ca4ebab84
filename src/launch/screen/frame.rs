//! Holds back what the child draws as one frame (mode 2026) until the frame is whole.
//!
//! Nobody ever sees half of it: neither the screen's cells nor a repaint. A child that doesn't end its frame
//! keeps nobody waiting longer than [`LONGEST`] or for more than [`LARGEST`].

use std::time::{Duration, Instant};

/// What a frame may take until it is shown anyway.
const LONGEST: Duration = Duration::from_millis(150);

/// The same in bytes.
const LARGEST: usize = 2 * 1024 * 1024;

/// Begins a frame.
pub(super) const BEGIN: &[u8] = b"\x1b[?2026h";

/// Ends it.
pub(super) const END: &[u8] = b"\x1b[?2026l";

/// A frame that has begun.
pub(super) struct Frame {
    held: Vec<u8>,
    /// When it is shown, whole or not.
    pub(super) deadline: Instant,
}

impl Frame {
    pub(super) fn begin(now: Instant) -> Self {
        Self { held: Vec::new(), deadline: now + LONGEST }
    }

    /// Holds complete sequences; how many of the bytes belong to the frame if it ends here.
    pub(super) fn hold(&mut self, bytes: &[u8]) -> Option<usize> {
        // Sequences come whole, so the end is never cut in two.
        let end = memchr::memmem::find(bytes, END).map(|at| at + END.len());
        let room = LARGEST.saturating_sub(self.held.len());
        let ends = end.or((bytes.len() > room).then_some(bytes.len()));
        self.held.extend_from_slice(&bytes[..ends.unwrap_or(bytes.len())]);
        ends
    }

    pub(super) fn held(&self) -> &[u8] {
        &self.held
    }

    pub(super) fn into_held(self) -> Vec<u8> {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g16_a_frame_ends_at_its_end_or_when_it_is_too_large() {
        let mut frame = Frame::begin(Instant::now());
        assert_eq!(frame.hold(b"abc"), None);
        assert_eq!(frame.hold(b"de\x1b[?2026lrest"), Some(10));
        assert_eq!(frame.held(), b"abcde\x1b[?2026l");
        let mut frame = Frame::begin(Instant::now());
        assert_eq!(frame.hold(&vec![b'a'; LARGEST]), None);
        assert_eq!(frame.hold(b"b"), Some(1));
        assert_eq!(frame.into_held().len(), LARGEST + 1);
    }
}
