//! Sequences that the emulator drops without a word, read beside it by a parser of their own.
//!
//! It stops after each, so that its answer comes in the order of the questions.

use alacritty_terminal::vte::{Params, Perform};

use super::outbox::Event;

/// A title or text of a notification may be this long, in bytes.
const TEXT_LIMIT: usize = 4096;

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Aside {
    /// A frame begins (`CSI ? 2026 h`).
    Frame,
    /// XTVERSION: which terminal is this?
    Version,
    /// `CSI ? 996 n`: is it dark or light?
    Scheme,
    /// XTGETTCAP or DECRQSS: what is this capability or setting? The character that the answer repeats.
    Unknown(char),
    Told(Event),
}

/// The parser's side of it.
#[derive(Default)]
pub(super) struct Asides {
    found: Option<Aside>,
    notice: Notice,
}

/// A notification of kitty's, which may come in pieces.
#[derive(Default)]
struct Notice {
    id: Vec<u8>,
    title: String,
    body: String,
}

impl Asides {
    pub(super) fn take(&mut self) -> Option<Aside> {
        self.found.take()
    }

    fn notify(&mut self, title: String, body: String) {
        self.found = Some(Aside::Told(Event::Notification { title, body }));
    }

    /// `99 ; key=value:… ; text`
    fn kitty(&mut self, metadata: &[u8], text: &[&[u8]]) {
        let value = |key: &[u8]| {
            let pairs = metadata.split(|byte| *byte == b':');
            pairs.filter_map(|pair| pair.split_at_checked(2)).find(|(name, _)| *name == key)
        };
        let value = |key: &[u8]| value(key).map_or(&b""[..], |(_, value)| value);
        if value(b"i=") != self.notice.id {
            self.notice = Notice { id: value(b"i=").iter().copied().take(64).collect(), ..Notice::default() };
        }
        let part = match (value(b"p="), value(b"e=")) {
            (b"" | b"title", b"" | b"0") => &mut self.notice.title,
            (b"body", b"" | b"0") => &mut self.notice.body,
            // Icons, buttons and base64 say nothing that could be shown.
            _ => return,
        };
        part.push_str(&shown(text));
        truncate(part);
        if value(b"d=") != b"0" {
            let Notice { title, body, .. } = std::mem::take(&mut self.notice);
            if !(title.is_empty() && body.is_empty()) {
                self.notify(title, body);
            }
        }
    }
}

impl Perform for Asides {
    fn hook(&mut self, _: &Params, intermediates: &[u8], _: bool, action: char) {
        match (intermediates, action) {
            (b"+", 'q') => self.found = Some(Aside::Unknown('+')),
            (b"$", 'q') => self.found = Some(Aside::Unknown('$')),
            _ => {}
        }
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _bell_terminated: bool) {
        match params {
            // 9;4 is how far a work has come.
            [b"9", b"4", _, ..] => {}
            [b"9", text @ ..] if !text.is_empty() => self.notify(String::new(), shown(text)),
            [b"777", b"notify", title, body @ ..] => self.notify(shown(&[title]), shown(body)),
            [b"99", metadata, text @ ..] => self.kitty(metadata, text),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        if ignore {
            return;
        }
        let has = |number: u16| params.iter().any(|param| param == [number]);
        self.found = match (intermediates, action) {
            (b"?", 'h') if has(2026) => Some(Aside::Frame),
            (b">", 'q') if has(0) => Some(Aside::Version),
            (b"?", 'n') if has(996) => Some(Aside::Scheme),
            _ => None,
        };
    }

    fn terminated(&self) -> bool {
        self.found.is_some()
    }
}

/// The parameters as one text again.
fn shown(text: &[&[u8]]) -> String {
    let mut shown = String::from_utf8_lossy(&text.join(&b';')).into_owned();
    truncate(&mut shown);
    shown
}

/// Cuts a text to what a notification or title may take.
pub(super) fn truncate(text: &mut String) {
    text.truncate(text.floor_char_boundary(TEXT_LIMIT));
}

#[cfg(test)]
mod tests {
    use alacritty_terminal::vte::Parser;

    use super::*;

    fn found(mut bytes: &[u8]) -> Vec<Aside> {
        let (mut parser, mut asides, mut all) = (Parser::new(), Asides::default(), Vec::new());
        while !bytes.is_empty() {
            let read = parser.advance_until_terminated(&mut asides, bytes);
            all.extend(asides.take());
            bytes = &bytes[read..];
        }
        all
    }

    fn notification(title: &str, body: &str) -> Aside {
        Aside::Told(Event::Notification { title: title.to_owned(), body: body.to_owned() })
    }

    #[test]
    fn g14_what_the_emulator_drops_is_found() {
        for (bytes, expect) in [
            (&b"a\x1b[>0qb\x1b[>qc"[..], vec![Aside::Version, Aside::Version]),
            (b"\x1b[?2026hx\x1b[?25;2026h", vec![Aside::Frame, Aside::Frame]),
            (b"\x1b[?996n", vec![Aside::Scheme]),
            (b"\x1bP+q544e\x1b\\\x1bP$qm\x1b\\", vec![Aside::Unknown('+'), Aside::Unknown('$')]),
            (b"\x1b[c\x1b[?u\x1b[2 q\x1b]7501;?\x07", vec![]),
        ] {
            assert_eq!(found(bytes), expect, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn notifications_of_all_kinds_are_told() {
        for (bytes, expect) in [
            (&b"\x1b]9;Done; really\x07"[..], vec![notification("", "Done; really")]),
            (b"\x1b]9;4;1;50\x07", vec![]),
            (b"\x1b]777;notify;Claude;waits; for you\x1b\\", vec![notification("Claude", "waits; for you")]),
            (b"\x1b]99;;Hello\x1b\\", vec![notification("Hello", "")]),
            (
                b"\x1b]99;i=1:d=0:p=title;Claude\x1b\\\x1b]99;i=1:p=body:d=0;waits\x1b\\\x1b]99;i=1:d=1:a=focus;\x1b\\",
                vec![notification("Claude", "waits")],
            ),
            (b"\x1b]99;i=2:p=icon;zzz\x1b\\", vec![]),
        ] {
            assert_eq!(found(bytes), expect, "{}", bytes.escape_ascii());
        }
    }
}
