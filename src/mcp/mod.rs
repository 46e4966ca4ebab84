//! The tools that a launched agent sees, and any other client of the Model Context Protocol.
//!
//! Nothing is decided here: [`server`] reads a call, asks [`crate::launch::delegation`] and tells what came of it. What
//! tools there are ([`definition`]) is the same for the whole of a session, so that a model's prompt keeps its beginning.

pub mod choice;
pub mod chooser;
mod clients;
pub mod definition;
pub mod git;
pub mod http;
mod models;
mod progress;
mod reception;
pub mod server;
pub mod stdio;
