//! The terminal emulator: the only place, with [`super::shim`], [`super::archive`] and [`super::cell`], that knows which
//! one it is.

use std::time::Duration;

use alacritty_terminal::event::{Event as Happening, EventListener};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::{ClipboardType, Config, Term, TermMode};
use alacritty_terminal::vte::Parser;
use alacritty_terminal::vte::ansi::{
    CharsetIndex, CursorShape, Handler, NamedPrivateMode, Processor, Timeout,
};

use super::Size;
use super::archive::{self, Archive, HISTORY};
use super::asides::{Aside, Asides};
use super::cell::{Cell, Row};
use super::colours::Palette;
use super::cursor::{Cursor, Pen, Shape};
use super::keyboard::Shown;
use super::modes::{self, Modes, Mouse, MouseEncoding, Switches};
use super::outbox::{Clipboard, Event, Shared};
use super::shim::{self, Own, Shim};
use super::stream::unfinished_character;

/// Bytes that are taken before old lines are moved to the archive: a piece of them rarely adds more lines than bytes.
const PIECE: usize = 256;

/// Bytes in, cells out.
pub(super) struct Emulator {
    term: Term<Shared>,
    processor: Processor<Unheld>,
    own: Own,
    beside: Parser,
    asides: Asides,
    /// The main screen was resized while it was hidden.
    resized: bool,
}

/// The next bytes that are taken at once. They end with a whole character: of one in two parts, `vte` 0.15 loses what
/// follows it, where a third character begins within four bytes.
fn piece(bytes: &[u8]) -> &[u8] {
    match bytes.get(..PIECE) {
        Some(piece) => &piece[..PIECE - unfinished_character(piece)],
        None => bytes,
    }
}

/// Frames are held before the bytes come here ([`super::frame`]), by a clock that is passed in.
#[derive(Default)]
struct Unheld;

impl Timeout for Unheld {
    fn set_timeout(&mut self, _: Duration) {}

    fn clear_timeout(&mut self) {}

    fn pending_timeout(&self) -> bool {
        false
    }
}

impl Emulator {
    pub(super) fn new(size: Size, palette: Palette, outbox: &Shared) -> Self {
        let config = Config { scrolling_history: HISTORY, ..Config::default() };
        let mut term = Term::new(config, &size, outbox.clone());
        // On by default there, which would turn the wheel into arrows for children that never asked.
        term.unset_private_mode(NamedPrivateMode::AlternateScroll.into());
        Self {
            term,
            processor: Processor::new(),
            own: Own { palette, outbox: outbox.clone(), ..Own::default() },
            beside: Parser::new(),
            asides: Asides::default(),
            resized: false,
        }
    }

    /// Takes bytes up to the beginning of a frame; how many those are, and whether a frame begins there.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut read = 0;
        while read < bytes.len() {
            let piece = piece(&bytes[read..]);
            let more = self.beside.advance_until_terminated(&mut self.asides, piece);
            let mut shim = Shim { term: &mut self.term, own: &mut self.own };
            self.processor.advance(&mut shim, &piece[..more]);
            read += more;
            self.settle();
            match self.asides.take() {
                Some(Aside::Frame) => return (read, true),
                Some(aside) => self.attend(aside),
                None => {}
            }
        }
        (read, false)
    }

    fn attend(&self, aside: Aside) {
        let mut outbox = self.own.outbox.lock();
        match aside {
            Aside::Version => outbox.answer(
                concat!("\x1bP>|", env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"), "\x1b\\")
                    .as_bytes(),
            ),
            Aside::Scheme => outbox.answer(modes::scheme_report(self.own.palette.scheme())),
            Aside::Unknown(kind) => outbox.answer(format!("\x1bP0{kind}r\x1b\\").as_bytes()),
            Aside::Told(event) => outbox.tell(event),
            Aside::Frame => {}
        }
    }

    /// The rows change first, as within the emulator: what they push out at the top is gone before anything flows.
    pub(super) fn resize(&mut self, size: Size) {
        self.own.last.forget();
        self.own.region = None;
        let columns = u16::try_from(self.term.columns()).unwrap_or(u16::MAX);
        self.resize_one_way(Size::new(columns, size.rows()));
        self.resize_one_way(size);
    }

    /// What has changed is either the rows or the columns. While the alternate screen is shown, the main screen's lines
    /// are out of reach, and it has to do with those that it has.
    fn resize_one_way(&mut self, size: Size) {
        let from = self.term.columns();
        if shim::shown(&self.term) == Shown::Main {
            let needed = needed(&self.term, size);
            self.own.archive.give_back(self.term.grid_mut(), needed);
        }
        self.term.resize(size);
        archive::touch(self.term.grid_mut());
        self.own.archive.reflow(from, Dimensions::columns(&size));
        self.resized |= shim::shown(&self.term) == Shown::Alternate;
        self.settle();
    }

    /// Moves old lines to the archive. The alternate screen has none.
    fn settle(&mut self) {
        if shim::shown(&self.term) == Shown::Main {
            if std::mem::take(&mut self.resized) {
                archive::touch(self.term.grid_mut());
            }
            self.own.archive.settle(self.term.grid_mut());
        }
    }

    pub(super) fn set_palette(&mut self, palette: Palette) {
        self.own.palette = palette;
    }

    pub(super) fn palette(&self) -> Palette {
        self.own.palette
    }

    /// Keeps what the keyboard was told in an emulator that failed.
    pub(super) fn inherit_keyboard(&mut self, failed: &mut Self) {
        self.own.keyboard = std::mem::take(&mut failed.own.keyboard);
    }

    /// Lines above the screen.
    pub(super) fn history(&self) -> usize {
        self.term.history_size() + self.archive().map_or(0, Archive::len)
    }

    /// A row; -1 is the last one above the screen.
    pub(super) fn row(&self, row: i32) -> Option<Row<'_>> {
        let line = Line(row);
        if line >= self.term.topmost_line() && line <= self.term.bottommost_line() {
            return Some(Row::borrowed(&self.term.grid()[line][..]));
        }
        let above = usize::try_from(row.checked_neg()?).ok()?.checked_sub(self.term.history_size() + 1)?;
        self.archive()?.row(above, self.term.columns()).map(Row::owned)
    }

    /// Whether a row goes on in the next one.
    pub(super) fn is_wrapped(&self, row: i32) -> bool {
        self.row(row).is_some_and(|row| row.is_wrapped())
    }

    /// What is above the lines that the emulator keeps of the screen that is shown.
    fn archive(&self) -> Option<&Archive> {
        (shim::shown(&self.term) == Shown::Main).then_some(&self.own.archive)
    }

    pub(super) fn cursor(&self) -> Cursor {
        let cursor = &self.term.grid().cursor;
        Cursor {
            row: u16::try_from(cursor.point.line.0).unwrap_or(0),
            column: u16::try_from(cursor.point.column.0).unwrap_or(0),
            visible: self.term.mode().contains(TermMode::SHOW_CURSOR),
            shape: self.own.cursor_style.and_then(|style| Shape::of(style.shape)),
            blinking: self.own.cursor_style.is_some_and(|style| style.blinking),
        }
    }

    /// What the next character would be written with.
    pub(super) fn pen(&self) -> Pen<'_> {
        let cursor = &self.term.grid().cursor;
        let region = self.own.region.map(|(top, bottom)| {
            let row = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
            (row(top), row(bottom))
        });
        let drawing = [CharsetIndex::G0, CharsetIndex::G1].map(|index| {
            cursor.charsets[index]
                == alacritty_terminal::vte::ansi::StandardCharset::SpecialCharacterAndLineDrawing
        });
        Pen {
            cell: Cell(&cursor.template),
            wraps_next: cursor.input_needs_wrap && cursor.point.column == self.term.last_column(),
            region,
            drawing,
            shifted: self.own.charset == CharsetIndex::G1,
        }
    }

    pub(super) fn modes(&self) -> Modes {
        let mode = *self.term.mode();
        let shown = shim::shown(&self.term);
        let mouse = [
            (TermMode::MOUSE_MOTION, Mouse::Moves),
            (TermMode::MOUSE_DRAG, Mouse::Drags),
            (TermMode::MOUSE_REPORT_CLICK, Mouse::Clicks),
        ];
        let encodings =
            [(TermMode::SGR_MOUSE, MouseEncoding::Sgr), (TermMode::UTF8_MOUSE, MouseEncoding::Utf8)];
        Modes {
            shown,
            mouse: first(mode, &mouse),
            mouse_encoding: first(mode, &encodings),
            kitty: self.own.keyboard.flags(shown),
            modify_other_keys: self.own.keyboard.modify_other_keys,
            switches: switches(mode, self.own.scheme_reports),
        }
    }
}

/// How many lines above the screen a change of size may draw onto it, or has to see to do what it does with more.
fn needed(now: &impl Dimensions, then: Size) -> usize {
    let more_rows = then.screen_lines().saturating_sub(now.screen_lines());
    if Dimensions::columns(&then) <= now.columns() {
        return more_rows;
    }
    // Of a row there may be all but one column to move, before a wide character. A whole screen may flow onto one row.
    let rows_in_one = Dimensions::columns(&then) / (now.columns() - 1) + 2;
    2 * then.screen_lines() * rows_in_one
}

fn first<T: Copy + Default>(mode: TermMode, table: &[(TermMode, T)]) -> T {
    table.iter().find(|(flag, _)| mode.contains(*flag)).map(|(_, value)| *value).unwrap_or_default()
}

fn switches(mode: TermMode, scheme_reports: bool) -> Switches {
    let table = [
        (TermMode::APP_CURSOR, Switches::APPLICATION_CURSOR),
        (TermMode::APP_KEYPAD, Switches::APPLICATION_KEYPAD),
        (TermMode::BRACKETED_PASTE, Switches::BRACKETED_PASTE),
        (TermMode::FOCUS_IN_OUT, Switches::FOCUS),
        (TermMode::ALTERNATE_SCROLL, Switches::ALTERNATE_SCROLL),
        (TermMode::LINE_WRAP, Switches::WRAP),
        (TermMode::ORIGIN, Switches::ORIGIN),
        (TermMode::INSERT, Switches::INSERT),
        (TermMode::LINE_FEED_NEW_LINE, Switches::NEW_LINE),
        (TermMode::SHOW_CURSOR, Switches::CURSOR_VISIBLE),
    ];
    let set = table.into_iter().filter(|(flag, _)| mode.contains(*flag)).map(|(_, switch)| switch);
    let reports = scheme_reports.then_some(Switches::SCHEME_REPORTS);
    set.chain(reports).fold(Switches::default(), Switches::with)
}

impl Shape {
    fn of(shape: CursorShape) -> Option<Self> {
        match shape {
            CursorShape::Block | CursorShape::HollowBlock => Some(Self::Block),
            CursorShape::Underline => Some(Self::Underline),
            CursorShape::Beam => Some(Self::Bar),
            CursorShape::Hidden => None,
        }
    }
}

impl EventListener for Shared {
    fn send_event(&self, happening: Happening) {
        let mut outbox = self.lock();
        match happening {
            Happening::PtyWrite(text) => outbox.answer(text.as_bytes()),
            Happening::Title(title) => outbox.retitle(title),
            Happening::ResetTitle => outbox.retitle(String::new()),
            Happening::Bell => outbox.tell(Event::Bell),
            Happening::ClipboardStore(kind, text) => {
                let target = match kind {
                    ClipboardType::Clipboard => Clipboard::Clipboard,
                    ClipboardType::Selection => Clipboard::Selection,
                };
                outbox.tell(Event::Copy { target, text });
            }
            // Reading the clipboard is never granted; the rest is about windows, and there is none here.
            _ => {}
        }
    }
}

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.rows())
    }

    fn columns(&self) -> usize {
        usize::from(Self::columns(*self))
    }

    fn last_column(&self) -> Column {
        Column(usize::from(Self::columns(*self)) - 1)
    }
}
