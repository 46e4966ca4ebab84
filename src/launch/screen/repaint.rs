//! A screen's state as bytes, for a real terminal that has seen nothing of it.
//!
//! It names every mode, set or not, so it also mends a terminal that has lost track. The whole is one frame (mode
//! 2026). Tab stops and the hidden one of the two screens are not in it.

use std::fmt::Write;

use super::Size;
use super::cell::{Attributes, Cell, Link, Row, Style, Underline, Width};
use super::colours::{Colour, Rgb};
use super::cursor::{Cursor, Pen, Shape};
use super::emulator::Emulator;
use super::frame;
use super::keyboard::Shown;
use super::modes::{Modes, Mouse, MouseEncoding, Switches};

/// To be written to a terminal before its first repaint: what the keyboard was told before stays beneath.
pub const ENTER: &str = "\x1b[>0u";

/// Undoes on a terminal whatever repaints and the child's own output have switched on, and takes back [`ENTER`], so
/// it is to be written once. Where the child used the main screen, the cursor ends in its last row: a new line is due.
pub const LEAVE: &str = "\x1b[0m\x1b]8;;\x1b\\\x1b(B\x1b)B\x0f\x1b[r\x1b[?6l\x1b[4l\x1b[20l\x1b[?7h\x1b[999;1H\
    \x1b[?1006l\x1b[?1005l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1007l\x1b[?1004l\x1b[?2004l\x1b[?2031l\
    \x1b[?1l\x1b>\x1b[>4;0m\x1b[0 q\x1b[?1049h\x1b[<99u\x1b[?1049l\x1b[?25h\x1b[?2026l\x1b[<u";

/// Modes that are only about input, with what sets and what resets them.
const INPUT: [(Switches, &str, &str); 6] = [
    (Switches::APPLICATION_CURSOR, "\x1b[?1h", "\x1b[?1l"),
    (Switches::APPLICATION_KEYPAD, "\x1b=", "\x1b>"),
    (Switches::BRACKETED_PASTE, "\x1b[?2004h", "\x1b[?2004l"),
    (Switches::FOCUS, "\x1b[?1004h", "\x1b[?1004l"),
    (Switches::ALTERNATE_SCROLL, "\x1b[?1007h", "\x1b[?1007l"),
    (Switches::SCHEME_REPORTS, "\x1b[?2031h", "\x1b[?2031l"),
];

/// Modes that change what is written, and so come after all of it. Even to reset the origin would move the cursor.
const WRITING: [(Switches, &str, &str); 4] = [
    (Switches::WRAP, "", "\x1b[?7l"),
    (Switches::ORIGIN, "\x1b[?6h", ""),
    (Switches::INSERT, "\x1b[4h", ""),
    (Switches::NEW_LINE, "\x1b[20h", ""),
];

/// Makes writing plain: no looks, no link, letters, the whole screen, no cursor.
const PLAIN: &str = "\x1b[0m\x1b]8;;\x1b\\\x1b(B\x1b)B\x0f\x1b[r\x1b[?6l\x1b[4l\x1b[20l\x1b[?7h\x1b[?25l";

/// The repaint for a terminal of the size `on`.
pub(super) fn whole(emulator: &Emulator, title: &str, size: Size, on: Size) -> Vec<u8> {
    let modes = emulator.modes();
    let mut painter = Painter { text: String::new(), style: Style::default(), link: None };
    painter.text.push_str(&String::from_utf8_lossy(frame::BEGIN));
    painter.text.push_str(screen(modes.shown));
    painter.text.push_str(PLAIN);
    _ = write!(painter.text, "\x1b]2;{title}\x1b\\");
    painter.text.push_str(&input(modes));
    painter.rows(emulator, size, on);
    painter.cursor(emulator, modes, on);
    painter.text.push_str(&String::from_utf8_lossy(frame::END));
    painter.text.into_bytes()
}

/// The modes alone, for an emulator that takes another's place.
pub(super) fn modes(emulator: &Emulator) -> Vec<u8> {
    let modes = emulator.modes();
    let mut text = screen(modes.shown).to_owned() + &input(modes);
    text.extend(WRITING.map(|mode| switch(modes, mode)));
    text.push_str(visibility(emulator.cursor()));
    text.into_bytes()
}

fn screen(shown: Shown) -> &'static str {
    match shown {
        Shown::Main => "\x1b[?1049l",
        Shown::Alternate => "\x1b[?1049h",
    }
}

fn input(modes: Modes) -> String {
    let mut text = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l".to_owned();
    text.push_str(match modes.mouse {
        Mouse::None => "",
        Mouse::Clicks => "\x1b[?1000h",
        Mouse::Drags => "\x1b[?1002h",
        Mouse::Moves => "\x1b[?1003h",
    });
    text.push_str(match modes.mouse_encoding {
        MouseEncoding::Bytes => "",
        MouseEncoding::Utf8 => "\x1b[?1005h",
        MouseEncoding::Sgr => "\x1b[?1006h",
    });
    text.extend(INPUT.map(|mode| switch(modes, mode)));
    _ = write!(text, "\x1b[={};1u\x1b[>4;{}m", modes.kitty.bits(), modes.modify_other_keys as u8);
    text
}

fn switch(modes: Modes, (switch, set, reset): (Switches, &'static str, &'static str)) -> &'static str {
    if modes.has(switch) { set } else { reset }
}

fn visibility(cursor: Cursor) -> &'static str {
    if cursor.visible { "\x1b[?25h" } else { "\x1b[?25l" }
}

/// Writes cells, and remembers how the terminal would write now.
struct Painter {
    text: String,
    style: Style,
    link: Option<Link>,
}

impl Painter {
    fn rows(&mut self, emulator: &Emulator, size: Size, on: Size) {
        let rows = size.rows().min(on.rows());
        for row in 0..rows {
            self.go(row, 0);
            if let Some(cells) = emulator.row(i32::from(row)) {
                self.row(row, &visible(&cells, on));
            }
        }
        if rows < on.rows() {
            self.plain();
            self.go(rows, 0);
            self.text.push_str("\x1b[J");
        }
    }

    /// Writes a row's cells over an erased row.
    fn row(&mut self, row: u16, cells: &[Cell<'_>]) {
        self.plain();
        self.text.push_str("\x1b[2K");
        // Where the terminal's cursor surely is.
        let mut at = Some(0);
        for (column, cell) in (0..).zip(cells) {
            let is_covered =
                cell.width() == Width::Continuation && is_wide(cells, usize::from(column).wrapping_sub(1));
            if is_covered || cell.is_blank() {
                continue;
            }
            if at != Some(column) || cell.could_join() {
                self.go(row, column);
            }
            at = self.cell(cells, column);
        }
    }

    /// Writes a cell; where the cursor then surely is. Terminals differ in how wide they take what is joined or new.
    fn cell(&mut self, cells: &[Cell<'_>], column: u16) -> Option<u16> {
        let cell = cells[usize::from(column)];
        self.look(cell);
        let before = self.text.len();
        let width = match cell.width() {
            Width::Wide if is_wide(cells, usize::from(column)) => 2,
            Width::Narrow => 1,
            // Half of a wide character, whose other half is gone or doesn't fit.
            Width::Wide | Width::Continuation | Width::Filler => {
                self.text.push(' ');
                return Some(column + 1);
            }
        };
        cell.write_to(&mut self.text);
        let is_sure = !cell.is_joined() && self.text[before..].chars().all(|c| c < '\u{1f000}');
        is_sure.then_some(column + width)
    }

    /// Puts the cursor, and the pen that the child's next character is written with.
    fn cursor(&mut self, emulator: &Emulator, modes: Modes, on: Size) {
        let (pen, cursor) = (emulator.pen(), emulator.cursor());
        if let Some((top, bottom)) = pen.region {
            _ = write!(self.text, "\x1b[{top};{}r", bottom.min(on.rows()));
        }
        let (row, column) = (cursor.row.min(on.rows() - 1), cursor.column.min(on.columns() - 1));
        self.go(row, column);
        if pen.wraps_next && column == cursor.column && row == cursor.row {
            self.fill_last(emulator, row, column, on);
        }
        self.look(pen.cell);
        self.text
            .extend(pen.drawing.iter().zip(["\x1b(0", "\x1b)0"]).filter(|(on, _)| **on).map(|(_, set)| set));
        self.text.push_str(if pen.shifted { "\x0e" } else { "" });
        self.writing(modes, &pen, (row, column));
        _ = write!(self.text, "\x1b[{} q", shape(cursor));
        self.text.push_str(visibility(cursor));
    }

    fn writing(&mut self, modes: Modes, pen: &Pen<'_>, (row, column): (u16, u16)) {
        self.text.extend(WRITING.map(|mode| switch(modes, mode)));
        if modes.has(Switches::ORIGIN) {
            // Setting it moves the cursor to the region's top.
            let top = pen.region.map_or(0, |(top, _)| top - 1);
            self.go(row.saturating_sub(top), column);
        }
    }

    /// Writes the last column's character again, after which the next one wraps.
    fn fill_last(&mut self, emulator: &Emulator, row: u16, column: u16, on: Size) {
        let Some(cells) = emulator.row(i32::from(row)) else { return };
        let cells = visible(&cells, on);
        let last = usize::from(column);
        let is_second = cells[last].width() == Width::Continuation && is_wide(&cells, last.wrapping_sub(1));
        let first = column - u16::from(is_second);
        self.go(row, first);
        self.cell(&cells, first);
    }

    fn go(&mut self, row: u16, column: u16) {
        _ = write!(self.text, "\x1b[{};{}H", row + 1, column + 1);
    }

    fn look(&mut self, cell: Cell<'_>) {
        self.style(cell.style());
        let link = cell.link();
        if link != self.link {
            match &link {
                Some(Link { id, uri }) => _ = write!(self.text, "\x1b]8;id={id};{uri}\x1b\\"),
                None => self.text.push_str("\x1b]8;;\x1b\\"),
            }
            self.link = link;
        }
    }

    fn plain(&mut self) {
        self.style(Style::default());
        if self.link.take().is_some() {
            self.text.push_str("\x1b]8;;\x1b\\");
        }
    }

    fn style(&mut self, style: Style) {
        if style != self.style {
            write_style(&mut self.text, style);
            self.style = style;
        }
    }
}

/// A row's cells, as far as the terminal shows them.
fn visible<'a>(row: &'a Row<'_>, on: Size) -> Vec<Cell<'a>> {
    row.cells().take(usize::from(on.columns())).collect()
}

/// Whether a wide character is whole.
fn is_wide(cells: &[Cell<'_>], column: usize) -> bool {
    let width = |column: usize| cells.get(column).map(|cell| cell.width());
    width(column) == Some(Width::Wide) && width(column.wrapping_add(1)) == Some(Width::Continuation)
}

fn write_style(text: &mut String, style: Style) {
    text.push_str("\x1b[0");
    for (attribute, number) in Attributes::SGR {
        if style.attributes.contains(attribute) {
            _ = write!(text, ";{number}");
        }
    }
    text.push_str(match style.underline {
        Underline::None => "",
        Underline::Single => ";4",
        Underline::Double => ";4:2",
        Underline::Curly => ";4:3",
        Underline::Dotted => ";4:4",
        Underline::Dashed => ";4:5",
    });
    for (colour, plane) in [(style.foreground, 3), (style.background, 4), (style.underline_colour, 5)] {
        write_colour(text, colour, plane);
    }
    text.push('m');
}

/// `plane` is 3 for the text, 4 for what is behind it, 5 for its underline.
fn write_colour(text: &mut String, colour: Colour, plane: u8) {
    _ = match colour {
        Colour::Default => Ok(()),
        // The underline has no short form, and is commonly understood with colons.
        Colour::Indexed(index) if plane == 5 => write!(text, ";58:5:{index}"),
        Colour::Rgb(Rgb(red, green, blue)) if plane == 5 => write!(text, ";58:2::{red}:{green}:{blue}"),
        Colour::Indexed(index @ 0..=7) => write!(text, ";{plane}{index}"),
        Colour::Indexed(index @ 8..=15) => write!(text, ";{}", u16::from(plane) * 10 + 52 + u16::from(index)),
        Colour::Indexed(index) => write!(text, ";{plane}8;5;{index}"),
        Colour::Rgb(Rgb(red, green, blue)) => write!(text, ";{plane}8;2;{red};{green};{blue}"),
    };
}

/// The number of DECSCUSR.
fn shape(cursor: Cursor) -> u8 {
    let steady = match cursor.shape {
        None => return 0,
        Some(Shape::Block) => 2,
        Some(Shape::Underline) => 4,
        Some(Shape::Bar) => 6,
    };
    steady - u8::from(cursor.blinking)
}
