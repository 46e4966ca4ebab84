//! Keys, the mouse, pasted text and focus, as the bytes that the child expects under its modes.
//!
//! Pure. What the child hasn't asked for is not sent.

mod key;
mod kitty;
mod legacy;
mod mouse;

use super::colours::Scheme;
use super::modes::{Modes, Switches, scheme_report};

pub use key::{Key, Modifiers, Press, Stroke, key};
pub use mouse::{Action, Button, Pointer, Wheel, mouse, wheel};

/// Begins and ends a pasted text.
const PASTE: [&str; 2] = ["\x1b[200~", "\x1b[201~"];

/// Whether the window has the person's attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Gained,
    Lost,
}

/// A pasted text, whole: send it without anything in between. It can't end its own brackets, and without brackets
/// its lines end as if typed.
pub fn paste(modes: Modes, text: &str) -> Vec<u8> {
    let lines = text.replace("\r\n", "\n").replace('\n', "\r");
    // Control characters pretend to be something else than text: keys, or the closing bracket.
    let lines: String = lines.chars().filter(|c| !c.is_control() || matches!(c, '\t' | '\r')).collect();
    if modes.has(Switches::BRACKETED_PASTE) {
        let [begin, end] = PASTE;
        [begin, &lines, end].concat().into_bytes()
    } else {
        lines.into_bytes()
    }
}

/// The window's focus, if the child wants to know.
pub fn focus(modes: Modes, focus: Focus) -> Vec<u8> {
    match focus {
        _ if !modes.has(Switches::FOCUS) => Vec::new(),
        Focus::Gained => b"\x1b[I".to_vec(),
        Focus::Lost => b"\x1b[O".to_vec(),
    }
}

/// A change between dark and light, if the child wants to know.
pub fn scheme(modes: Modes, scheme: Scheme) -> Vec<u8> {
    if modes.has(Switches::SCHEME_REPORTS) { scheme_report(scheme).to_vec() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(switches: Switches) -> Modes {
        Modes { switches, ..Modes::default() }
    }

    #[test]
    fn g05_a_paste_has_one_pair_of_brackets_and_cant_end_it() {
        let bracketed = with(Switches::BRACKETED_PASTE);
        for (modes, text, expect) in [
            (bracketed, "a\nb\nc", "\x1b[200~a\rb\rc\x1b[201~"),
            (bracketed, "a\r\nb\rc", "\x1b[200~a\rb\rc\x1b[201~"),
            (bracketed, "x\x1b[201~rm -rf /\n", "\x1b[200~x[201~rm -rf /\r\x1b[201~"),
            (bracketed, "x\u{9b}201~y", "\x1b[200~x201~y\x1b[201~"),
            (bracketed, "a\x03\x04b\x7f", "\x1b[200~ab\x1b[201~"),
            (bracketed, "é漢\t", "\x1b[200~é漢\t\x1b[201~"),
            (Modes::default(), "a\r\nb", "a\rb"),
        ] {
            assert_eq!(String::from_utf8(paste(modes, text)).unwrap(), expect);
        }
    }

    #[test]
    fn focus_and_scheme_are_told_to_those_who_ask() {
        assert_eq!(focus(with(Switches::FOCUS), Focus::Gained), b"\x1b[I");
        assert_eq!(focus(with(Switches::FOCUS), Focus::Lost), b"\x1b[O");
        assert_eq!(focus(Modes::default(), Focus::Lost), b"");
        assert_eq!(scheme(with(Switches::SCHEME_REPORTS), Scheme::Light), b"\x1b[?997;2n");
        assert_eq!(scheme(Modes::default(), Scheme::Light), b"");
    }
}
