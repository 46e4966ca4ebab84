//! Keys as every terminal sends them, with xterm's modifiers, application mode and modifyOtherKeys.

use super::super::keyboard::ModifyOtherKeys;
use super::super::modes::{Modes, Switches};
use super::key::{Key, Modifiers, Sequence, Stroke, sequence};

/// A key without kitty's protocol. Shift+Enter is what Alt+Enter is: a new line in Claude Code, where plain Enter
/// would send.
pub(super) fn key(modes: Modes, stroke: Stroke) -> Vec<u8> {
    let Stroke { key, modifiers, .. } = stroke;
    if let Some(sequence) = sequence(key) {
        return special(modes, &sequence, modifiers).into_bytes();
    }
    let text = match key {
        Key::Enter if modifiers.contains(Modifiers::SHIFT) => return b"\x1b\r".to_vec(),
        Key::Enter => "\r".to_owned(),
        Key::Tab if modifiers.contains(Modifiers::SHIFT) => "\x1b[Z".to_owned(),
        Key::Tab => "\t".to_owned(),
        Key::Backspace if modifiers.contains(Modifiers::CONTROL) => "\x08".to_owned(),
        Key::Backspace => "\x7f".to_owned(),
        Key::Escape => "\x1b".to_owned(),
        Key::Character(character) if modifiers.contains(Modifiers::CONTROL) => {
            control(character).unwrap_or(character).to_string()
        }
        Key::Character(character) => character.to_string(),
        _ => return Vec::new(),
    };
    let escape = if modifiers.contains(Modifiers::ALT) { "\x1b" } else { "" };
    [escape, &text].concat().into_bytes()
}

fn special(modes: Modes, sequence: &Sequence, modifiers: Modifiers) -> String {
    let parameter = modifiers.parameter();
    match sequence {
        Sequence::Letter(letter @ 'P'..='S') if modifiers.is_empty() => format!("\x1bO{letter}"),
        Sequence::Letter(letter) if modifiers.is_empty() && modes.has(Switches::APPLICATION_CURSOR) => {
            format!("\x1bO{letter}")
        }
        Sequence::Letter(letter) if modifiers.is_empty() => format!("\x1b[{letter}"),
        Sequence::Letter(letter) => format!("\x1b[1;{parameter}{letter}"),
        Sequence::Tilde(number) if modifiers.is_empty() => format!("\x1b[{number}~"),
        Sequence::Tilde(number) => format!("\x1b[{number};{parameter}~"),
    }
}

/// What control makes of a character.
fn control(character: char) -> Option<char> {
    let code = match character {
        'a'..='z' | 'A'..='Z' => character.to_ascii_lowercase() as u8 - b'a' + 1,
        '@' | ' ' | '2' | '`' => 0,
        '[' | '3' | '{' => 0x1b,
        '\\' | '4' | '|' => 0x1c,
        ']' | '5' | '}' => 0x1d,
        '^' | '6' | '~' => 0x1e,
        '_' | '7' | '/' | '-' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    };
    Some(char::from(code))
}

/// `CSI 27 ; modifiers ; code ~` for a key that has no code of its own with these modifiers.
pub(super) fn other_key(mode: ModifyOtherKeys, stroke: Stroke) -> Option<String> {
    let Stroke { key, modifiers, .. } = stroke;
    let code = match key {
        Key::Character(character) => u32::from(character),
        Key::Enter => 13,
        Key::Tab => 9,
        Key::Backspace => 127,
        Key::Escape => 27,
        _ => return None,
    };
    let is_text = matches!(key, Key::Character(_));
    // Shift alone only types another character.
    let bare = if is_text { modifiers.without(Modifiers::SHIFT) } else { modifiers };
    let known = mode == ModifyOtherKeys::ExceptWellKnown && is_well_known(key, bare);
    (!bare.is_empty() && !known).then(|| format!("\x1b[27;{};{code}~", modifiers.parameter()))
}

/// What has always had a code: control with a letter, alt, and Tab and Backspace.
fn is_well_known(key: Key, modifiers: Modifiers) -> bool {
    match key {
        Key::Character(character) if modifiers == Modifiers::CONTROL => control(character).is_some(),
        Key::Character(_) => modifiers == Modifiers::ALT,
        Key::Tab | Key::Backspace | Key::Escape => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::modes::Modes;
    use super::super::key::key;
    use super::*;

    const SHIFT: Modifiers = Modifiers::SHIFT;
    const ALT: Modifiers = Modifiers::ALT;
    const CONTROL: Modifiers = Modifiers::CONTROL;
    const NONE: Modifiers = Modifiers::NONE;

    fn check(modes: Modes, table: &[(Key, Modifiers, &str)]) {
        for (of, modifiers, expect) in table {
            let sent = key(modes, Stroke::new(*of, *modifiers));
            assert_eq!(sent, expect.as_bytes(), "{of:?} {modifiers:?}: {}", sent.escape_ascii());
        }
    }

    #[test]
    fn p1_legacy_keys() {
        check(
            Modes::default(),
            &[
                (Key::Character('a'), NONE, "a"),
                (Key::Character('A'), SHIFT, "A"),
                (Key::Character('漢'), NONE, "漢"),
                (Key::Character('a'), ALT, "\x1ba"),
                (Key::Character('c'), CONTROL, "\x03"),
                (Key::Character('C'), CONTROL.with(SHIFT), "\x03"),
                (Key::Character('c'), CONTROL.with(ALT), "\x1b\x03"),
                (Key::Character(' '), CONTROL, "\0"),
                (Key::Character('/'), CONTROL, "\x1f"),
                (Key::Character('é'), CONTROL, "é"),
                (Key::Enter, NONE, "\r"),
                (Key::Enter, SHIFT, "\x1b\r"),
                (Key::Enter, ALT, "\x1b\r"),
                (Key::Tab, NONE, "\t"),
                (Key::Tab, SHIFT, "\x1b[Z"),
                (Key::Backspace, NONE, "\x7f"),
                (Key::Backspace, CONTROL, "\x08"),
                (Key::Backspace, ALT, "\x1b\x7f"),
                (Key::Escape, NONE, "\x1b"),
                (Key::Up, NONE, "\x1b[A"),
                (Key::Left, CONTROL, "\x1b[1;5D"),
                (Key::Home, NONE, "\x1b[H"),
                (Key::End, SHIFT, "\x1b[1;2F"),
                (Key::PageUp, NONE, "\x1b[5~"),
                (Key::Delete, CONTROL.with(SHIFT), "\x1b[3;6~"),
                (Key::Function(1), NONE, "\x1bOP"),
                (Key::Function(4), ALT, "\x1b[1;3S"),
                (Key::Function(5), NONE, "\x1b[15~"),
                (Key::Function(12), NONE, "\x1b[24~"),
                (Key::Function(99), NONE, ""),
            ],
        );
    }

    #[test]
    fn p1_application_cursor_keys() {
        let modes = Modes { switches: Switches::APPLICATION_CURSOR, ..Modes::default() };
        check(
            modes,
            &[
                (Key::Up, NONE, "\x1bOA"),
                (Key::Home, NONE, "\x1bOH"),
                (Key::Up, SHIFT, "\x1b[1;2A"),
                (Key::Delete, NONE, "\x1b[3~"),
            ],
        );
    }

    #[test]
    fn g03_modify_other_keys() {
        let all = Modes { modify_other_keys: ModifyOtherKeys::All, ..Modes::default() };
        check(
            all,
            &[
                (Key::Enter, SHIFT, "\x1b[27;2;13~"),
                (Key::Enter, NONE, "\r"),
                (Key::Character('c'), CONTROL, "\x1b[27;5;99~"),
                (Key::Character('a'), ALT, "\x1b[27;3;97~"),
                (Key::Character('A'), SHIFT, "A"),
                (Key::Tab, SHIFT, "\x1b[27;2;9~"),
                (Key::Up, SHIFT, "\x1b[1;2A"),
            ],
        );
        let some = Modes { modify_other_keys: ModifyOtherKeys::ExceptWellKnown, ..Modes::default() };
        check(
            some,
            &[
                (Key::Enter, SHIFT, "\x1b[27;2;13~"),
                (Key::Character('c'), CONTROL, "\x03"),
                (Key::Character('a'), ALT, "\x1ba"),
                (Key::Tab, SHIFT, "\x1b[Z"),
                (Key::Character('1'), CONTROL, "\x1b[27;5;49~"),
            ],
        );
    }
}
