//! What Claude Code asks before its session is there: a folder's trust, a theme, a login, a server of the project's.
//!
//! It tells nothing of that. But it draws the question on the main screen and takes keys there, without a title, while
//! a session has a title, or the alternate screen, within milliseconds of taking keys and before it draws anything.

use jiff::{SignedDuration, Timestamp};

use super::super::screen::{Screen, Shown, Switches};
use super::activity::{after, lasted_for};

/// A question has stood for so long. A slow start draws nothing that takes keys.
const STOOD: SignedDuration = SignedDuration::from_secs(2);

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// Nothing is there yet that takes keys.
    Silent,
    /// Something has been there since then.
    Drawn(Timestamp),
    /// It has stood for long enough to wait for somebody.
    Asks,
    /// The session is there.
    Over,
}

/// Whether what is drawn can be such a question.
pub(super) fn is_question(screen: &Screen) -> bool {
    let modes = screen.modes();
    modes.shown == Shown::Main && modes.has(Switches::BRACKETED_PASTE) && !screen.text().trim().is_empty()
}

impl Opening {
    pub(super) fn draw(&mut self, is_question: bool, at: Timestamp) {
        *self = match *self {
            Self::Over => Self::Over,
            _ if !is_question => Self::Silent,
            Self::Silent => Self::Drawn(at),
            stands => stands,
        };
    }

    /// Whether it begins to wait for somebody now.
    pub(super) fn begins(&mut self, at: Timestamp) -> bool {
        let begins = matches!(*self, Self::Drawn(since) if lasted_for(STOOD, since, at));
        if begins {
            *self = Self::Asks;
        }
        begins
    }

    pub(super) fn deadline(self) -> Option<Timestamp> {
        match self {
            Self::Drawn(since) => Some(after(since, STOOD)),
            Self::Silent | Self::Asks | Self::Over => None,
        }
    }
}
