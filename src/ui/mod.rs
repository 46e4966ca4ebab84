//! What people see, drawn from plain data.
//!
//! Drawing is pure: no IO, no clock, no terminal. Who prints the text, and where to, is decided in `command`.

pub mod app;
mod budgets;
pub mod checkup;
pub mod colour;
pub mod differences;
pub mod inbox;
pub mod models;
mod repairs;
pub mod requests;
pub mod routes;
pub mod sessions;
pub mod summary;
pub mod table;
mod text;
pub mod trial;
pub mod usage;

pub use budgets::budgets;
pub use checkup::checkup;
pub use colour::{Colour, Tone};
pub use differences::differences;
pub use inbox::{waiting, waits_unseen};
pub use models::models;
pub use repairs::repairs;
pub use requests::requests;
pub use routes::routes;
pub use sessions::{session_line, session_status, sessions};
pub use summary::{Summary, summary};
pub use table::{table, visible};
pub use trial::{failure, trial};
pub use usage::{usage, usage_csv};
