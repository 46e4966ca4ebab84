//! Reads usage beside a response stream.
//!
//! A [`Tap`] is shown every chunk of a body after it has been passed on, and says at the end what it saw:
//! tokens, stop reason, how the stream ended. It must never delay, alter or hold back a byte, never panic
//! whatever a provider sends, and never keep more memory than its limits. What it can't read, it gives up
//! without a word: the figures are then absent, not invented.

mod body;
mod decode;
mod event;
mod events;
mod lines;
mod said;
mod tally;
#[cfg(test)]
mod tests;

use body::Body;
use decode::{Coding, Decoder};
use events::Events;
use tally::Tally;

pub use event::EventName;

/// Looks into one response body.
#[derive(Debug, Default)]
pub struct Tap {
    stage: Stage,
}

/// What a [`Tap`] saw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    pub usage: Usage,
    /// `end_turn`, `tool_use`, `max_tokens`, …: as the provider says it.
    pub stop_reason: Option<String>,
    pub ending: Ending,
    /// Events that arrived whole, pings among them. 0 for a JSON body.
    pub events: u64,
    /// The last of them.
    pub last_event: Option<EventName>,
}

/// Tokens, as the provider counts them. `None` where it said nothing; `input` holds no cached tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Usage {
    pub input: Option<u64>,
    pub output: Option<u64>,
    pub cache_read: Option<u64>,
    pub cache_write: Option<u64>,
}

impl Usage {
    /// All tokens that went in, cached ones too (J03); `None` where the provider said nothing of any.
    pub fn total_input(self) -> Option<u64> {
        let said = [self.input, self.cache_read, self.cache_write];
        said.into_iter().flatten().reduce(u64::saturating_add)
    }

    /// Adds what another answer took.
    pub fn accumulate(&mut self, more: &Self) {
        let pairs = [
            (&mut self.input, more.input),
            (&mut self.output, more.output),
            (&mut self.cache_read, more.cache_read),
            (&mut self.cache_write, more.cache_write),
        ];
        for (sum, more) in pairs {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or_default().saturating_add(more));
            }
        }
    }

    /// All tokens that were not read from a cache.
    pub fn uncached(self) -> u64 {
        [self.input, self.output, self.cache_write].into_iter().flatten().sum()
    }
}

/// How a body ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ending {
    /// `message_stop` was seen, or the JSON body is whole.
    Complete,
    /// The stream said `event: error`.
    ErrorEvent,
    /// It ended before `message_stop`, or within the JSON body.
    Cut,
    /// Not a format that the tap reads, or it gave up.
    #[default]
    Unknown,
}

/// How far the tap has come with the body.
#[derive(Debug, Default)]
enum Stage {
    #[default]
    Off,
    Plain(Reader),
    /// Encoded, and no byte has come yet: a decoder is made when there is something to decode.
    Waiting(Coding, Reader),
    Decoding(Box<Decoder>),
    /// The decoder failed; what was read before that counts.
    GaveUp(Tally),
}

impl Tap {
    /// A tap for a body with these `Content-Type` and `Content-Encoding` headers. Allocates nothing.
    pub fn new(content_type: Option<&str>, content_encoding: Option<&str>) -> Self {
        let stage = match (Reader::of(content_type), Coding::of(content_encoding)) {
            (Some(reader), Some(Coding::Identity)) => Stage::Plain(reader),
            (Some(reader), Some(coding)) => Stage::Waiting(coding, reader),
            (None, _) | (_, None) => Stage::Off,
        };
        Self { stage }
    }

    /// Looks at the body's next bytes, cut anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        match &mut self.stage {
            Stage::Plain(reader) => reader.feed(bytes),
            Stage::Decoding(_) | Stage::Waiting(..) if !bytes.is_empty() => self.decode(bytes),
            _ => {}
        }
    }

    /// Takes what was seen; to be called when the body has ended, or is dropped. The tap is off afterwards.
    pub fn finish(&mut self) -> Findings {
        match std::mem::take(&mut self.stage) {
            Stage::Off => Findings::default(),
            Stage::Plain(reader) | Stage::Waiting(_, reader) => reader.finish().findings(),
            Stage::Decoding(mut decoder) => decoder.take().finish().findings(),
            Stage::GaveUp(tally) => tally.findings_of_part(),
        }
    }

    /// Is the stream between two events, so that an event of the router's own needs no blank line before it?
    /// False where that can't be known or done: in an encoded body, or one that is no event stream.
    pub fn between_events(&self) -> bool {
        matches!(&self.stage, Stage::Plain(Reader::Events(events)) if events.is_between())
    }

    fn decode(&mut self, bytes: &[u8]) {
        let mut decoder = match std::mem::take(&mut self.stage) {
            Stage::Decoding(decoder) => decoder,
            Stage::Waiting(coding, reader) => Box::new(Decoder::new(coding, reader, bytes)),
            other => return self.stage = other,
        };
        self.stage = match decoder.feed(bytes) {
            Ok(()) => Stage::Decoding(decoder),
            Err(_) => Stage::GaveUp(decoder.take().finish()),
        };
    }
}

/// Reads a body's decoded bytes.
#[derive(Debug)]
enum Reader {
    Events(Events),
    Body(Body),
}

impl Reader {
    fn of(content_type: Option<&str>) -> Option<Self> {
        let media_type = content_type?.split(';').next()?.trim();
        if media_type.eq_ignore_ascii_case("text/event-stream") {
            Some(Self::Events(Events::default()))
        } else if media_type.eq_ignore_ascii_case("application/json") {
            Some(Self::Body(Body::default()))
        } else {
            None
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        match self {
            Self::Events(events) => events.feed(bytes),
            Self::Body(body) => body.feed(bytes),
        }
    }

    fn finish(self) -> Tally {
        match self {
            Self::Events(events) => events.finish(),
            Self::Body(body) => body.finish(),
        }
    }
}
