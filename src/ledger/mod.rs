//! What is remembered: sessions, what they were launched with, and a row for each request.
//!
//! The meter's records come over a bounded channel to one thread that writes. A request is never held up: what
//! can't be kept is counted, and the count is kept as a gap.

mod answer;
mod exchange;
mod keeping;
mod open;
mod query;
mod requests;
mod rows;
mod scribe;
mod session;
mod sessions;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
mod used;
mod write;

pub use answer::{Answer, Answerer, Decision};
pub use exchange::{ImportError, Imported};
pub use open::{Ledger, LedgerError};
pub use query::{By, Filter, Report, Sum};
pub use requests::{Mark, Newer, Request};
pub use scribe::{Draft, News, Place, Readiness, Scribe};
pub use session::{Ending, Invocation, Kind, SessionRow};
pub use sessions::{Launched, Session};
pub use used::{Used, Whose};
