//! The names of a message stream's events, and how to know one without reading it.

/// What an event of the Messages API is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventName {
    MessageStart,
    ContentBlockStart,
    ContentBlockDelta,
    ContentBlockStop,
    MessageDelta,
    MessageStop,
    Ping,
    Error,
    /// A name that the API doesn't have.
    Other,
}

impl EventName {
    /// The name as it stands in the stream; `other` for a foreign one.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MessageStart => "message_start",
            Self::ContentBlockStart => "content_block_start",
            Self::ContentBlockDelta => "content_block_delta",
            Self::ContentBlockStop => "content_block_stop",
            Self::MessageDelta => "message_delta",
            Self::MessageStop => "message_stop",
            Self::Ping => "ping",
            Self::Error => "error",
            Self::Other => "other",
        }
    }

    pub(super) fn of(name: &[u8]) -> Self {
        match name {
            b"content_block_delta" => Self::ContentBlockDelta,
            b"message_start" => Self::MessageStart,
            b"content_block_start" => Self::ContentBlockStart,
            b"content_block_stop" => Self::ContentBlockStop,
            b"message_delta" => Self::MessageDelta,
            b"message_stop" => Self::MessageStop,
            b"ping" => Self::Ping,
            b"error" => Self::Error,
            _ => Self::Other,
        }
    }

    /// The name of an event whose data the tap has no use for, read from the first bytes of that data:
    /// nine in ten events of a stream need no more than this. `None` when the data must be read.
    pub(super) fn of_idle_data(head: &[u8]) -> Option<Self> {
        let name = leading_type(head)?;
        let end = memchr::memchr(b'"', name)?;
        Some(Self::of(&name[..end])).filter(|name| name.is_idle())
    }

    /// Does nothing that is counted depend on the event's data?
    fn is_idle(self) -> bool {
        matches!(
            self,
            Self::ContentBlockStart | Self::ContentBlockDelta | Self::ContentBlockStop | Self::Ping
        )
    }
}

/// What follows `{"type":"`, if the object begins with its type.
fn leading_type(head: &[u8]) -> Option<&[u8]> {
    let compact = head.strip_prefix(br#"{"type":""#);
    compact.or_else(|| {
        let key = head.strip_prefix(b"{")?.trim_ascii_start().strip_prefix(br#""type""#)?;
        let value = key.trim_ascii_start().strip_prefix(b":")?;
        value.trim_ascii_start().strip_prefix(b"\"")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_events_are_known_by_the_first_bytes_of_their_data() {
        let check =
            |head: &str, expect| assert_eq!(EventName::of_idle_data(head.as_bytes()), expect, "{head}");
        check(r#"{"type":"content_block_delta","index":0"#, Some(EventName::ContentBlockDelta));
        check(r#"{"type": "content_block_start", "#, Some(EventName::ContentBlockStart));
        check(r#"{ "type" : "ping" }"#, Some(EventName::Ping));
        check(r#"{"type":"message_start","message":{"#, None);
        check(r#"{"type":"content_block_del"#, None);
        check(r#"{"index":0,"type":"content_block_delta"}"#, None);
        check(r#"{"type":"error"}"#, None);
        check("", None);
        check("[DONE]", None);
    }

    #[test]
    fn every_name_is_read_as_it_is_written() {
        for name in ["message_start", "message_delta", "message_stop", "content_block_stop", "ping", "error"]
        {
            assert_eq!(EventName::of(name.as_bytes()).as_str(), name);
        }
        assert_eq!(EventName::of(b"done"), EventName::Other);
    }
}
