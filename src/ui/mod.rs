//! What people see, drawn from plain data.
//!
//! Drawing is pure: no IO, no clock, no terminal. Who prints the text, and where to, is decided in `command`.

pub mod checkup;
pub mod summary;
mod text;

pub use checkup::{Colour, checkup};
pub use summary::{Summary, summary};
