//! The living sessions from outside: which one is meant, how each is, and how one is ended.
//!
//! Whoever shows or changes sessions (a command, later a screen) comes through here. Nothing here waits for a host
//! without an end.

mod choice;

pub use choice::{ChoiceError, choose};
