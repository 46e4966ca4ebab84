//! Whether what an attached terminal sends is a person's doing.
//!
//! Terminals send more than keys: where the mouse is, whether they have the focus, answers to questions.

use memchr::memchr;
use memchr::memmem::rfind;

const ESCAPE: u8 = 0x1b;

/// Whether there is a key, a click or a paste among it.
pub(super) fn is_a_persons(mut input: &[u8]) -> bool {
    loop {
        match input {
            [] => return false,
            [ESCAPE, b'[', rest @ ..] => {
                let Some((sequence, after)) = control(rest) else { return true };
                if !is_a_report(sequence) {
                    return true;
                }
                input = after;
            }
            [ESCAPE, b']' | b'P' | b'_', rest @ ..] => match end_of_string(rest) {
                Some(after) => input = after,
                // Alt with that key.
                None => return true,
            },
            _ => return true,
        }
    }
}

/// Whether the terminal says that it has the focus now, or that it hasn't.
pub(super) fn focus(input: &[u8]) -> Option<bool> {
    let (gained, lost) = (rfind(input, b"\x1b[I"), rfind(input, b"\x1b[O"));
    (gained != lost).then_some(gained > lost)
}

/// A control sequence up to its last byte, and what follows it. `None`: it isn't whole.
fn control(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
    Some(rest.split_at(end + 1))
}

/// What the terminal says by itself: focus, the pointer's way without a button, and answers.
fn is_a_report(sequence: &[u8]) -> bool {
    match sequence {
        // Bit 5 is motion, the low two bits without a button are 3.
        [b'<', button @ .., b'M' | b'm'] => {
            button_of(button).is_some_and(|button| button & 0b10_0011 == 0b10_0011)
        }
        // Focus; attributes, the version's prefix, keyboard flags, modes, colour scheme; sizes.
        b"I" | b"O" | [b'?' | b'>' | b'=', .., b'c' | b'u' | b'y' | b'n'] | [.., b't'] => true,
        // Where the cursor is; F3 with a modifier looks the same, and is no answer to a dialog.
        [.., b'R'] => sequence.contains(&b';'),
        _ => false,
    }
}

fn button_of(parameters: &[u8]) -> Option<u32> {
    let end = memchr(b';', parameters)?;
    std::str::from_utf8(&parameters[..end]).ok()?.parse().ok()
}

/// What follows a string's end.
fn end_of_string(rest: &[u8]) -> Option<&[u8]> {
    let end = rest.iter().position(|byte| matches!(*byte, ESCAPE | 0x07))?;
    match rest[end..] {
        [ESCAPE, b'\\', ref after @ ..] | [0x07, ref after @ ..] => Some(after),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_clicks_and_pastes_are_a_persons() {
        for input in [
            &b"\r"[..],
            b"a",
            b"\x1b",
            b"\x03",
            b"\x1b[A",
            b"\x1b[13;2u",
            b"\x1b[200~pasted\x1b[201~",
            b"\x1b[<0;10;5M",
            b"\x1b[<64;10;5M",
            b"\x1b[<32;10;5M",
            b"\x1b[I\r",
            b"\x1bP",
            b"\x1b[",
        ] {
            assert!(is_a_persons(input), "{}", input.escape_ascii());
        }
    }

    #[test]
    fn the_last_word_on_the_focus_counts() {
        for (input, want) in [
            (&b"\x1b[I"[..], Some(true)),
            (b"\x1b[O", Some(false)),
            (b"\x1b[O\x1b[I\r", Some(true)),
            (b"\x1b[I\x1b[<35;10;5M\x1b[O", Some(false)),
            (b"\x1bOP\x1b[A", None),
        ] {
            assert_eq!(focus(input), want, "{}", input.escape_ascii());
        }
    }

    #[test]
    fn what_terminals_say_by_themselves_is_nobodys() {
        for input in [
            &b""[..],
            b"\x1b[I",
            b"\x1b[O\x1b[I",
            b"\x1b[<35;10;5M",
            b"\x1b[<35;10;5M\x1b[<35;11;5M",
            b"\x1b[<39;11;5M",
            b"\x1b[?62;22c",
            b"\x1b[>1;10;0c",
            b"\x1b[?1u",
            b"\x1b[?2026;2$y",
            b"\x1b[?997;1n",
            b"\x1b[12;40R",
            b"\x1b[8;24;80t",
            b"\x1b]11;rgb:0000/0000/0000\x07",
            b"\x1bP>|Terminal 1\x1b\\",
        ] {
            assert!(!is_a_persons(input), "{}", input.escape_ascii());
        }
    }
}
