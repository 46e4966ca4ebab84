//! The real Claude Code, launched by the real `subagents` binary, between upstreams that record what they get.
//!
//! Loopback only. A test's name begins with the number of the behaviour (`l9`) or of the public report (`f05`)
//! that it is about, where there is one. `SUBAGENTS_TEST_CLAUDE` names a Claude Code to test with; without it one
//! is installed by npm into the cache folder, once.

#![expect(clippy::unwrap_used, reason = "a test that can't go on says so by panicking")]

mod chat;
mod claude_code;
mod figures;
mod hosted;
mod installed;
mod launch;
mod reply;
mod request;
mod room;
mod stage;
mod terminal;
mod tooling;
mod upstream;

mod agents;
mod app;
mod background;
mod delegate;
mod delegated;
mod delegation;
mod demo;
mod foreign;
mod gates;
mod held;
mod hostile;
mod inbox;
mod interactive;
mod live;
mod logins;
mod picture;
mod prefix;
mod progress;
mod providers;
mod refused;
mod remembered;
mod resume;
mod routing;
mod scopes;
mod servers;
mod surroundings;
