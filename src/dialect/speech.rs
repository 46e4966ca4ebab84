//! How a provider is spoken to: which translation stands between it and Claude Code, if one does.

use super::answer::{ErrorAnswer, error};
use super::prompt::Unsayable;
use super::{Rewrite, chat, responses};
use crate::config::{ChatOptions, Dialect, Effort};

/// A provider's dialect, with what it wants there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Speech {
    /// The client's own: nothing is translated.
    #[default]
    Anthropic,
    Chat(ChatOptions),
    /// The highest effort that the model knows.
    Responses(Option<Effort>),
}

impl Speech {
    pub fn new(dialect: Dialect, options: ChatOptions) -> Self {
        match dialect {
            Dialect::Anthropic => Self::Anthropic,
            Dialect::OpenaiChat => Self::Chat(options),
            Dialect::OpenaiResponses => Self::Responses(options.effort),
        }
    }

    pub fn translates(self) -> bool {
        self != Self::Anthropic
    }

    /// What is asked for below the base URL, where the client asks for `call`.
    pub fn path(self, call: &str) -> &str {
        match self {
            Self::Anthropic => call,
            Self::Chat(_) => chat::PATH,
            Self::Responses(_) => responses::PATH,
        }
    }

    /// A request of the client's, as the provider takes it.
    ///
    /// # Errors
    /// It can't be said in the provider's dialect.
    pub fn request(self, body: Vec<u8>) -> Result<Vec<u8>, Unsayable> {
        match self {
            Self::Anthropic => Ok(body),
            Self::Chat(options) => chat::request(&body, options),
            Self::Responses(effort) => responses::request(&body, effort),
        }
    }

    /// What translates an event stream on its way back; the message is called `id`, and `route` is who garbled what can't
    /// be read (C16).
    pub fn stream(self, id: String, route: &str) -> Option<Box<dyn Rewrite>> {
        match self {
            Self::Anthropic => None,
            Self::Chat(_) => Some(Box::new(chat::stream(id).from(route))),
            Self::Responses(_) => Some(Box::new(responses::stream(id).from(route))),
        }
    }

    /// An answer in one piece, as the client gets it: as events if it has asked for a `stream`, else as the message `id`.
    ///
    /// # Errors
    /// What is to be answered instead, when it tells of a failure or can't be read.
    pub fn whole(self, status: u16, body: Vec<u8>, stream: bool, id: String) -> Result<Vec<u8>, ErrorAnswer> {
        match self {
            Self::Anthropic => Ok(body),
            Self::Chat(_) | Self::Responses(_) if status >= 400 => Err(error(status, &body)),
            Self::Chat(_) => chat::whole(&body, stream, id),
            Self::Responses(_) => responses::whole(&body, stream, id),
        }
    }
}
