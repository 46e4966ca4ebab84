//! Real hosts with stand-ins for Claude Code, reached through their real sockets and shown on real terminals.
//!
//! Names begin with the number of the behaviour (`p3`) or of the public report (`g09`) that a test is about.

#![expect(clippy::unwrap_used, reason = "a test that can't go on says so by panicking")]

mod app;
mod beginnings;
mod clients;
mod commands;
mod endings;
mod faults;
mod ground;
mod hosts;
mod keys;
mod look;
mod questions;
mod sizes;
#[path = "../commands/stage.rs"]
#[expect(dead_code, reason = "the tests of the commands use the rest")]
mod stage;
mod traffic;
mod window;
