//! What of a child's output goes on to an attached terminal. Pure.
//!
//! The child's questions don't: the session's own screen answers them, and a second answer, from each terminal that
//! happens to be attached, would be taken for something that a person typed. Nor does what a terminal could not be
//! brought back from: its window's size, its colours, its way of sending controls.

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;
/// ENQ: who are you?
const ENQUIRY: u8 = 0x05;

/// Operating system commands that an attached terminal gets: title, folder, link, progress and notifications,
/// the pointer's shape, the clipboard.
const COMMANDS: [&[u8]; 10] = [b"0", b"1", b"2", b"7", b"8", b"9", b"22", b"52", b"99", b"777"];

/// Private modes that it doesn't get: 132 columns and the leave for it, and reports of its size in its input.
const KEPT_MODES: [&[u8]; 3] = [b"3", b"40", b"2048"];

/// The part of the output that goes on. `output` is complete sequences, as [`super::super::screen::Screen::feed`] gives
/// them.
pub(super) fn relay(output: &[u8]) -> Vec<u8> {
    let mut passed = Vec::with_capacity(output.len());
    let mut rest = output;
    while let Some(at) = memchr::memchr2(ESCAPE, ENQUIRY, rest) {
        passed.extend_from_slice(&rest[..at]);
        let length = if rest[at] == ESCAPE { sequence(&rest[at..], &mut passed) } else { 1 };
        rest = &rest[at + length..];
    }
    passed.extend_from_slice(rest);
    passed
}

/// Passes on the sequence that the bytes begin with, or not; its length.
fn sequence(bytes: &[u8], passed: &mut Vec<u8>) -> usize {
    let Some(kind) = bytes.get(1) else { return 1 };
    match kind {
        b'[' => {
            let length = 2 + end_of_control(&bytes[2..]);
            control(&bytes[..length], passed);
            length
        }
        b']' => {
            let (text, length) = string(bytes);
            if is_passed_command(text) {
                passed.extend_from_slice(&bytes[..length]);
            }
            length
        }
        b'P' | b'X' | b'^' | b'_' => string(bytes).1,
        // Who are you; how controls are sent; another encoding than UTF-8.
        b'Z' => 2,
        b' ' | b'%' => bytes.len().min(3),
        _ => {
            passed.extend_from_slice(&bytes[..2]);
            2
        }
    }
}

/// How long the rest of a control sequence is.
fn end_of_control(rest: &[u8]) -> usize {
    let ends = |byte: &u8| matches!(*byte, CANCEL | SUBSTITUTE | ESCAPE | 0x40..=0x7e);
    match rest.iter().position(ends) {
        Some(at) if rest[at] == ESCAPE => at,
        Some(at) => at + 1,
        None => rest.len(),
    }
}

/// The text of a string, and the length of the whole with its beginning and end.
fn string(bytes: &[u8]) -> (&[u8], usize) {
    let is_command = bytes[1] == b']';
    let ends = |byte: &u8| matches!(*byte, CANCEL | SUBSTITUTE | ESCAPE) || (is_command && *byte == BELL);
    let Some(end) = bytes[2..].iter().position(ends).map(|at| at + 2) else { return (&[], bytes.len()) };
    let length = match (bytes[end], bytes.get(end + 1)) {
        (ESCAPE, Some(b'\\')) => end + 2,
        // Another sequence begins in its midst.
        (ESCAPE, _) => end,
        _ => end + 1,
    };
    (&bytes[2..end], length)
}

fn is_passed_command(text: &[u8]) -> bool {
    let number = text.split(|byte| *byte == b';').next().unwrap_or_default();
    let asks = match number {
        b"52" => text.ends_with(b";?"),
        // Kitty's notifications can ask what they may do, and report what became of them.
        b"99" => [&b"p=?"[..], b"p=alive", b"a=report", b"c=1"].iter().any(|part| contains(text, part)),
        _ => false,
    };
    COMMANDS.contains(&number) && !asks
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

/// Passes on a control sequence, whole or in part, or not.
fn control(whole: &[u8], passed: &mut Vec<u8>) {
    let Some((last, body)) = whole[2..].split_last() else { return };
    let prefix = body.first().copied().filter(|byte| (b'<'..=b'?').contains(byte));
    let intermediates =
        body.iter().position(|byte| (0x20..=0x2f).contains(byte)).map_or(&b""[..], |at| &body[at..]);
    match (prefix, intermediates, last) {
        (Some(b'?'), b"", b'h' | b'l') => modes(&body[1..], *last, passed),
        _ if is_passed_control(prefix, intermediates, *last) => passed.extend_from_slice(whole),
        _ => {}
    }
}

fn is_passed_control(prefix: Option<u8>, intermediates: &[u8], last: u8) -> bool {
    match (prefix, intermediates) {
        // Attributes, window, terminal parameters.
        (_, b"") if b"ctx".contains(&last) => false,
        // Status, also whether it is dark or light; keys; graphics.
        (None, b"") => last != b'n',
        (Some(b'?'), b"") => !b"numS".contains(&last),
        // The version.
        (Some(b'>'), b"") => last != b'q',
        (_, b"") => true,
        // Cursor shape, soft reset, protection. All others ask, or change more than what is drawn.
        (None, [one]) => matches!((one, last), (b' ' | b'"', b'q') | (b'!', b'p')),
        _ => false,
    }
}

/// Modes that are set or reset, less those that are kept from the terminal.
fn modes(numbers: &[u8], last: u8, passed: &mut Vec<u8>) {
    let numbers: Vec<&[u8]> =
        numbers.split(|byte| *byte == b';').filter(|number| !KEPT_MODES.contains(number)).collect();
    if !numbers.is_empty() {
        passed.extend_from_slice(b"\x1b[?");
        passed.extend_from_slice(&numbers.join(&b';'));
        passed.push(last);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(output: &[u8], expect: &[u8]) {
        assert_eq!(relay(output).escape_ascii().to_string(), expect.escape_ascii().to_string());
    }

    #[test]
    fn what_draws_goes_on_as_it_is() {
        for output in [
            &b"plain \xe6\xbc\xa2 text\r\n\x07"[..],
            b"\x1b[1;31mred\x1b[0m\x1b[2J\x1b[H\x1b[3;4r\x1b[?25l",
            b"\x1b[?1049h\x1b[?1000;1006h\x1b[?2004h\x1b[?2026h\x1b[?2026l",
            b"\x1b[>5u\x1b[<u\x1b[=1;1u\x1b[>4;2m\x1b[2 q\x1b[!p",
            b"\x1b]0;title\x07\x1b]8;id=1;http://a\x1b\\link\x1b]8;;\x1b\\",
            b"\x1b]9;done\x07\x1b]777;notify;a;b\x07\x1b]52;c;YQ==\x07\x1b]99;i=1;hello\x1b\\",
            b"\x1b7\x1b8\x1b=\x1b>\x1b(B\x1b(0\x1bM\x1bc",
        ] {
            check(output, output);
        }
    }

    #[test]
    fn g14_questions_are_not_asked_twice() {
        for question in [
            &b"\x1b[c"[..],
            b"\x1b[0c",
            b"\x1b[>c",
            b"\x1b[=c",
            b"\x1bZ",
            b"\x05",
            b"\x1b[5n",
            b"\x1b[6n",
            b"\x1b[?6n",
            b"\x1b[?996n",
            b"\x1b[>0q",
            b"\x1b[?u",
            b"\x1b[?4m",
            b"\x1b[?2026$p",
            b"\x1b[4$p",
            b"\x1b[18t",
            b"\x1b[8;50;100t",
            b"\x1b[x",
            b"\x1b[1;1;1;1;1;1*y",
            b"\x1b[?1;1;0S",
            b"\x1b[#R",
            b"\x1b]11;?\x07",
            b"\x1b]4;1;?\x1b\\",
            b"\x1b]10;#ffffff\x07",
            b"\x1b]52;c;?\x07",
            b"\x1b]7501;?\x07",
            b"\x1b]99;i=1:p=?;\x1b\\",
            b"\x1bP+q544e\x1b\\",
            b"\x1bP$qm\x1b\\",
            b"\x1b_Gi=31,a=q;AAAA\x1b\\",
            b"\x1b[?2048h",
            b"\x1b[?3h",
            b"\x1b G",
            b"\x1b%@",
        ] {
            check(&[b"a", question, b"b"].concat(), b"ab");
        }
        check(b"\x1b[?25;2048;7h", b"\x1b[?25;7h");
    }

    #[test]
    fn broken_sequences_take_nothing_with_them() {
        for (output, expect) in [
            (&b"a\x1b[3\x18b"[..], &b"a\x1b[3\x18b"[..]),
            (b"a\x1bPx\x18b", b"ab"),
            (b"a\x1bPx\x1b[1mb", b"a\x1b[1mb"),
            (b"a\x1b]0;x\x1b[1mb", b"a\x1b]0;x\x1b[1mb"),
            (b"a\x1b", b"a"),
        ] {
            check(output, expect);
        }
    }

    proptest! {
        #[test]
        fn no_output_makes_it_panic_and_what_passed_passes_again(output: Vec<u8>) {
            let once = relay(&output);
            prop_assert!(once.len() <= output.len());
        }

        #[test]
        fn sequences_that_end_are_judged_each_for_itself(
            parts in prop::collection::vec(prop::sample::select(vec![
                &b"x"[..], b"\x1b[1m", b"\x1b[c", b"\x1b]0;t\x07", b"\x1b]11;?\x07", b"\x1bP+q\x1b\\", b"\x1b[?1;2048h",
            ]), 0..20),
        ) {
            let apart: Vec<u8> = parts.iter().flat_map(|part| relay(part)).collect();
            prop_assert_eq!(relay(&parts.concat()), apart);
        }
    }
}
