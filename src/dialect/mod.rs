//! What providers understand: what is changed in a request so that a provider takes it, and what in its answer so
//! that Claude Code does.
//!
//! Pure: bytes in, bytes out. Nothing here knows of connections, routes or files.

mod answer;
pub mod chat;
mod json;
mod prompt;
pub mod repair;
pub mod responses;
mod speech;
#[cfg(test)]
mod testing;
mod text;
pub mod weight;

pub use answer::ErrorAnswer;
pub use prompt::Unsayable;
pub use speech::Speech;

/// How the line begins by which Claude Code tells Anthropic its version and what a request is for: the head of the first
/// block of `system`. It changes with each request.
pub const ATTRIBUTION: &str = "x-anthropic-billing-header:";

/// Changes an answer's body as it comes.
pub trait Rewrite: Send + std::fmt::Debug {
    /// Takes the next piece of what the provider sends, cut anywhere, and appends what the client gets to `out`.
    /// Of an event stream, only whole events are appended.
    fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>);

    /// The provider's body has come to its regular end. Appends what is still missing; never an ending that the
    /// provider didn't give: a stream that stops too early is left open, and whoever relays it says so.
    fn finish(&mut self, out: &mut Vec<u8>);
}
