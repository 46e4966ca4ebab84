//! The router over real sockets: what goes in and what comes out, byte for byte.
//!
//! A test's name begins with the number of the behaviour (`r5`) or of the public report (`b03`) that it is about.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test that can't go on says so by panicking")]

#[path = "../support/mod.rs"]
mod support;

//mod admission;
mod answers;
mod cuts;
mod fidelity;
//mod figures;
mod hang_up;
//mod life;
//mod limits;
//mod proxies;
mod routes;
mod splice;
mod streaming;
//mod tls;
