//! The sessions from outside: which one is meant, how each is, and how one is ended.
//!
//! Whoever shows or changes sessions (a command, later a screen) comes through here. Nothing here waits for a host
//! without an end.

mod account;
mod choice;
mod glance;
mod inbox;
mod leftovers;
mod listed;
mod stop;
mod talk;
mod tally;

pub use account::Account;
pub use choice::{ChoiceError, choose, interrupted};
pub use glance::{Answer, Glance, glance};
pub use inbox::{AnswerRefusal, Inbox, Waiting, answer, inbox, waits_unseen};
pub(super) use leftovers::sweep_claimed;
pub use listed::{Listed, Place, State, living, remembered};
pub use stop::{How, StopError, Stopped, is_over, stop};
pub use talk::{TalkError, text};
pub use tally::Tally;
