//! What happened, in a line that goes away, and all of those lines for whoever missed one.

use jiff::Timestamp;

use super::look::Role;

/// How long a line stands, in milliseconds; what failed stands longer.
const SHORT: i64 = 5_000;
const LONG: i64 = 12_000;

/// How many are remembered.
const KEPT: usize = 200;

/// One thing that was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub at: Timestamp,
    pub role: Role,
    pub text: String,
}

/// Everything that was told, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Messages {
    all: Vec<Message>,
    /// The newest has made room for the keys again.
    is_past: bool,
}

impl Messages {
    pub fn tell(&mut self, at: Timestamp, role: Role, text: impl Into<String>) {
        if self.all.len() == KEPT {
            self.all.remove(0);
        }
        self.all.push(Message { at, role, text: text.into() });
        self.is_past = false;
    }

    /// The person goes on: what was only said for the moment makes room; what failed stands its time.
    pub fn go_on(&mut self) {
        self.is_past =
            self.all.last().is_some_and(|message| !matches!(message.role, Role::Bad | Role::Waiting));
    }

    pub fn all(&self) -> &[Message] {
        &self.all
    }

    /// The newest, while it stands.
    pub fn standing(&self, now: Timestamp) -> Option<&Message> {
        self.all.last().filter(|message| !self.is_past && now.as_millisecond() < Self::ends(message))
    }

    /// When the one that stands goes away.
    pub fn deadline(&self, now: Timestamp) -> Option<Timestamp> {
        let standing = self.standing(now)?;
        Timestamp::from_millisecond(Self::ends(standing)).ok()
    }

    fn ends(message: &Message) -> i64 {
        let stands = if message.role == Role::Bad { LONG } else { SHORT };
        message.at.as_millisecond() + stands
    }
}
