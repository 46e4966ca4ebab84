//! How the child wants its terminal to behave, as far as input and a repaint need to know.

use super::colours::Scheme;
use super::keyboard::{KittyFlags, ModifyOtherKeys, Shown};

/// The modes that are set now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modes {
    pub shown: Shown,
    pub mouse: Mouse,
    pub mouse_encoding: MouseEncoding,
    pub kitty: KittyFlags,
    pub modify_other_keys: ModifyOtherKeys,
    pub switches: Switches,
}

/// Which mouse events the child wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mouse {
    #[default]
    None,
    /// 1000: presses, releases and the wheel.
    Clicks,
    /// 1002: moves with a pressed button too.
    Drags,
    /// 1003: all moves.
    Moves,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MouseEncoding {
    /// One byte for each number; places beyond column 223 can't be told.
    #[default]
    Bytes,
    /// 1005
    Utf8,
    /// 1006
    Sgr,
}

/// Modes that are on or off, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Switches(u16);

impl Switches {
    /// 1: arrows as `ESC O A`.
    pub const APPLICATION_CURSOR: Self = Self(1);
    /// The keypad's own codes.
    pub const APPLICATION_KEYPAD: Self = Self(1 << 1);
    /// 2004
    pub const BRACKETED_PASTE: Self = Self(1 << 2);
    /// 1004
    pub const FOCUS: Self = Self(1 << 3);
    /// 1007, only where the child asked for it: the wheel as arrows on the alternate screen.
    pub const ALTERNATE_SCROLL: Self = Self(1 << 4);
    /// 2031: told when the colour scheme changes.
    pub const SCHEME_REPORTS: Self = Self(1 << 5);
    /// 7, on unless taken back
    pub const WRAP: Self = Self(1 << 6);
    /// 6: rows count from the scrolling region's top.
    pub const ORIGIN: Self = Self(1 << 7);
    /// 4 (ANSI)
    pub const INSERT: Self = Self(1 << 8);
    /// 20 (ANSI): a new line begins at the first column.
    pub const NEW_LINE: Self = Self(1 << 9);
    /// 25
    pub const CURSOR_VISIBLE: Self = Self(1 << 10);

    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Modes {
    pub fn has(self, switch: Switches) -> bool {
        self.switches.contains(switch)
    }
}

/// The report of a colour scheme: the answer to `CSI ? 996 n`, and the news under 2031.
pub(super) fn scheme_report(scheme: Scheme) -> &'static [u8] {
    match scheme {
        Scheme::Dark => b"\x1b[?997;1n",
        Scheme::Light => b"\x1b[?997;2n",
    }
}
