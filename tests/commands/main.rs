//! The commands as a person or a script runs them: the real binary, a home of its own, files, exit codes.

#![expect(clippy::unwrap_used, reason = "a test that can't go on says so by panicking")]

mod config;
mod policy;
mod stage;
mod usage;
