//! What a terminal sends as one: where it ends, and what it means. Pure.

use crate::config::Leader;
use crate::launch::screen::Rgb;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// No key, report or answer of ours is longer, in bytes.
const LONGEST: usize = 64;

/// Kitty's numbers of keys that only change what others mean: locks and modifiers.
const LOCKS: std::ops::RangeInclusive<u32> = 57_358..=57_360;
const MODIFIERS: std::ops::RangeInclusive<u32> = 57_441..=57_454;

/// Signs that lie above another one on most keyboards. A terminal that doesn't tell what a key makes with shift
/// tells the lower one.
const SHIFTED: [(char, char); 4] = [('^', '6'), ('_', '-'), ('@', '2'), ('?', '/')];

/// What one sequence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Key(Key),
    /// What follows was pasted.
    Paste,
    /// The mouse, the focus, a change of colours.
    Report,
    Answer(Answer),
}

/// What a terminal answers when it is asked for its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Foreground(Rgb),
    Background(Rgb),
    /// A colour in a form that nobody knows.
    Unreadable,
    /// What kind of terminal it is: the last that is asked, and known to all.
    Attributes,
}

/// A key, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) id: Id,
    pub(super) event: Event,
    /// What it would type; with Ctrl, what it would type without.
    sign: Option<char>,
    modifiers: Modifiers,
}

/// Which key of the keyboard: a number and the end of its sequence.
pub(super) type Id = (u32, u8);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Press,
    Repeat,
    Release,
}

/// Shift 1, Alt 2, Ctrl 4, and others that are never wanted. The locks don't count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Modifiers(u32);

impl Modifiers {
    const NONE: Self = Self(0);
    const SHIFT: Self = Self(1);
    const CONTROL: Self = Self(4);

    /// As sequences count them: from 1, with caps lock and num lock on top.
    fn of(number: Option<u32>) -> Self {
        Self(number.unwrap_or(1).saturating_sub(1) & !(64 | 128))
    }

    fn without_shift(self) -> Self {
        Self(self.0 & !Self::SHIFT.0)
    }
}

impl Key {
    /// One that nothing here asks for.
    pub(super) const UNNAMED: Self =
        Self { id: (0, 0), event: Event::Press, sign: None, modifiers: Modifiers::NONE };

    /// A key of a terminal that tells characters only.
    fn typed(character: char) -> Self {
        let (sign, modifiers) = match u8::try_from(character) {
            Ok(control @ 0..0x20) => (char::from(control | 0x40), Modifiers::CONTROL),
            _ => (character, Modifiers::NONE),
        };
        Self { sign: Some(sign), modifiers, ..Self::UNNAMED }
    }

    /// The sign that it types and nothing else.
    pub(super) fn plain(self) -> Option<char> {
        self.sign.filter(|_| self.modifiers.without_shift() == Modifiers::NONE)
    }

    pub(super) fn is_modifier(self) -> bool {
        let (number, end) = self.id;
        end == b'u' && (LOCKS.contains(&number) || MODIFIERS.contains(&number))
    }

    pub(super) fn is(self, leader: Leader) -> bool {
        // A sign may need shift; a letter with shift is another key.
        let held =
            if leader.sign().is_ascii_alphabetic() { self.modifiers } else { self.modifiers.without_shift() };
        held == Modifiers::CONTROL && self.sign.map(|sign| sign.to_ascii_lowercase()) == Some(leader.sign())
    }
}

/// How long the first key, report or answer is; `None`: it may not be whole.
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [] | [ESCAPE] | [ESCAPE, b'O'] => None,
        [ESCAPE, b'[', rest @ ..] => control(rest).map(|length| 2 + length),
        [ESCAPE, b']', rest @ ..] => command(rest).map(|length| 2 + length),
        [ESCAPE, b'O', _, ..] => Some(3),
        // With Alt.
        [ESCAPE, rest @ ..] => length(rest).map(|length| 1 + length),
        [first, ..] => character(*first, bytes.len()),
    }
}

/// The rest of a control sequence.
fn control(rest: &[u8]) -> Option<usize> {
    let Some(end) = rest.iter().position(|byte| !(0x20..0x40).contains(byte)) else {
        return (rest.len() >= LONGEST).then_some(rest.len());
    };
    match rest[end] {
        // The oldest report of the mouse: three more bytes.
        b'M' if end == 0 => (rest.len() >= 4).then_some(4),
        0x40..=0x7e => Some(end + 1),
        // Broken: what comes is something else.
        _ => Some(end),
    }
}

/// The rest of a string that could be an answer; 0: it can't.
fn command(rest: &[u8]) -> Option<usize> {
    let head = &rest[..rest.len().min(3)];
    if !b"10;".starts_with(head) && !b"11;".starts_with(head) {
        return Some(0);
    }
    let end = rest.iter().position(|byte| matches!(*byte, BELL | ESCAPE));
    match end.map(|at| (at, &rest[at..])) {
        Some((at, [BELL, ..])) => Some(at + 1),
        Some((at, [_, b'\\', ..])) => Some(at + 2),
        Some((_, [_])) => None,
        Some((at, _)) => Some(at),
        None => (rest.len() >= LONGEST).then_some(0),
    }
}

fn character(first: u8, there: usize) -> Option<usize> {
    let length = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    (there >= length).then_some(length)
}

/// What a whole sequence means ([`length`]).
pub(super) fn meaning(sequence: &[u8]) -> Meaning {
    match sequence {
        [ESCAPE, b'[', b'M', _, _, _] => Meaning::Report,
        [ESCAPE, b'[', body @ .., end] => control_meaning(body, *end),
        [ESCAPE, b']', b'1', ground, b';', text @ ..] => Meaning::Answer(colour(*ground, text)),
        [ESCAPE, ..] => Meaning::Key(Key::UNNAMED),
        _ => {
            let character = std::str::from_utf8(sequence).ok().and_then(|text| text.chars().next());
            Meaning::Key(Key::typed(character.unwrap_or(char::REPLACEMENT_CHARACTER)))
        }
    }
}

fn control_meaning(body: &[u8], end: u8) -> Meaning {
    let body = std::str::from_utf8(body).unwrap_or_default();
    let parameters: Vec<Vec<Option<u32>>> =
        body.split(';').map(|part| part.split(':').map(|number| number.parse().ok()).collect()).collect();
    let at = |first: usize, second: usize| parameters.get(first)?.get(second).copied().flatten();
    let number = at(0, 0).unwrap_or(1);
    match (end, number) {
        (b'c', _) if body.starts_with('?') => Meaning::Answer(Answer::Attributes),
        (b'~', 200) => Meaning::Paste,
        (b'~', 27) if parameters.len() == 3 => {
            let code = at(2, 0).unwrap_or(0);
            let modifiers = Modifiers::of(at(1, 0));
            Meaning::Key(Key {
                id: (code, end),
                event: Event::Press,
                sign: sign(code, None, modifiers),
                modifiers,
            })
        }
        (b'A'..=b'H' | b'P'..=b'S' | b'Z' | b'u' | b'~', _) if !body.starts_with(['<', '=', '>', '?']) => {
            let modifiers = Modifiers::of(at(1, 0));
            let event = event(at(1, 1));
            let told = at(2, 0).and_then(char::from_u32);
            let sign = if end == b'u' { told.or_else(|| layout(&at, number, modifiers)) } else { None };
            Meaning::Key(Key { id: (number, end), event, sign, modifiers })
        }
        _ => Meaning::Report,
    }
}

/// The sign on a key of kitty's protocol. On keyboards of other scripts the Latin one at its place counts.
fn layout(at: &impl Fn(usize, usize) -> Option<u32>, number: u32, modifiers: Modifiers) -> Option<char> {
    match at(0, 2) {
        Some(base) if number > 0x7f => sign(base, None, modifiers),
        _ => sign(number, at(0, 1), modifiers),
    }
}

/// What a key types, with shift where that is held.
fn sign(code: u32, shifted: Option<u32>, modifiers: Modifiers) -> Option<char> {
    let lower = char::from_u32(code)?;
    if modifiers.without_shift() == modifiers {
        return Some(lower);
    }
    let upper = SHIFTED.iter().find(|(_, below)| *below == lower).map_or(lower, |(above, _)| *above);
    shifted.map_or(Some(upper), char::from_u32)
}

fn event(number: Option<u32>) -> Event {
    match number {
        Some(2) => Event::Repeat,
        Some(3) => Event::Release,
        _ => Event::Press,
    }
}

/// What a sequence says, if it is an answer. It must be whole.
pub fn answer(sequence: &[u8]) -> Option<Answer> {
    match meaning(sequence) {
        Meaning::Answer(answer) => Some(answer),
        _ => None,
    }
}

/// `rgb:RRRR/GGGG/BBBB` with one to four digits each, and the end of the string.
fn colour(ground: u8, text: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_end_matches(['\x07', '\x1b', '\\']);
    let channels = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:")).unwrap_or_default();
    let channels: Option<Vec<u8>> = channels.split('/').take(3).map(channel).collect();
    match (channels.as_deref(), ground) {
        (Some(&[red, green, blue]), b'0') => Answer::Foreground(Rgb(red, green, blue)),
        (Some(&[red, green, blue]), _) => Answer::Background(Rgb(red, green, blue)),
        _ => Answer::Unreadable,
    }
}

fn channel(digits: &str) -> Option<u8> {
    if !(1..=4).contains(&digits.len()) {
        return None;
    }
    let most = (1_u32 << (4 * digits.len())) - 1;
    let value = u32::from_str_radix(digits, 16).ok()?;
    u8::try_from((value * 255 + most / 2) / most).ok()
}

#[cfg(test)]
mod tests;
