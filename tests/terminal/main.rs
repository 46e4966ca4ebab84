//! Real children on real terminals, through `launch::pty` and `launch::screen`.
//!
//! Names begin with the number of the behaviour (`p3`) or of the public report (`g05`) that a test is about. The
//! real Claude Code is the one that `SUBAGENTS_TEST_CLAUDE` names, else the one in the cache folder, where the tests
//! named `claude` install it.

#![expect(clippy::unwrap_used, reason = "a test that can't go on says so by panicking")]

mod claude;
mod life;
mod pane;

mod keys;
mod output;
mod questions;
