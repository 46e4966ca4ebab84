//! What a host and those who talk to it say to each other. Pure.
//!
//! Each side first sends [`greeting`]: eleven bytes that no later version may change. Then come frames: the length of
//! the rest as four bytes, the largest first; one byte for the kind; the payload, which is JSON for [`Kind::Control`]
//! and a terminal's bytes for [`Kind::Terminal`]. Whoever is asked answers in the order of the questions; what is told
//! unasked may come between.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use uuid::Uuid;

use super::super::screen::{Rgb, Size};
use super::super::state::{Decision, Dialog, DialogId, Status};

/// Goes up with every change that an older program would misread.
pub const VERSION: u16 = 1;

/// Begins each direction.
const MAGIC: [u8; 9] = *b"subagents";

/// How long a greeting is, in bytes.
pub const GREETING: usize = MAGIC.len() + 2;

/// A frame's payload may be this long, in bytes: the text of a whole scrollback.
pub const LIMIT: usize = 32 * 1024 * 1024;

/// What is left of [`LIMIT`] for a text as JSON, in bytes, next to what surrounds it.
const TEXT: usize = LIMIT - 1024;

/// What is before a payload, in bytes.
pub const HEADER: usize = 5;

/// What a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Control,
    Terminal,
}

/// What is asked of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    /// To see the session and to type in it, on a terminal of this size: [`Kind::Terminal`] from now on, both ways. Asked
    /// again, it changes how the terminal is attached.
    Attach {
        size: Size,
        colours: Option<Colours>,
        /// Older programs say nothing of it, and older hosts pay no heed to it.
        #[serde(default)]
        stance: Stance,
    },
    /// The attached terminal has another size.
    Resize { size: Size },
    /// [`Tell::About`]
    About,
    /// [`Tell::Stats`]
    Stats,
    /// [`Tell::Text`]: what is on the screen, or also what has gone above it.
    Text { part: Part },
    /// [`Tell::Dialogs`]: what waits for a person.
    Dialogs,
    /// To answer one of them; [`Tell::Answered`], or why not.
    Answer { dialog: DialogId, decision: Decision },
    /// To be told [`Tell::About`] and [`Tell::Stats`] now and whenever they change, the figures a few times a second at
    /// most.
    Watch,
    /// To end the session; [`Tell::Ended`] when it has.
    Stop,
}

/// What a host tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "tell", rename_all = "snake_case")]
pub enum Tell {
    About(Box<About>),
    /// As `--stats-file` writes them.
    Stats {
        stats: Value,
    },
    /// The end of it, where it is too long for a frame.
    Text {
        #[serde(serialize_with = "its_end")]
        text: String,
    },
    /// Oldest first.
    Dialogs {
        dialogs: Vec<Dialog>,
    },
    Answered,
    /// What was to be answered was never asked in this session.
    NoSuchDialog,
    /// Claude Code has moved the session into its own background: the attached terminal has nothing more to show.
    Background {
        jobs: Vec<String>,
    },
    /// It isn't done, and why.
    Refused {
        reason: String,
    },
    /// The session has ended. Nothing comes after it.
    Ended(Ended),
}

/// A living session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub session: Uuid,
    pub name: String,
    /// Where Claude Code runs.
    pub folder: PathBuf,
    /// The host's own version, for a person to read.
    pub version: String,
    /// Milliseconds since 1970.
    pub started: i64,
    /// What it does, and why that is believed.
    pub status: Status,
    /// The window's title, as the child has set it.
    pub title: String,
    /// How many terminals are attached.
    pub attached: usize,
    pub size: Size,
    /// Claude Code's short ids of what it has moved into its own background. Where there are some, there is nothing to
    /// attach to any more: `claude attach ID` shows it.
    pub background: Vec<String>,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The child's exit code; 128 + N where signal N ended it.
    pub code: u8,
    /// The signals that were needed, if it was stopped: `hangup`, `terminate`, `kill`.
    pub steps: Vec<String>,
    /// What the child left behind and was ended too, as command lines.
    pub swept: Vec<String>,
    /// The last of the screen, if it lived for less than two seconds: why, for a person to read.
    pub text: Option<String>,
}

/// How a terminal is attached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// Somebody works there: the session is as large as the last such terminal that did something.
    #[default]
    Works,
    /// It is only looked at: its size counts as long as nobody works on another one.
    Looks,
}

/// Which part of a session's text is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Screen,
    History,
}

/// A terminal's own colours, which a child asks for to know whether it is dark or light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colours {
    pub foreground: Rgb,
    pub background: Rgb,
}

/// The first bytes of a direction.
pub fn greeting() -> [u8; GREETING] {
    let mut bytes = [0; GREETING];
    bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
    bytes[MAGIC.len()..].copy_from_slice(&VERSION.to_be_bytes());
    bytes
}

/// The version of whoever greets so; `None`: it isn't one of ours.
pub fn version(greeting: [u8; GREETING]) -> Option<u16> {
    let (magic, version) = greeting.split_at(MAGIC.len());
    (magic == MAGIC).then(|| u16::from_be_bytes([version[0], version[1]]))
}

/// What stands before a payload of this length.
pub fn header(kind: Kind, length: usize) -> [u8; HEADER] {
    // No payload is made that is longer than the limit.
    let [a, b, c, d] = u32::try_from(length + 1).unwrap_or(u32::MAX).to_be_bytes();
    [a, b, c, d, kind.byte()]
}

/// The kind and length of the payload behind a header; `None`: no version of ours writes that.
pub fn payload(header: [u8; HEADER]) -> Option<(Kind, usize)> {
    let [a, b, c, d, kind] = header;
    let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).ok()?.checked_sub(1)?;
    (length <= LIMIT).then_some((Kind::of(kind)?, length))
}

fn its_end<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(end(text, TEXT))
}

/// The longest end of a text that takes at most so many bytes in a JSON string.
fn end(text: &str, limit: usize) -> &str {
    let mut length = 0;
    let start = text.char_indices().rev().take_while(|(_, char)| {
        length += written(*char);
        length <= limit
    });
    &text[start.last().map_or(text.len(), |(start, _)| start)..]
}

/// How many bytes JSON takes for it.
const fn written(char: char) -> usize {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\x08' | '\x0c' => 2,
        '\0'..='\x1f' => 6,
        _ => char.len_utf8(),
    }
}

impl Kind {
    /// How long a payload of those who talk to a host may be, in bytes: an answer with its reason, a paste.
    pub(super) const fn accepted(self) -> usize {
        match self {
            Self::Control => 64 * 1024,
            Self::Terminal => 4 * 1024 * 1024,
        }
    }

    const fn byte(self) -> u8 {
        match self {
            Self::Control => 0,
            Self::Terminal => 1,
        }
    }

    const fn of(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Control),
            1 => Some(Self::Terminal),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_tells_its_version() {
        assert_eq!(version(greeting()), Some(VERSION));
        assert_eq!(version(*b"subagents\x01\x02"), Some(258));
        assert_eq!(version(*b"HTTP/1.1 20"), None);
    }

    #[test]
    fn a_header_tells_what_comes() {
        for (kind, length) in [(Kind::Control, 0), (Kind::Terminal, 1), (Kind::Terminal, LIMIT)] {
            assert_eq!(payload(header(kind, length)), Some((kind, length)));
        }
        for unreadable in [[0, 0, 0, 0, 0], [0, 0, 0, 2, 9], [0xff, 0xff, 0xff, 0xff, 1]] {
            assert_eq!(payload(unreadable), None, "{unreadable:?}");
        }
    }

    #[test]
    fn a_text_that_is_too_long_loses_its_beginning() {
        for (text, limit, expect) in [
            ("abc", 3, "abc"),
            ("abc", 2, "bc"),
            ("a\nb", 2, "b"),
            ("a\u{1b}", 6, "\u{1b}"),
            ("a\u{1b}", 5, ""),
            ("é", 1, ""),
        ] {
            assert_eq!(end(text, limit), expect, "{text:?} in {limit}");
            assert!(serde_json::to_string(expect).unwrap().len() <= limit + 2);
        }
    }

    #[test]
    fn what_is_said_is_read_again() {
        let ask = Ask::Attach { size: Size::new(80, 24), colours: None, stance: Stance::Looks };
        let text = serde_json::to_string(&ask).unwrap();
        let before = r#"{"ask":"attach","size":{"columns":80,"rows":24},"colours":null"#;
        assert_eq!(text, format!("{before},\"stance\":\"looks\"}}"));
        assert_eq!(serde_json::from_str::<Ask>(&text).unwrap(), ask);
        let older = serde_json::from_str::<Ask>(&format!("{before}}}")).unwrap();
        assert!(matches!(older, Ask::Attach { stance: Stance::Works, .. }), "{older:?}");
        let tell = Tell::Refused { reason: "no".to_owned() };
        assert_eq!(serde_json::to_string(&tell).unwrap(), r#"{"tell":"refused","reason":"no"}"#);
        let wild: Ask =
            serde_json::from_str(r#"{"ask":"resize","size":{"columns":0,"rows":65535}}"#).unwrap();
        assert_eq!(wild, Ask::Resize { size: Size::new(2, 500) }, "no size is too small or too large");
    }
}
