//! `OpenAI`'s Chat Completions: a request of Anthropic's said in it, and its answer said in Anthropic's.
//!
//! The shapes are those of `OpenAI`'s public API reference, and what providers that follow it add to them. Pure:
//! the same request is always said in the same bytes, so that a provider's prefix cache holds.

mod completion;
mod request;
mod said;
mod wording;

#[cfg(test)]
mod tests;

pub use super::answer::{ErrorAnswer, error};
pub use super::prompt::Unsayable;
pub use completion::{Stream, stream, whole};
pub use request::request;

/// What is asked for, below the base URL.
pub const PATH: &str = "/chat/completions";
