//! A session on a part of the terminal: what it draws, kept as a screen of its own, and what is typed into it.

use std::time::Instant;

use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use uuid::Uuid;

use super::input::{Did, Mouse};
use crate::launch::screen::input::{self, Pointer, Stroke, Wheel};
use crate::launch::screen::{Attributes, Cell, Colour, Rgb, Screen, Size, Underline, Width};

/// A session that is shown.
pub struct Pane {
    pub session: Uuid,
    screen: Screen,
    /// How many lines above the screen are shown.
    scrolled: usize,
    state: State,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing of it has come yet.
    Asked,
    Shown,
    /// Nothing more will come, and why.
    Closed(String),
}

impl Pane {
    pub fn new(session: Uuid, size: Size) -> Self {
        Self { session, screen: Screen::new(size), scrolled: 0, state: State::Asked }
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn size(&self) -> Size {
        self.screen.size()
    }

    pub fn scrolled(&self) -> usize {
        self.scrolled
    }

    /// The session has drawn this.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) {
        self.state = State::Shown;
        self.screen.feed(bytes, now);
        // The host has answered already, and tells what happened.
        drop(self.screen.take_answers());
        drop(self.screen.take_events());
    }

    /// When [`Pane::tick`] is due.
    pub fn deadline(&self) -> Option<Instant> {
        self.screen.deadline()
    }

    pub fn tick(&mut self, now: Instant) {
        self.screen.expire(now);
    }

    pub fn close(&mut self, reason: String) {
        self.state = State::Closed(reason);
    }

    pub fn resize(&mut self, size: Size) {
        self.screen.resize(size);
    }

    /// Up where negative.
    pub fn scroll(&mut self, lines: i16) {
        let step = usize::from(lines.unsigned_abs());
        let scrolled = if lines < 0 { self.scrolled + step } else { self.scrolled.saturating_sub(step) };
        self.scrolled = scrolled.min(self.screen.history());
    }

    /// The bytes for a key. Whoever types wants to see where.
    pub fn key(&mut self, stroke: Stroke) -> Vec<u8> {
        self.scrolled = 0;
        input::key(self.screen.modes(), stroke)
    }

    pub fn paste(&mut self, text: &str) -> Vec<u8> {
        self.scrolled = 0;
        input::paste(self.screen.modes(), text)
    }

    pub fn focus(&self, focus: input::Focus) -> Vec<u8> {
        input::focus(self.screen.modes(), focus)
    }

    /// The bytes for the mouse, whose place counts from the area's corner; it may only scroll.
    pub fn mouse(&mut self, mouse: Mouse, area: Rect) -> Vec<u8> {
        let pointer = Pointer {
            column: mouse.column,
            row: mouse.row,
            origin: (area.x, area.y),
            modifiers: mouse.modifiers,
        };
        match mouse.did {
            Did::Button(action) => input::mouse(self.screen.modes(), action, pointer),
            Did::Wheel(lines) => match input::wheel(self.screen.modes(), lines, pointer) {
                Wheel::Child(bytes) => bytes,
                Wheel::Scrollback => {
                    self.scroll(lines);
                    Vec::new()
                }
            },
        }
    }

    /// Draws what fits into the area; where the child's cursor is, if it is to be seen.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        let scrolled = i32::try_from(self.scrolled).unwrap_or(0);
        for y in 0..area.height {
            let Some(row) = self.screen.row(i32::from(y) - scrolled) else { continue };
            for (x, cell) in (0..area.width).zip(row.cells()) {
                place(cell, Position { x: area.x + x, y: area.y + y }, x + 1 == area.width, buffer);
            }
        }
        let cursor = self.screen.cursor();
        let is_seen =
            cursor.visible && self.scrolled == 0 && cursor.column < area.width && cursor.row < area.height;
        is_seen.then(|| Position { x: area.x + cursor.column, y: area.y + cursor.row })
    }
}

/// Puts a cell of the child's screen in its place. Half of a wide character is no character.
fn place(cell: Cell<'_>, at: Position, is_last: bool, buffer: &mut Buffer) {
    let Some(target) = buffer.cell_mut(at) else { return };
    target.reset();
    target.set_style(style(cell));
    match cell.width() {
        Width::Narrow => target.set_symbol(&cell.text()),
        Width::Wide if !is_last => target.set_symbol(&cell.text()),
        Width::Wide | Width::Continuation | Width::Filler => target.set_symbol(" "),
    };
    // Terminals and crates disagree about how wide what is joined of several is; the child has decided.
    let text = cell.text();
    if text.chars().nth(1).is_some() && !is_last {
        let columns = if cell.width() == Width::Wide { 2 } else { 1 };
        if let Some(columns) = std::num::NonZeroU16::new(columns) {
            target.set_diff_option(CellDiffOption::ForcedWidth(columns));
        }
    }
}

fn style(cell: Cell<'_>) -> Style {
    let style = cell.style();
    let modifiers = [
        (Attributes::BOLD, Modifier::BOLD),
        (Attributes::DIM, Modifier::DIM),
        (Attributes::ITALIC, Modifier::ITALIC),
        (Attributes::INVERSE, Modifier::REVERSED),
        (Attributes::HIDDEN, Modifier::HIDDEN),
        (Attributes::STRIKE, Modifier::CROSSED_OUT),
    ];
    let mut modifier: Modifier = modifiers
        .into_iter()
        .filter(|(own, _)| style.attributes.contains(*own))
        .map(|(_, theirs)| theirs)
        .collect();
    if style.underline != Underline::None {
        modifier |= Modifier::UNDERLINED;
    }
    Style {
        fg: Some(colour(style.foreground)),
        bg: Some(colour(style.background)),
        underline_color: Some(colour(style.underline_colour)),
        add_modifier: modifier,
        sub_modifier: Modifier::empty(),
    }
}

fn colour(colour: Colour) -> Color {
    match colour {
        Colour::Default => Color::Reset,
        Colour::Indexed(index) => Color::Indexed(index),
        Colour::Rgb(Rgb(red, green, blue)) => Color::Rgb(red, green, blue),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;

    use super::*;

    fn drawn(text: &str, size: (u16, u16), area: (u16, u16)) -> (Buffer, Option<Position>) {
        let mut pane = Pane::new(Uuid::nil(), Size::new(size.0, size.1));
        pane.feed(text.as_bytes(), Instant::now());
        let area = Rect::new(0, 0, area.0, area.1);
        let mut buffer = Buffer::empty(area);
        let cursor = pane.draw(area, &mut buffer);
        (buffer, cursor)
    }

    #[test]
    fn what_is_drawn_is_there_with_its_looks_and_cursor() {
        let (buffer, cursor) = drawn("\x1b[1;31mHi\x1b[0m 漢x", (10, 2), (10, 2));
        assert_eq!(buffer[(0, 0)].symbol(), "H");
        assert_eq!(buffer[(0, 0)].fg, Color::Indexed(1));
        assert!(buffer[(0, 0)].modifier.contains(Modifier::BOLD));
        assert_eq!(buffer[(3, 0)].symbol(), "漢");
        assert_eq!(buffer[(5, 0)].symbol(), "x");
        assert_eq!(cursor, Some(Position { x: 6, y: 0 }));
    }

    #[test]
    fn a_smaller_place_cuts_and_never_halves_a_character() {
        let (buffer, cursor) = drawn("abc漢\r\nxyz", (10, 2), (4, 1));
        let row: String = (0..4).map(|x| buffer[(x, 0)].symbol().to_owned()).collect();
        assert_eq!(row, "abc ");
        assert_eq!(cursor, None);
    }

    #[test]
    fn lines_above_are_seen_until_somebody_types() {
        let mut pane = Pane::new(Uuid::nil(), Size::new(5, 2));
        pane.feed(b"1\r\n2\r\n3\r\n4", Instant::now());
        pane.scroll(-1);
        let area = Rect::new(0, 0, 5, 2);
        let mut buffer = Buffer::empty(area);
        assert_eq!(pane.draw(area, &mut buffer), None);
        assert_eq!((buffer[(0, 0)].symbol(), buffer[(0, 1)].symbol()), ("2", "3"));
        pane.scroll(-9);
        assert_eq!(pane.scrolled(), 2);
        pane.key(Stroke::new(input::Key::Enter, input::Modifiers::NONE));
        assert_eq!(pane.scrolled(), 0);
    }
}
