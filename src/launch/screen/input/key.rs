//! Keys, and which of the protocols a key goes by.

use super::super::keyboard::ModifyOtherKeys;
use super::super::modes::Modes;
use super::{kitty, legacy};

/// A key by what it does in the person's layout, without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// What the key types; with shift what it then types, such as `A` or `!`.
    Character(char),
    Enter,
    Tab,
    Backspace,
    Escape,
    Up,
    Down,
    Right,
    Left,
    Home,
    End,
    PageUp,
    PageDown,
    Insert,
    Delete,
    /// F1 to F35; others send nothing.
    Function(u8),
}

/// Modifiers, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modifiers(u8);

impl Modifiers {
    pub const NONE: Self = Self(0);
    pub const SHIFT: Self = Self(1);
    pub const ALT: Self = Self(2);
    pub const CONTROL: Self = Self(4);
    pub const SUPER: Self = Self(8);

    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number that stands for them in sequences: 1 is none.
    pub(super) fn parameter(self) -> u8 {
        self.0 + 1
    }
}

/// What happened to the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Press {
    #[default]
    Down,
    Repeat,
    Release,
}

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stroke {
    pub key: Key,
    pub modifiers: Modifiers,
    pub press: Press,
}

impl Stroke {
    pub fn new(key: Key, modifiers: Modifiers) -> Self {
        Self { key, modifiers, press: Press::Down }
    }
}

/// The bytes for a key: kitty's where the child has set its flags, else xterm's where the child has set
/// modifyOtherKeys, else those that every terminal sends.
pub fn key(modes: Modes, stroke: Stroke) -> Vec<u8> {
    if !modes.kitty.is_empty() {
        return kitty::key(modes, stroke).into_bytes();
    }
    if stroke.press == Press::Release {
        return Vec::new();
    }
    if modes.modify_other_keys != ModifyOtherKeys::Off
        && let Some(bytes) = legacy::other_key(modes.modify_other_keys, stroke)
    {
        return bytes.into_bytes();
    }
    legacy::key(modes, stroke)
}

/// A key whose sequence has a number or a letter.
pub(super) enum Sequence {
    /// `CSI 1 ; modifiers LETTER`
    Letter(char),
    /// `CSI NUMBER ; modifiers ~`
    Tilde(u8),
}

/// The sequences of keys that type nothing, the same in all protocols but for F3, which kitty numbers.
pub(super) fn sequence(key: Key) -> Option<Sequence> {
    use Sequence::{Letter, Tilde};
    Some(match key {
        Key::Up => Letter('A'),
        Key::Down => Letter('B'),
        Key::Right => Letter('C'),
        Key::Left => Letter('D'),
        Key::Home => Letter('H'),
        Key::End => Letter('F'),
        Key::Insert => Tilde(2),
        Key::Delete => Tilde(3),
        Key::PageUp => Tilde(5),
        Key::PageDown => Tilde(6),
        Key::Function(number @ 1..=4) => Letter(['P', 'Q', 'R', 'S'][usize::from(number) - 1]),
        Key::Function(number @ 5..=20) => {
            Tilde([15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34][usize::from(number) - 5])
        }
        _ => return None,
    })
}
