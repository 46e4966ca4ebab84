//! The router over real sockets: what goes in and what comes out, byte for byte.
//!
//! A test's name begins with the number of the behaviour (`r5`) or of the public report (`b03`) that it is about.

#[path = "../support/mod.rs"]
mod support;

mod admission;
mod answers;
mod counts;
mod cuts;
mod fidelity;
mod figures;
mod gates;
mod hang_up;
mod life;
mod limits;
#[cfg(target_os = "linux")]
mod process;
mod proxies;
mod repairs;
mod responses;
mod routes;
mod splice;
mod streaming;
mod tls;
#[cfg(target_os = "linux")]
mod today;
mod translation;
