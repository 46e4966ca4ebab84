//! What a child has drawn on its terminal: bytes in, cells out.
//!
//! [`Screen`] is the one type in front of the emulator. It answers the child's questions, tells what else
//! the child did, never shows half a frame, and can draw all of itself on a terminal that is attached later
//! ([`Screen::repaint`]). Keys and the mouse are encoded by [`input`]. Nothing here does IO or looks at a clock,
//! and no input, however broken, may panic or take memory without bound.

mod archive;
mod asides;
mod cell;
mod colours;
mod containment;
mod cursor;
mod emulator;
mod frame;
pub mod input;
mod joined;
mod keyboard;
mod modes;
mod outbox;
mod repaint;
mod shim;
mod size;
mod stream;

use std::time::Instant;

pub use cell::{Attributes, Cell, Link, Row, Style, Underline, Width};
pub use colours::{Colour, Palette, Rgb, Scheme};
pub use cursor::{Cursor, Shape};
pub use keyboard::{KittyFlags, ModifyOtherKeys, Shown};
pub use modes::{Modes, Mouse, MouseEncoding, Switches};
pub use outbox::{Clipboard, Event};
pub use repaint::{ENTER, LEAVE};
pub use size::Size;

use emulator::Emulator;
use frame::Frame;
use outbox::Shared;
use stream::Stream;

/// A terminal's state, as the child's output has made it.
pub struct Screen {
    size: Size,
    emulator: Emulator,
    stream: Stream,
    frame: Option<Frame>,
    outbox: Shared,
}

impl Screen {
    /// An empty screen with 10,000 lines of scrollback, with a terminal's usual colours.
    pub fn new(size: Size) -> Self {
        containment::prepare();
        let outbox = Shared::default();
        let emulator = Emulator::new(size, Palette::default(), &outbox);
        Self { size, emulator, stream: Stream::default(), frame: None, outbox }
    }

    /// Takes the child's output, cut anywhere. A frame that it opens is shown when it is whole, or after 150 ms:
    /// see [`Screen::deadline`]. Gives the sequences and characters that are complete now, for a terminal that shows
    /// the same.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) -> Vec<u8> {
        self.expire(now);
        let complete = self.stream.take(bytes);
        let mut rest = complete.as_slice();
        while !rest.is_empty() {
            rest = match &mut self.frame {
                Some(frame) => match frame.hold(rest) {
                    Some(end) => {
                        self.show_frame();
                        &rest[end..]
                    }
                    None => &[],
                },
                None => self.draw_until_frame(rest, now),
            };
        }
        complete
    }

    /// When an open frame has to be shown although it isn't whole: call [`Screen::expire`] then.
    pub fn deadline(&self) -> Option<Instant> {
        self.frame.as_ref().map(|frame| frame.deadline)
    }

    /// Shows a frame that has been open for too long.
    pub fn expire(&mut self, now: Instant) {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            self.show_frame();
        }
    }

    /// Another size. Text of the main screen flows anew; the alternate screen is the child's to redraw.
    pub fn resize(&mut self, size: Size) {
        self.size = size;
        self.contained(|emulator| emulator.resize(size));
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// The colours that the child hears of when it asks.
    pub fn set_palette(&mut self, palette: Palette) {
        self.emulator.set_palette(palette);
    }

    /// Answers to the child's questions, in their order, for its terminal and nobody else.
    #[must_use]
    pub fn take_answers(&mut self) -> Vec<u8> {
        self.outbox.lock().take_answers()
    }

    /// What the child did apart from drawing, oldest first. At most 256 wait; the newest beyond are lost.
    #[must_use]
    pub fn take_events(&mut self) -> Vec<Event> {
        self.outbox.lock().take_events()
    }

    /// The window's title; empty where the child has set none.
    pub fn title(&self) -> String {
        self.outbox.lock().title().to_owned()
    }

    pub fn cursor(&self) -> Cursor {
        self.emulator.cursor()
    }

    pub fn modes(&self) -> Modes {
        self.emulator.modes()
    }

    /// How many lines there are above the screen: 10,000 at most.
    pub fn history(&self) -> usize {
        self.emulator.history()
    }

    /// A row: 0 is the topmost on the screen, -1 the last above it. `None`: there is no such row.
    pub fn row(&self, row: i32) -> Option<Row<'_>> {
        self.emulator.row(row)
    }

    /// Whether a row's text goes on in the next row.
    pub fn is_wrapped(&self, row: i32) -> bool {
        self.emulator.is_wrapped(row)
    }

    /// A row as text, without blanks at its end.
    pub fn row_text(&self, row: i32) -> String {
        let mut text = String::new();
        self.row(row).iter().flat_map(Row::cells).for_each(|cell| cell.write_to(&mut text));
        text.truncate(text.trim_end_matches(' ').len());
        text
    }

    /// What is visible, a line for each row.
    pub fn text(&self) -> String {
        self.lines(0)
    }

    /// What is visible, after the lines above it.
    pub fn text_with_history(&self) -> String {
        self.lines(-i32::try_from(self.history()).unwrap_or(i32::MAX))
    }

    /// Everything that makes a terminal in its initial state show this one: contents, looks, links, cursor, modes
    /// and title. Where that terminal is smaller, the part that fits. If it is to follow what the child draws, it needs
    /// [`Screen::open_frame`] next, and then what [`Screen::feed`] gives.
    pub fn repaint(&self, size: Size) -> Vec<u8> {
        repaint::whole(&self.emulator, self.outbox.lock().title(), self.size, size)
    }

    /// The frame that the child has begun and not ended; empty: there is none.
    pub fn open_frame(&self) -> Vec<u8> {
        self.frame.as_ref().map(|frame| [frame::BEGIN, frame.held()].concat()).unwrap_or_default()
    }

    fn lines(&self, from: i32) -> String {
        let rows = from..i32::from(self.size.rows());
        rows.map(|row| self.row_text(row) + "\n").collect()
    }

    /// Draws up to where a frame begins, and gives the rest.
    fn draw_until_frame<'a>(&mut self, bytes: &'a [u8], now: Instant) -> &'a [u8] {
        match self.contained(|emulator| emulator.advance(bytes)) {
            Some((read, begins)) => {
                self.frame = begins.then(|| Frame::begin(now));
                &bytes[read..]
            }
            None => &[],
        }
    }

    fn show_frame(&mut self) {
        let Some(frame) = self.frame.take() else { return };
        let held = frame.into_held();
        self.contained(|emulator| {
            let mut rest = held.as_slice();
            // A frame within a frame is part of it.
            while !rest.is_empty() {
                rest = &rest[emulator.advance(rest).0..];
            }
        });
    }

    /// Lets the emulator work. If it panics, another takes its place: blank, with the same modes.
    fn contained<T>(&mut self, work: impl FnOnce(&mut Emulator) -> T) -> Option<T> {
        let emulator = &mut self.emulator;
        if let Ok(result) = containment::contain(|| work(emulator)) {
            return Some(result);
        }
        let modes = repaint::modes(&self.emulator);
        let mut next = Emulator::new(self.size, self.emulator.palette(), &self.outbox);
        next.advance(&modes);
        next.inherit_keyboard(&mut self.emulator);
        self.emulator = next;
        self.outbox.lock().tell(Event::Restarted);
        None
    }
}

#[cfg(test)]
mod tests;
