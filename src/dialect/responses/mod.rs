//! `OpenAI`'s Responses: a request of Anthropic's said in it, and its answer said in Anthropic's.
//!
//! The shapes are those of `OpenAI`'s public API reference. Nothing is left with the provider (`store` is false): the
//! whole conversation goes along each time, as Anthropic's API has it. What the model thought doesn't: the provider
//! takes that back in no other form than its own. Pure, and always in the same bytes.

mod event;
mod item;
mod request;
mod response;
mod wording;

#[cfg(test)]
mod tests;

pub use super::answer::{ErrorAnswer, error};
pub use super::prompt::Unsayable;
pub use event::{Stream, stream};
pub use request::request;
pub use response::whole;

/// What is asked for, below the base URL.
pub const PATH: &str = "/responses";
