//! What every translated answer has in common: what the provider has said so far, and how Anthropic's API says it,
//! as events or as one message.
//!
//! A dialect reads its provider's words into an [`Answer`]; nothing here knows whose words they were.

mod arguments;
mod error;
mod events;
mod message;
mod said;
mod sse;
mod stop;
mod translation;
mod usage;

pub(super) use error::{Complaint, Fault};
pub use error::{ErrorAnswer, error};
pub(super) use said::{Answer, CallPiece};
pub(super) use stop::Finish;
pub(super) use translation::{Progress, Reader, Translation, whole};
pub(super) use usage::Usage;
