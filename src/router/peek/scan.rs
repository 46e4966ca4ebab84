//! An incremental scanner of one JSON object, fed in pieces of any size.
//!
//! It knows strings, escapes and depth, and keeps nothing but the key or the value that it is asked to
//! read. Only the top level is checked for its grammar; deeper levels are skipped by their brackets.
//! It never allocates for what it skips, and never recurses.

use std::borrow::Cow;

use memchr::memchr_iter;

/// Longest key or value that is read; a longer one is no model's name.
const LONGEST: usize = 4096;

/// What the scanner has to say about a piece, in the order of the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// A top-level key named exactly `model`: its string value, decoded, and where the value's token begins and
    /// ends, quotes included, counted from the start of the body. `None`: the value is no readable string.
    Model(Option<ModelValue>),
    /// A top-level key that a careless parser takes for `model` (`Model`, say).
    ModelLike,
    /// A top-level `stream` whose value is `true`.
    Streams,
    /// The first block of the top-level `system` begins at this offset, with its brace.
    BlockStart(u64),
    /// … and ends before this one.
    BlockEnd(u64),
    /// The content of `metadata.user_id`'s string begins at this offset.
    UserIdStart(u64),
    /// … and ends before this one.
    UserIdEnd(u64),
    /// The object is closed: what follows is white space, or no JSON.
    End,
    /// Not a JSON object, as far as the top level shows.
    NotJson,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelValue {
    pub text: String,
    pub start: u64,
    pub end: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the opening brace.
    Start,
    /// After `{` or, at the top level, after `,`.
    Key {
        first: bool,
    },
    Colon,
    Value,
    /// In a number or a word of the top level (or of `metadata`).
    Word,
    /// After a value.
    Comma,
    /// After the `[` of `system`.
    Blocks,
    /// Inside a value that is skipped by its brackets; the depth within it.
    Skip(u32),
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Model,
    Stream,
    System,
    Metadata,
    UserId,
    Other,
}

/// A string that is being read or skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    No,
    Plain,
    /// The byte before was a backslash.
    Escape,
}

/// The scanner. `metadata` is the only nested object that it enters.
#[derive(Debug)]
pub struct Scanner {
    place: Place,
    key: Key,
    text: Text,
    in_metadata: bool,
    /// Within the first block of `system`.
    in_block: bool,
    /// Raw bytes of the key or the value that is being read; one longer than any is cut.
    kept: Vec<u8>,
    keeping: bool,
    kept_from: u64,
    offset: u64,
}

impl Default for Scanner {
    fn default() -> Self {
        Self {
            place: Place::Start,
            key: Key::Other,
            text: Text::No,
            in_metadata: false,
            in_block: false,
            kept: Vec::new(),
            keeping: false,
            kept_from: 0,
            offset: 0,
        }
    }
}

impl Scanner {
    /// Reads on. Returns at the first thing worth saying, with the number of bytes of `piece` read so far; call
    /// again with the rest. `None`: the piece is read to its end.
    pub fn next(&mut self, piece: &[u8]) -> (usize, Option<Seen>) {
        let mut at = 0;
        while at < piece.len() {
            let (read, seen) = self.step(&piece[at..]);
            at += read;
            self.offset += read as u64;
            if seen.is_some() {
                return (at, seen);
            }
        }
        (at, None)
    }

    /// At least one byte forward.
    fn step(&mut self, rest: &[u8]) -> (usize, Option<Seen>) {
        match self.text {
            Text::Escape => {
                self.keep(&rest[..1]);
                self.text = Text::Plain;
                (1, None)
            }
            Text::Plain => self.string(rest),
            Text::No => match self.place {
                Place::Skip(depth) => {
                    let was_in_block = self.in_block;
                    let read = self.skip(rest, depth);
                    let ended = was_in_block && !self.in_block;
                    (read, ended.then_some(Seen::BlockEnd(self.offset + read as u64)))
                }
                _ => (1, self.mark(rest[0])),
            },
        }
    }

    /// Inside a string: to its end, from backslash to backslash.
    fn string(&mut self, rest: &[u8]) -> (usize, Option<Seen>) {
        let end = string_end(rest);
        self.keep(&rest[..end.unwrap_or(rest.len())]);
        let Some(end) = end else {
            self.text = cut_within(rest);
            return (rest.len(), None);
        };
        self.text = Text::No;
        (end + 1, self.string_ends(end as u64))
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.keeping {
            let room = (LONGEST + 1).saturating_sub(self.kept.len());
            self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    /// The closing quote stands `ahead` bytes after the current offset.
    fn string_ends(&mut self, ahead: u64) -> Option<Seen> {
        let end = self.offset + ahead;
        match self.place {
            Place::Key { .. } => {
                self.place = Place::Colon;
                self.name()
            }
            Place::Value => {
                self.place = Place::Comma;
                match self.key {
                    Key::Model => Some(Seen::Model(self.model(end + 1))),
                    Key::UserId => Some(Seen::UserIdEnd(end)),
                    Key::Stream | Key::System | Key::Metadata | Key::Other => None,
                }
            }
            _ => None,
        }
    }

    fn name(&mut self) -> Option<Seen> {
        let key = decode(&self.kept).unwrap_or_default();
        let name = match (self.in_metadata, &*key) {
            (false, "model") => Key::Model,
            (false, "stream") => Key::Stream,
            (false, "system") => Key::System,
            (false, "metadata") => Key::Metadata,
            (true, "user_id") => Key::UserId,
            _ => Key::Other,
        };
        let like = !self.in_metadata && name != Key::Model && key.eq_ignore_ascii_case("model");
        self.key = name;
        like.then_some(Seen::ModelLike)
    }

    fn model(&self, end: u64) -> Option<ModelValue> {
        let text = decode(&self.kept)?.into_owned();
        Some(ModelValue { text, start: self.kept_from, end })
    }

    /// Inside a nested value: from bracket to bracket, over its strings.
    fn skip(&mut self, rest: &[u8], mut depth: u32) -> usize {
        let mut at = 0;
        while let Some(byte) = rest.get(at) {
            at += 1;
            match byte {
                b'"' => {
                    let Some(end) = string_end(&rest[at..]) else {
                        self.text = cut_within(&rest[at..]);
                        self.keeping = false;
                        break;
                    };
                    at += end + 1;
                }
                b'{' | b'[' => depth = depth.saturating_add(1),
                b'}' if depth == 2 && self.in_block => {
                    self.in_block = false;
                    self.place = Place::Skip(1);
                    return at;
                }
                b'}' | b']' if depth == 1 => {
                    self.place = Place::Comma;
                    return at;
                }
                b'}' | b']' => depth -= 1,
                _ => {}
            }
        }
        self.place = Place::Skip(depth);
        rest.len()
    }

    /// One byte of the grammar of the top level, or of `metadata`.
    fn mark(&mut self, byte: u8) -> Option<Seen> {
        let blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match (self.place, byte) {
            (Place::Word, b',' | b'}' | b' ' | b'\t' | b'\n' | b'\r') => {
                self.place = Place::Comma;
                if blank { None } else { self.mark(byte) }
            }
            _ if blank => None,
            (Place::Start, b'{') => self.go(Place::Key { first: true }),
            (Place::Key { .. }, b'"') => self.begin_string(true),
            (Place::Key { first: true } | Place::Comma, b'}') => self.close(),
            (Place::Colon, b':') => self.go(Place::Value),
            (Place::Value, _) => self.begin_value(byte),
            (Place::Comma, b',') => self.go(Place::Key { first: false }),
            (Place::Blocks, b'{') => {
                self.in_block = true;
                self.place = Place::Skip(2);
                Some(Seen::BlockStart(self.offset))
            }
            // No block, or none that is an object.
            (Place::Blocks, _) => {
                self.place = Place::Skip(1);
                self.skip(&[byte], 1);
                None
            }
            (Place::Word, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'.' | b'+' | b'-') => None,
            _ => Some(self.not_json()),
        }
    }

    fn go(&mut self, place: Place) -> Option<Seen> {
        self.place = place;
        None
    }

    fn begin_string(&mut self, keep: bool) -> Option<Seen> {
        self.text = Text::Plain;
        self.kept.clear();
        self.keeping = keep;
        self.kept_from = self.offset;
        None
    }

    fn begin_value(&mut self, byte: u8) -> Option<Seen> {
        match byte {
            b'"' => {
                self.begin_string(self.key == Key::Model);
                (self.key == Key::UserId).then_some(Seen::UserIdStart(self.offset + 1))
            }
            b'{' if self.key == Key::Metadata && !self.in_metadata => {
                self.in_metadata = true;
                self.go(Place::Key { first: true })
            }
            b'[' if self.key == Key::System && !self.in_metadata => self.go(Place::Blocks),
            b'{' | b'[' => {
                self.place = Place::Skip(1);
                self.no_string()
            }
            b'0'..=b'9' | b'-' | b't' | b'f' | b'n' => {
                self.place = Place::Word;
                if self.key == Key::Stream {
                    (byte == b't').then_some(Seen::Streams)
                } else {
                    self.no_string()
                }
            }
            _ => Some(self.not_json()),
        }
    }

    /// A value that is no string begins: if it is the model's, that is worth saying.
    fn no_string(&self) -> Option<Seen> {
        (self.key == Key::Model).then_some(Seen::Model(None))
    }

    fn close(&mut self) -> Option<Seen> {
        if self.in_metadata {
            self.in_metadata = false;
            self.key = Key::Other;
            return self.go(Place::Comma);
        }
        self.place = Place::Done;
        Some(Seen::End)
    }

    fn not_json(&mut self) -> Seen {
        self.place = Place::Done;
        Seen::NotJson
    }
}

/// Bytes that a search by vectors costs as much as: most keys and words are shorter.
const SHORT: usize = 16;

/// Where a string's closing quote stands, from within the string; `None`: not in these bytes.
///
/// Quotes are looked for, and not backslashes too: each line of a prompt ends in one.
fn string_end(text: &[u8]) -> Option<usize> {
    let near = text.iter().take(SHORT).position(|byte| matches!(byte, b'"' | b'\\'));
    if let Some(at) = near.filter(|at| text[*at] == b'"') {
        return Some(at);
    }
    memchr_iter(b'"', text).find(|at| !ends_in_escape(&text[..*at]))
}

/// A backslash that isn't escaped itself stands at the end.
fn ends_in_escape(text: &[u8]) -> bool {
    text.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// The state after bytes of a string without its end: they may be cut between a backslash and what it escapes.
fn cut_within(text: &[u8]) -> Text {
    if ends_in_escape(text) { Text::Escape } else { Text::Plain }
}

/// The text of a JSON string's content; `None` where it is none.
fn decode(raw: &[u8]) -> Option<Cow<'_, str>> {
    if raw.len() > LONGEST {
        return None;
    }
    if memchr::memchr(b'\\', raw).is_none() {
        return std::str::from_utf8(raw).ok().map(Cow::from);
    }
    let quoted = [b"\"", raw, b"\""].concat();
    serde_json::from_slice::<String>(&quoted).ok().map(Cow::from)
}

#[cfg(test)]
mod tests;
