//! Puts lines together to events, as the event-stream format has it, and hands them to the [`Tally`].

use super::event::EventName;
use super::lines::{LINE_LIMIT, Line, Lines};
use super::tally::Tally;

/// Reads a `text/event-stream` body.
#[derive(Debug, Default)]
pub(super) struct Events {
    lines: Lines,
    pending: Pending,
    tally: Tally,
}

/// The event whose blank line has not come yet.
#[derive(Debug, Default)]
struct Pending {
    /// From its `event:` line.
    name: Option<EventName>,
    content: Content,
}

/// What is known of an event's data.
#[derive(Debug, Default)]
enum Content {
    #[default]
    None,
    /// To be read: the lines of the data, joined by LF.
    Data(Vec<u8>),
    /// Of no use, and not kept.
    Idle(EventName),
    /// Too long to be kept, or put together of lines that were not.
    Unread,
}

impl Events {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let Self { lines, pending, tally } = self;
        lines.feed(bytes, |line| take_line(pending, tally, line));
    }

    /// An event whose blank line is missing counts if its data is whole: that `message_stop` has been said.
    pub(super) fn finish(mut self) -> Tally {
        let Self { lines, pending, tally } = &mut self;
        lines.finish(|line| take_line(pending, tally, line));
        let Pending { name, content } = std::mem::take(pending);
        match content {
            Content::Data(data) => tally.last_event(name, &data),
            Content::None | Content::Unread if name == Some(EventName::Error) => {
                tally.unread_event(EventName::Error);
            }
            Content::None | Content::Unread | Content::Idle(_) => {}
        }
        self.tally.end();
        self.tally
    }

    pub(super) fn is_between(&self) -> bool {
        !self.lines.is_within() && !self.lines.is_after_cr() && self.pending.is_none()
    }
}

impl Pending {
    fn is_none(&self) -> bool {
        self.name.is_none() && matches!(self.content, Content::None)
    }

    fn add_data(&mut self, value: &[u8], line: Line<'_>) {
        match &mut self.content {
            Content::None => self.content = Content::first(value, line),
            Content::Data(data) if line.is_readable() && data.len() + value.len() < LINE_LIMIT => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            Content::Data(_) => self.content = Content::Unread,
            Content::Idle(_) | Content::Unread => {}
        }
    }
}

impl Content {
    fn first(value: &[u8], line: Line<'_>) -> Self {
        match line.idle {
            Some(name) => Self::Idle(name),
            None if line.whole => Self::Data(value.to_vec()),
            None => Self::Unread,
        }
    }
}

impl Line<'_> {
    fn is_readable(&self) -> bool {
        self.whole && self.idle.is_none()
    }
}

/// The value of a line if it is one of data.
pub(super) fn data_of(line: &[u8]) -> Option<&[u8]> {
    value_of(line, b"data")
}

fn take_line(pending: &mut Pending, tally: &mut Tally, line: Line<'_>) {
    if line.bytes.is_empty() {
        take_event(std::mem::take(pending), tally);
    } else if let Some(value) = data_of(line.bytes) {
        pending.add_data(value, line);
    } else if let Some(value) = value_of(line.bytes, b"event") {
        pending.name = Some(EventName::of(value));
    }
}

fn take_event(event: Pending, tally: &mut Tally) {
    let name = event.name;
    match event.content {
        Content::Idle(name) => tally.idle_event(name),
        Content::Data(data) => tally.event(name, &data),
        Content::Unread => tally.unread_event(name.unwrap_or(EventName::Other)),
        Content::None => name.into_iter().for_each(|name| tally.unread_event(name)),
    }
}

/// `NAME: VALUE`, `NAME:VALUE`, or `NAME` alone for an empty value.
fn value_of<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    match line.strip_prefix(name)? {
        [] => Some(&[]),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}
