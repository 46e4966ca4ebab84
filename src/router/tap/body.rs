//! Keeps a JSON body until it has ended, up to a limit.

use super::tally::Tally;

/// The longest JSON body that is read, in bytes.
const BODY_LIMIT: usize = 1024 * 1024;

/// Reads an `application/json` body.
#[derive(Debug)]
pub(super) enum Body {
    Kept(Vec<u8>),
    TooLong,
}

impl Default for Body {
    fn default() -> Self {
        Self::Kept(Vec::new())
    }
}

impl Body {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        match self {
            Self::Kept(kept) if kept.len() + bytes.len() <= BODY_LIMIT => kept.extend_from_slice(bytes),
            Self::Kept(_) => *self = Self::TooLong,
            Self::TooLong => {}
        }
    }

    pub(super) fn finish(self) -> Tally {
        let mut tally = Tally::default();
        if let Self::Kept(body) = self {
            tally.body(&body);
        }
        tally
    }
}
