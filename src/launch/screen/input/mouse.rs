//! The mouse: what the child wants to know of it, at its own places.

use super::super::keyboard::Shown;
use super::super::modes::{Modes, Mouse, MouseEncoding, Switches};
use super::key::{Key, Modifiers, Stroke, key};

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Press(Button),
    Release(Button),
    /// Moved, with a button held down or none.
    Move(Option<Button>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    Left,
    Middle,
    Right,
}

/// Where the mouse is on the real terminal and where the child's screen begins on it, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    pub column: u16,
    pub row: u16,
    /// The column and row of the screen's first cell.
    pub origin: (u16, u16),
    pub modifiers: Modifiers,
}

/// What a turn of the wheel is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wheel {
    /// Bytes for the child.
    Child(Vec<u8>),
    /// The child doesn't care: scroll through the lines above the screen.
    Scrollback,
}

/// A press, release or move, if the child wants to know and it is on its screen.
pub fn mouse(modes: Modes, action: Action, pointer: Pointer) -> Vec<u8> {
    let wanted = match (modes.mouse, action) {
        (Mouse::None, _) | (Mouse::Clicks, Action::Move(_)) | (Mouse::Drags, Action::Move(None)) => false,
        (Mouse::Clicks | Mouse::Drags | Mouse::Moves, _) => true,
    };
    let (button, released) = match action {
        Action::Press(button) => (number(button), false),
        Action::Release(button) => (number(button), true),
        Action::Move(held) => (32 + held.map_or(3, number), false),
    };
    if wanted { report(modes, button, released, pointer) } else { Vec::new() }
}

/// A turn of the wheel by `lines`: up where negative. It becomes arrow keys only where the child asked for that.
pub fn wheel(modes: Modes, lines: i16, pointer: Pointer) -> Wheel {
    let turns = usize::from(lines.unsigned_abs());
    if modes.mouse != Mouse::None {
        let button = if lines < 0 { 64 } else { 65 };
        return Wheel::Child(report(modes, button, false, pointer).repeat(turns));
    }
    match modes.shown {
        Shown::Main => Wheel::Scrollback,
        Shown::Alternate if modes.has(Switches::ALTERNATE_SCROLL) => {
            let arrow = if lines < 0 { Key::Up } else { Key::Down };
            Wheel::Child(key(modes, Stroke::new(arrow, Modifiers::NONE)).repeat(turns))
        }
        // There is nothing above an alternate screen.
        Shown::Alternate => Wheel::Child(Vec::new()),
    }
}

fn number(button: Button) -> u8 {
    match button {
        Button::Left => 0,
        Button::Middle => 1,
        Button::Right => 2,
    }
}

fn report(modes: Modes, button: u8, released: bool, pointer: Pointer) -> Vec<u8> {
    let (left, top) = pointer.origin;
    let (Some(column), Some(row)) = (pointer.column.checked_sub(left), pointer.row.checked_sub(top)) else {
        return Vec::new();
    };
    let held = [(Modifiers::SHIFT, 4), (Modifiers::ALT, 8), (Modifiers::CONTROL, 16)];
    let held = held.into_iter().filter(|(modifier, _)| pointer.modifiers.contains(*modifier));
    let button = button + held.map(|(_, bits)| bits).sum::<u8>();
    let (column, row) = (u32::from(column) + 1, u32::from(row) + 1);
    if modes.mouse_encoding == MouseEncoding::Sgr {
        let end = if released { 'm' } else { 'M' };
        return format!("\x1b[<{button};{column};{row}{end}").into_bytes();
    }
    // Older encodings don't tell which button was released.
    let button = if released { button | 3 } else { button };
    let numbers = [u32::from(button), column, row].map(|number| character(modes.mouse_encoding, number + 32));
    let numbers: Option<Vec<Vec<u8>>> = numbers.into_iter().collect();
    numbers.map(|numbers| [b"\x1b[M".to_vec(), numbers.concat()].concat()).unwrap_or_default()
}

/// A number as one byte or character; `None`: it is too large, and the event can't be told.
fn character(encoding: MouseEncoding, number: u32) -> Option<Vec<u8>> {
    match encoding {
        MouseEncoding::Utf8 if number < 2048 => char::from_u32(number).map(|c| c.to_string().into_bytes()),
        MouseEncoding::Bytes => u8::try_from(number).ok().map(|byte| vec![byte]),
        MouseEncoding::Utf8 | MouseEncoding::Sgr => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SGR: MouseEncoding = MouseEncoding::Sgr;

    fn modes(mouse: Mouse, mouse_encoding: MouseEncoding) -> Modes {
        Modes { mouse, mouse_encoding, ..Modes::default() }
    }

    fn at(column: u16, row: u16) -> Pointer {
        Pointer { column, row, origin: (0, 0), modifiers: Modifiers::NONE }
    }

    #[test]
    fn clicks_drags_and_moves_go_to_those_who_want_them() {
        let (press, release) = (Action::Press(Button::Left), Action::Release(Button::Right));
        let (drag, motion) = (Action::Move(Some(Button::Left)), Action::Move(None));
        for (wants, told) in [
            (Mouse::None, ["", "", "", ""]),
            (Mouse::Clicks, ["\x1b[<0;3;2M", "\x1b[<2;3;2m", "", ""]),
            (Mouse::Drags, ["\x1b[<0;3;2M", "\x1b[<2;3;2m", "\x1b[<32;3;2M", ""]),
            (Mouse::Moves, ["\x1b[<0;3;2M", "\x1b[<2;3;2m", "\x1b[<32;3;2M", "\x1b[<35;3;2M"]),
        ] {
            let sent =
                [press, release, drag, motion].map(|action| mouse(modes(wants, SGR), action, at(2, 1)));
            assert_eq!(sent, told.map(|text| text.as_bytes().to_vec()), "{wants:?}");
        }
    }

    #[test]
    fn places_count_from_the_screens_corner() {
        let pointer = Pointer { column: 12, row: 7, origin: (10, 5), modifiers: Modifiers::CONTROL };
        let press = Action::Press(Button::Left);
        assert_eq!(mouse(modes(Mouse::Clicks, SGR), press, pointer), b"\x1b[<16;3;3M");
        assert_eq!(mouse(modes(Mouse::Clicks, SGR), press, Pointer { column: 9, ..pointer }), b"");
    }

    #[test]
    fn older_encodings_tell_what_they_can() {
        let press = Action::Press(Button::Left);
        for (encoding, column, expect) in [
            (MouseEncoding::Bytes, 0, &b"\x1b[M !!"[..]),
            (MouseEncoding::Bytes, 222, b"\x1b[M \xff!"),
            (MouseEncoding::Bytes, 223, b""),
            (MouseEncoding::Utf8, 223, "\x1b[M \u{100}!".as_bytes()),
        ] {
            assert_eq!(mouse(modes(Mouse::Clicks, encoding), press, at(column, 0)), expect, "{column}");
        }
        let release = Action::Release(Button::Middle);
        assert_eq!(mouse(modes(Mouse::Clicks, MouseEncoding::Bytes), release, at(0, 0)), b"\x1b[M#!!");
    }

    #[test]
    fn g07_the_wheel_is_arrows_only_for_those_who_asked() {
        let child = |bytes: &[u8]| Wheel::Child(bytes.to_vec());
        let alternate = Modes { shown: Shown::Alternate, ..Modes::default() };
        let scrolls = Modes { switches: Switches::ALTERNATE_SCROLL, ..alternate };
        let moves = Modes { shown: Shown::Alternate, ..modes(Mouse::Moves, SGR) };
        for (modes, lines, expect) in [
            (Modes::default(), -1, Wheel::Scrollback),
            (alternate, -1, child(b"")),
            (scrolls, -2, child(b"\x1b[A\x1b[A")),
            (scrolls, 1, child(b"\x1b[B")),
            (moves, -1, child(b"\x1b[<64;1;1M")),
            (moves, 2, child(b"\x1b[<65;1;1M\x1b[<65;1;1M")),
        ] {
            assert_eq!(wheel(modes, lines, at(0, 0)), expect);
        }
    }
}
