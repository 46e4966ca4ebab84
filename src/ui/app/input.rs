//! What a person does at the terminal, in our own words.

use std::fmt;
use std::str::FromStr;

use crate::launch::screen::Size;
use crate::launch::screen::input::{Action, Focus, Key, Modifiers, Stroke};

/// What comes from the terminal.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Key(Stroke),
    Paste(String),
    Mouse(Mouse),
    Focus(Focus),
    Resize(Size),
}

/// What the mouse did, and where: column and row from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    pub did: Did,
    pub column: u16,
    pub row: u16,
    pub modifiers: Modifiers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Did {
    Button(Action),
    /// Lines: up where negative.
    Wheel(i16),
}

/// A key with its modifiers, as keymap files name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chord(pub Key, pub Modifiers);

/// Why a text names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no key: write a character, or a name such as enter, esc or f1, with ctrl-, alt- or shift- before it"
)]
pub struct ChordError(String);

/// Keys with names.
const NAMED: [(&str, Key); 15] = [
    ("enter", Key::Enter),
    ("tab", Key::Tab),
    ("backspace", Key::Backspace),
    ("esc", Key::Escape),
    ("up", Key::Up),
    ("down", Key::Down),
    ("right", Key::Right),
    ("left", Key::Left),
    ("home", Key::Home),
    ("end", Key::End),
    ("pageup", Key::PageUp),
    ("pagedown", Key::PageDown),
    ("insert", Key::Insert),
    ("delete", Key::Delete),
    ("space", Key::Character(' ')),
];

const MODIFIERS: [(&str, Modifiers); 3] =
    [("ctrl-", Modifiers::CONTROL), ("alt-", Modifiers::ALT), ("shift-", Modifiers::SHIFT)];

impl Chord {
    /// A character says itself whether shift was held.
    pub fn of(stroke: Stroke) -> Self {
        let modifiers = match stroke.key {
            Key::Character(_) => stroke.modifiers.without(Modifiers::SHIFT),
            _ => stroke.modifiers,
        };
        Self(stroke.key, modifiers)
    }

    /// The character that it types; `None`: it is a command.
    pub fn typed(self) -> Option<char> {
        match self {
            Self(Key::Character(character), Modifiers::NONE) => Some(character),
            _ => None,
        }
    }
}

impl FromStr for Chord {
    type Err = ChordError;

    fn from_str(text: &str) -> Result<Self, ChordError> {
        if text == "backtab" {
            return Ok(Self(Key::Tab, Modifiers::SHIFT));
        }
        let mut rest = text;
        let mut modifiers = Modifiers::NONE;
        while let Some((modifier, after)) =
            MODIFIERS.iter().find_map(|(name, modifier)| Some((*modifier, rest.strip_prefix(name)?)))
            && !after.is_empty()
        {
            modifiers = modifiers.with(modifier);
            rest = after;
        }
        let key = key(rest).ok_or_else(|| ChordError(text.to_owned()))?;
        Ok(Self(key, modifiers))
    }
}

fn key(name: &str) -> Option<Key> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return (!character.is_control()).then_some(Key::Character(character));
    }
    let function = name.strip_prefix('f').and_then(|number| number.parse().ok());
    let function = function.filter(|number| (1..=12).contains(number)).map(Key::Function);
    function.or_else(|| NAMED.iter().find(|(known, _)| *known == name).map(|(_, key)| *key))
}

/// As it is written in a keymap file.
impl fmt::Display for Chord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self(Key::Tab, Modifiers::SHIFT) {
            return out.write_str("backtab");
        }
        for (name, _) in MODIFIERS.iter().filter(|(_, modifier)| self.1.contains(*modifier)) {
            out.write_str(name)?;
        }
        match self.0 {
            Key::Function(number) => write!(out, "f{number}"),
            Key::Character(character) if character != ' ' => write!(out, "{character}"),
            key => out.write_str(NAMED.iter().find(|(_, named)| *named == key).map_or("?", |(name, _)| name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_reads_what_it_writes() {
        for text in [
            "q",
            "?",
            "-",
            "G",
            "é",
            "ctrl-c",
            "ctrl--",
            "alt-enter",
            "ctrl-alt-x",
            "backtab",
            "f12",
            "space",
        ] {
            assert_eq!(text.parse::<Chord>().unwrap().to_string(), text);
        }
        for text in ["", "ctrl-", "f13", "f0", "enterr", "Ctrl-c", "\u{7}"] {
            assert!(text.parse::<Chord>().is_err(), "{text}");
        }
    }

    #[test]
    fn shift_is_in_the_character() {
        let stroke = Stroke::new(Key::Character('G'), Modifiers::SHIFT);
        assert_eq!(Chord::of(stroke), "G".parse().unwrap());
        assert_eq!(Chord::of(stroke).typed(), Some('G'));
        let stroke = Stroke::new(Key::Character('c'), Modifiers::CONTROL);
        assert_eq!(Chord::of(stroke).typed(), None);
    }
}
