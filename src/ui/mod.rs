//! What is drawn: pure functions from data to text. No IO.

mod summary;

pub use summary::{Summary, summary};
