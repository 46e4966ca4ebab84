//! A wait of which isn't known what for, and how its end is seen where nothing tells it.
//!
//! When somebody refuses in the session, Claude Code is back at its prompt without a hook, and the title stands still
//! as it did before. But a tool that waits blinks, about every 0.6 s, as long as its terminal has the focus, and a
//! prompt stands still. So a wait that has blinked, and blinks no more after a key, is over. Where nothing ever
//! blinks, as with reduced motion, it lasts until something else tells.

use jiff::{SignedDuration, Timestamp};

use super::Evidence;
use super::activity::{after, lasted_for};

/// What is drawn so soon after a key shows the key.
const ECHO: SignedDuration = SignedDuration::from_millis(300);

/// Once may be anything.
const BLINKS: u8 = 2;

/// Three blinks that don't come.
const STILL: SignedDuration = SignedDuration::from_secs(2);

#[derive(Debug)]
pub(super) struct Unseen {
    pub(super) evidence: Evidence,
    pub(super) since: Timestamp,
    /// How often it has drawn by itself.
    blinks: u8,
    key: Option<Timestamp>,
    /// Since when nothing has been drawn, with the focus. `None`: it hasn't the focus.
    still: Option<Timestamp>,
}

impl Unseen {
    pub(super) fn new(evidence: Evidence, since: Timestamp) -> Self {
        Self { evidence, since, blinks: 0, key: None, still: Some(since) }
    }

    pub(super) fn draw(&mut self, at: Timestamp) {
        if self.key.is_none_or(|key| lasted_for(ECHO, key, at)) {
            self.blinks = self.blinks.saturating_add(1);
        }
        self.still = self.still.map(|_| at);
    }

    pub(super) fn key(&mut self, at: Timestamp) {
        self.key = Some(at);
        self.still = self.still.map(|_| at);
    }

    pub(super) fn focus(&mut self, has_focus: bool, at: Timestamp) {
        self.still = has_focus.then_some(at);
    }

    pub(super) fn is_over(&self, at: Timestamp) -> bool {
        self.end().is_some_and(|end| at >= end)
    }

    /// When it is over, if nothing is drawn until then.
    pub(super) fn end(&self) -> Option<Timestamp> {
        let still = self.still.filter(|_| self.key.is_some() && self.blinks >= BLINKS)?;
        Some(after(still, STILL))
    }
}
