//! Cuts the child's output where a sequence or a character is complete.
//!
//! What is unfinished waits here for its rest. So the emulator is always between two sequences, and a terminal that
//! is attached in the middle of one gets its beginning too.

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

/// A string (a copied text, a title) may be this long, in bytes. The rest of a longer one is ignored.
const STRING_LIMIT: usize = 8 * 1024 * 1024;

/// Begins a string that terminals ignore.
const IGNORED_STRING: &[u8] = b"\x1bX";

/// The end of the stream that isn't complete yet.
#[derive(Default)]
pub(super) struct Stream {
    pending: Vec<u8>,
}

impl Stream {
    /// Takes more bytes and gives all that is complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let goes_on = self.is_in_string() && !bytes.iter().any(|byte| may_end_string(*byte));
        let mut whole = std::mem::take(&mut self.pending);
        whole.extend_from_slice(bytes);
        // A long string is not read anew with each of its pieces.
        self.pending = whole.split_off(if goes_on { 0 } else { complete(&whole) });
        if self.pending.len() > STRING_LIMIT {
            self.pending = IGNORED_STRING.to_vec();
        }
        whole
    }

    fn is_in_string(&self) -> bool {
        matches!(self.pending[..], [ESCAPE, b']' | b'P' | b'X' | b'^' | b'_', ..])
            && !self.pending.ends_with(&[ESCAPE])
    }

    #[cfg(test)]
    pub(super) fn pending(&self) -> &[u8] {
        &self.pending
    }
}

fn may_end_string(byte: u8) -> bool {
    matches!(byte, ESCAPE | BELL | CANCEL | SUBSTITUTE)
}

/// How many of the bytes are complete sequences and characters.
fn complete(bytes: &[u8]) -> usize {
    match memchr::memrchr(ESCAPE, bytes) {
        Some(at) if !is_complete(&bytes[at + 1..]) => beginning(bytes, at),
        _ => bytes.len() - unfinished_character(bytes),
    }
}

/// A string's end begins with an escape too: the string is as unfinished as its end.
fn beginning(bytes: &[u8], last: usize) -> usize {
    let is_end = bytes.len() == last + 1;
    match memchr::memrchr(ESCAPE, &bytes[..last]) {
        Some(before) if is_end && !is_complete(&bytes[before + 1..last]) => before,
        _ => last,
    }
}

/// Whether the sequence whose escape stands before these bytes ends among them.
fn is_complete(sequence: &[u8]) -> bool {
    let Some((first, rest)) = sequence.split_first() else { return false };
    let is_cancelled = |byte: &u8| matches!(*byte, CANCEL | SUBSTITUTE);
    match first {
        b'[' => rest.iter().any(|byte| is_cancelled(byte) || (0x40..=0x7e).contains(byte)),
        b']' => rest.iter().any(|byte| is_cancelled(byte) || *byte == BELL),
        b'P' | b'X' | b'^' | b'_' => rest.iter().any(is_cancelled),
        0x20..=0x2f => rest.iter().any(|byte| is_cancelled(byte) || (0x30..=0x7e).contains(byte)),
        0x00..=0x17 | 0x19 | 0x1c..=0x1f => is_complete(rest),
        _ => true,
    }
}

/// The length of a UTF-8 character's beginning at the end of the bytes.
pub(super) fn unfinished_character(bytes: &[u8]) -> usize {
    let last = bytes.len().saturating_sub(3);
    let Some(lead) = bytes[last..].iter().rposition(|byte| byte & 0xc0 != 0x80) else { return 0 };
    let character = &bytes[last + lead..];
    let length = match character[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    if character.len() < length { character.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_is_complete_goes_on() {
        for (bytes, pending) in [
            (&b"plain"[..], &b""[..]),
            (b"a\x1b", b"\x1b"),
            (b"a\x1b[1;3", b"\x1b[1;3"),
            (b"a\x1b[1;3H", b""),
            (b"a\x1b[1;3Hb", b""),
            (b"\x1b]0;title", b"\x1b]0;title"),
            (b"\x1b]0;title\x07", b""),
            (b"\x1b]0;title\x1b", b"\x1b]0;title\x1b"),
            (b"\x1b]0;title\x1b\\", b""),
            (b"\x1bP+q544e", b"\x1bP+q544e"),
            (b"\x1bP+q544e\x1b\\", b""),
            (b"\x1b(", b"\x1b("),
            (b"\x1b(0", b""),
            (b"\x1b7", b""),
            (b"\x1b[3\x18", b""),
            (b"\x1b[A\xe2\x94", b"\xe2\x94"),
            (b"\xf0\x9f\x93", b"\xf0\x9f\x93"),
            (b"\xf0\x9f\x93\x81", b""),
            (b"\xff", b""),
        ] {
            let mut stream = Stream::default();
            let taken = stream.take(bytes);
            assert_eq!(stream.pending(), pending, "{}", bytes.escape_ascii());
            assert_eq!([&taken, pending].concat(), bytes);
        }
    }

    #[test]
    fn a_string_without_an_end_takes_no_more_memory_than_the_limit() {
        let mut stream = Stream::default();
        stream.take(b"\x1b]52;c;");
        for _ in 0..20 {
            stream.take(&vec![b'A'; 1024 * 1024]);
        }
        assert!(stream.pending().len() < STRING_LIMIT);
        stream.take(b"\x1b\\");
        assert_eq!(stream.pending(), b"");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_added(bytes: Vec<u8>, cuts: Vec<prop::sample::Index>) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.sort_unstable();
            let mut stream = Stream::default();
            let mut seen = Vec::new();
            let mut from = 0;
            for to in cuts.into_iter().chain([bytes.len()]) {
                seen.extend(stream.take(&bytes[from..to]));
                from = to;
            }
            seen.extend_from_slice(stream.pending());
            prop_assert_eq!(seen, bytes);
        }
    }
}
