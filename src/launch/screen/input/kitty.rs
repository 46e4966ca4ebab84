//! Keys by kitty's protocol, as far as the child has set its flags.
//!
//! <https://sw.kovidgoyal.net/kitty/keyboard-protocol>. Text that a key types goes as text, until the child wants
//! all keys as sequences.

use super::super::keyboard::KittyFlags;
use super::super::modes::{Modes, Switches};
use super::key::{Key, Modifiers, Press, Sequence, Stroke, sequence};

/// A key; empty where it isn't told.
pub(super) fn key(modes: Modes, stroke: Stroke) -> String {
    let Stroke { key, modifiers, press } = stroke;
    let all = modes.kitty.contains(KittyFlags::ALL_KEYS);
    let tells_events = modes.kitty.contains(KittyFlags::EVENTS);
    if press == Press::Release && (!tells_events || (!all && is_plain(key))) {
        return String::new();
    }
    match (key, sequence(key)) {
        (Key::Function(3), _) => tilde(13, stroke, tells_events),
        (_, Some(Sequence::Letter(letter))) => lettered(modes, letter, stroke, tells_events),
        (_, Some(Sequence::Tilde(number))) => tilde(number, stroke, tells_events),
        // These three stay as they were, so that a shell can be used after a crash.
        (Key::Enter, _) if !all && modifiers.is_empty() => "\r".to_owned(),
        (Key::Tab, _) if !all && modifiers.is_empty() => "\t".to_owned(),
        (Key::Backspace, _) if !all && modifiers.is_empty() => "\x7f".to_owned(),
        (Key::Character(character), _) if !all && modifiers.without(Modifiers::SHIFT).is_empty() => {
            character.to_string()
        }
        _ => code(key).map(|code| numbered(modes, code, stroke)).unwrap_or_default(),
    }
}

/// Keys whose releases are told only where all keys are sequences.
fn is_plain(key: Key) -> bool {
    matches!(key, Key::Enter | Key::Tab | Key::Backspace)
}

/// The key's number: its character without shift.
fn code(key: Key) -> Option<u32> {
    Some(match key {
        Key::Character(character) => u32::from(unshifted(character)),
        Key::Enter => 13,
        Key::Tab => 9,
        Key::Backspace => 127,
        Key::Escape => 27,
        Key::Function(number @ 13..=35) => 57376 + u32::from(number) - 13,
        _ => return None,
    })
}

fn unshifted(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => character,
    }
}

/// `CSI code:shifted ; modifiers:event ; text u`
fn numbered(modes: Modes, code: u32, stroke: Stroke) -> String {
    let (mut alternate, mut text) = (String::new(), String::new());
    if let Key::Character(character) = stroke.key {
        let shifted = stroke.modifiers.contains(Modifiers::SHIFT) && unshifted(character) != character;
        if shifted && modes.kitty.contains(KittyFlags::ALTERNATES) {
            alternate = format!(":{}", u32::from(character));
        }
        let types = stroke.press != Press::Release && stroke.modifiers.without(Modifiers::SHIFT).is_empty();
        if types && modes.kitty.contains(KittyFlags::ALL_KEYS) && modes.kitty.contains(KittyFlags::TEXT) {
            text = format!(";{}", u32::from(character));
        }
    }
    let modifiers = match parameter(stroke, modes.kitty.contains(KittyFlags::EVENTS)) {
        modifiers if modifiers.is_empty() && text.is_empty() => String::new(),
        modifiers => format!(";{modifiers}"),
    };
    format!("\x1b[{code}{alternate}{modifiers}{text}u")
}

fn lettered(modes: Modes, letter: char, stroke: Stroke, tells_events: bool) -> String {
    match parameter(stroke, tells_events) {
        plain if plain.is_empty() && modes.has(Switches::APPLICATION_CURSOR) => format!("\x1bO{letter}"),
        plain if plain.is_empty() && matches!(letter, 'P'..='S') => format!("\x1bO{letter}"),
        plain if plain.is_empty() => format!("\x1b[{letter}"),
        modifiers => format!("\x1b[1;{modifiers}{letter}"),
    }
}

fn tilde(number: u8, stroke: Stroke, tells_events: bool) -> String {
    match parameter(stroke, tells_events) {
        plain if plain.is_empty() => format!("\x1b[{number}~"),
        modifiers => format!("\x1b[{number};{modifiers}~"),
    }
}

/// `modifiers:event`, empty where both are the usual ones.
fn parameter(stroke: Stroke, tells_events: bool) -> String {
    let event = match stroke.press {
        Press::Repeat if tells_events => ":2",
        Press::Down | Press::Repeat => "",
        Press::Release => ":3",
    };
    match stroke.modifiers.parameter() {
        1 if event.is_empty() => String::new(),
        modifiers => format!("{modifiers}{event}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::key;
    use super::*;

    const SHIFT: Modifiers = Modifiers::SHIFT;
    const ALT: Modifiers = Modifiers::ALT;
    const CONTROL: Modifiers = Modifiers::CONTROL;
    const NONE: Modifiers = Modifiers::NONE;

    fn check(flags: u8, table: &[(Key, Modifiers, Press, &str)]) {
        let modes = Modes { kitty: KittyFlags::from_bits(flags), ..Modes::default() };
        for (of, modifiers, press, expect) in table {
            let sent = key(modes, Stroke { key: *of, modifiers: *modifiers, press: *press });
            assert_eq!(
                sent,
                expect.as_bytes(),
                "{flags} {of:?} {modifiers:?} {press:?}: {}",
                sent.escape_ascii()
            );
        }
    }

    #[test]
    fn g03_p1_claude_codes_flags_tell_shift_enter_from_enter() {
        // `CSI > 5 u` is what Claude Code pushes.
        for flags in [1, 5] {
            check(
                flags,
                &[
                    (Key::Enter, NONE, Press::Down, "\r"),
                    (Key::Enter, SHIFT, Press::Down, "\x1b[13;2u"),
                    (Key::Enter, ALT, Press::Down, "\x1b[13;3u"),
                    (Key::Escape, NONE, Press::Down, "\x1b[27u"),
                    (Key::Tab, SHIFT, Press::Down, "\x1b[9;2u"),
                    (Key::Backspace, NONE, Press::Down, "\x7f"),
                    (Key::Character('a'), NONE, Press::Down, "a"),
                    (Key::Character('A'), SHIFT, Press::Down, "A"),
                    (Key::Character('漢'), NONE, Press::Repeat, "漢"),
                    (Key::Character('c'), CONTROL, Press::Down, "\x1b[99;5u"),
                    (Key::Character('a'), ALT, Press::Down, "\x1b[97;3u"),
                    (Key::Up, NONE, Press::Down, "\x1b[A"),
                    (Key::Up, CONTROL, Press::Down, "\x1b[1;5A"),
                    (Key::Delete, NONE, Press::Down, "\x1b[3~"),
                    (Key::Function(1), NONE, Press::Down, "\x1bOP"),
                    (Key::Function(3), NONE, Press::Down, "\x1b[13~"),
                    (Key::Function(13), NONE, Press::Down, "\x1b[25~"),
                    (Key::Enter, SHIFT, Press::Release, ""),
                ],
            );
        }
    }

    #[test]
    fn shifted_characters_are_told_where_asked() {
        let shift_control = SHIFT.with(CONTROL);
        check(1, &[(Key::Character('A'), shift_control, Press::Down, "\x1b[97;6u")]);
        check(5, &[(Key::Character('A'), shift_control, Press::Down, "\x1b[97:65;6u")]);
    }

    #[test]
    fn repeats_and_releases_are_told_where_asked() {
        check(
            3,
            &[
                (Key::Up, NONE, Press::Release, "\x1b[1;1:3A"),
                (Key::Up, NONE, Press::Repeat, "\x1b[1;1:2A"),
                (Key::Escape, NONE, Press::Release, "\x1b[27;1:3u"),
                (Key::Enter, NONE, Press::Release, ""),
                (Key::Delete, SHIFT, Press::Release, "\x1b[3;2:3~"),
            ],
        );
    }

    #[test]
    fn all_keys_are_sequences_where_asked() {
        check(
            8,
            &[
                (Key::Character('a'), NONE, Press::Down, "\x1b[97u"),
                (Key::Character('A'), SHIFT, Press::Down, "\x1b[97;2u"),
                (Key::Enter, NONE, Press::Down, "\x1b[13u"),
            ],
        );
        check(
            24,
            &[
                (Key::Character('a'), NONE, Press::Down, "\x1b[97;;97u"),
                (Key::Character('A'), SHIFT, Press::Down, "\x1b[97;2;65u"),
                (Key::Character('c'), CONTROL, Press::Down, "\x1b[99;5u"),
            ],
        );
    }
}
