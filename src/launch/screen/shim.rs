//! Stands between the parser and the emulator, and does what the emulator does otherwise or not at all.
//!
//! Joined characters, the keyboard's flags, the answers that name us, and what a repaint must know but the emulator
//! keeps to itself. All else is passed on.

use alacritty_terminal::event::EventListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::Point;
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::term::{Term, TermMode};
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, KeyboardModes,
    KeyboardModesApplyBehavior, LineClearMode, Mode, ModifyOtherKeys as Keys, NamedColor, NamedMode,
    NamedPrivateMode, PrivateMode, Rgb, StandardCharset, TabulationClearMode,
};

use unicode_width::UnicodeWidthChar;

use super::archive::Archive;
use super::asides::truncate;
use super::colours::{self, Palette};
use super::joined::{Joining, Last};
use super::keyboard::{Change, Keyboard, KittyFlags, ModifyOtherKeys, Shown};
use super::outbox::{Event, Shared};

/// DA1: a VT220 with colours that copies to the clipboard.
const ATTRIBUTES: &[u8] = b"\x1b[?62;22;52c";

/// DA2: the same kind of terminal, version 100.
const SECONDARY_ATTRIBUTES: &[u8] = b"\x1b[>1;100;0c";

/// A longer address or id is no link.
const LINK_LIMIT: usize = 8192;

/// Told when the colour scheme changes. The emulator doesn't know this mode.
const SCHEME_REPORTS: u16 = 2031;

/// Several code points in one place. It can't be switched off here.
const JOINED_CHARACTERS: u16 = 2027;

/// Older ways to the alternate screen.
const ALTERNATE_SCREEN: [u16; 2] = [47, 1047];

/// What we know beside the emulator.
#[derive(Default)]
pub(super) struct Own {
    pub(super) last: Last,
    pub(super) keyboard: Keyboard,
    pub(super) scheme_reports: bool,
    /// First and last row of the scrolling region, from 1; `None`: the whole screen.
    pub(super) region: Option<(usize, usize)>,
    pub(super) charset: CharsetIndex,
    /// `None`: the person's own.
    pub(super) cursor_style: Option<CursorStyle>,
    pub(super) palette: Palette,
    pub(super) outbox: Shared,
    /// How many links there have been: those without an id get one that a repaint can name.
    pub(super) links: u64,
    /// The main screen's lines above those that the emulator keeps.
    pub(super) archive: Archive,
}

pub(super) struct Shim<'a, L> {
    pub(super) term: &'a mut Term<L>,
    pub(super) own: &'a mut Own,
}

impl<L: EventListener> Shim<'_, L> {
    fn shown(&self) -> Shown {
        shown(self.term)
    }

    /// Where the character before the cursor begins.
    fn before_cursor(&self) -> Point {
        let cursor = &self.term.grid().cursor;
        let Point { line, mut column } = cursor.point;
        if !cursor.input_needs_wrap {
            column.0 = column.saturating_sub(1);
        }
        if self.term.grid()[line][column].flags.contains(Flags::WIDE_CHAR_SPACER) {
            column.0 = column.saturating_sub(1);
        }
        Point::new(line, column)
    }

    fn write(&mut self, next: char) {
        self.term.input(next);
        if !self.term.mode().contains(TermMode::LINE_WRAP) {
            // A wide one that doesn't fit and may not wrap is not written.
            let place = self.before_cursor();
            if self.term.grid()[place.line][place.column].c != next {
                self.own.last.forget();
            }
        }
    }

    fn relate(&mut self, next: char, joining: &Joining) {
        match joining {
            Joining::Apart => self.write(next),
            Joining::Joins => self.join(next),
            Joining::Widens => self.widen(next),
            Joining::Dropped => {}
        }
    }

    /// Something without a width after the cursor has moved: it joins what stands before the cursor.
    fn join_by_place(&mut self, next: char) {
        let cursor = &self.term.grid().cursor;
        if cursor.point.column == 0 && !cursor.input_needs_wrap {
            self.own.last.forget();
            return;
        }
        let place = self.before_cursor();
        let cell = &self.term.grid()[place.line][place.column];
        self.own.last = Last::of(cell.c, cell.zerowidth().unwrap_or_default());
        let joining = self.own.last.next(next);
        self.relate(next, &joining);
    }

    fn join(&mut self, next: char) {
        let place = self.before_cursor();
        self.term.grid_mut()[place.line][place.column].push_zerowidth(next);
    }

    /// Joins, and writes the character before the cursor again with two columns.
    fn widen(&mut self, next: char) {
        let place = self.before_cursor();
        let mut cell = self.term.grid()[place.line][place.column].clone();
        if cell.flags.contains(Flags::WIDE_CHAR) {
            return self.join(next);
        }
        // It may go to another row, which doesn't go on in the one after it.
        cell.flags.remove(Flags::WRAPLINE);
        let inserts = self.term.mode().contains(TermMode::INSERT);
        self.term.unset_mode(Mode::Named(NamedMode::Insert));
        let cursor = &mut self.term.grid_mut().cursor;
        cursor.point.column = place.column;
        cursor.input_needs_wrap = false;
        // Any wide character: the emulator wraps where there is no room, and clears what it covers.
        self.term.input('\u{3000}');
        let place = self.before_cursor();
        let row = &mut self.term.grid_mut()[place.line];
        // Without room, and where it may not wrap, it stays as it was.
        if row[place.column].flags.contains(Flags::WIDE_CHAR) {
            let mut second = cell.clone();
            second.clear_wide();
            second.flags.insert(Flags::WIDE_CHAR_SPACER);
            row[place.column + 1] = second;
            cell.push_zerowidth(next);
            cell.flags.insert(Flags::WIDE_CHAR);
            row[place.column] = cell;
        }
        if inserts {
            self.term.set_mode(Mode::Named(NamedMode::Insert));
        }
    }

    /// Changes modes and tells if another screen is shown afterwards.
    fn watching_screens(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.shown();
        change(self);
        if self.shown() != before {
            self.own.outbox.lock().tell(Event::ScreenSwitched);
        }
    }

    fn answer(&self, bytes: &[u8]) {
        self.own.outbox.lock().answer(bytes);
    }
}

pub(super) fn shown<L>(term: &Term<L>) -> Shown {
    if term.mode().contains(TermMode::ALT_SCREEN) { Shown::Alternate } else { Shown::Main }
}

fn known(mode: PrivateMode) -> PrivateMode {
    match mode {
        PrivateMode::Unknown(number) if ALTERNATE_SCREEN.contains(&number) => {
            PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor)
        }
        mode => mode,
    }
}

fn flags(modes: KeyboardModes) -> KittyFlags {
    KittyFlags::from_bits(modes.bits())
}

/// Passes on what may move the cursor or change the text before it.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(fn $name(&mut self, $($argument: $kind),*) {
            self.own.last.forget();
            self.term.$name($($argument),*);
        })*
    };
}

impl<L: EventListener> Handler for Shim<'_, L> {
    fn input(&mut self, next: char) {
        match self.own.last.next(next) {
            Joining::Apart if !next.is_ascii() && next.width() == Some(0) => self.join_by_place(next),
            joining => self.relate(next, &joining),
        }
    }

    fn terminal_attribute(&mut self, attribute: Attr) {
        self.term.terminal_attribute(attribute);
    }

    fn set_hyperlink(&mut self, link: Option<Hyperlink>) {
        let fits = |link: &Hyperlink| {
            link.uri.len() <= LINK_LIMIT && link.id.as_ref().is_none_or(|id| id.len() <= LINK_LIMIT)
        };
        self.own.links += 1;
        let number = self.own.links;
        let named =
            |link: Hyperlink| Hyperlink { id: link.id.or_else(|| Some(format!("link-{number}"))), ..link };
        self.term.set_hyperlink(link.filter(fits).map(named));
    }

    fn set_title(&mut self, title: Option<String>) {
        self.term.set_title(title.map(|mut title| {
            truncate(&mut title);
            title
        }));
    }

    fn identify_terminal(&mut self, intermediate: Option<char>) {
        match intermediate {
            None => self.answer(ATTRIBUTES),
            Some('>') => self.answer(SECONDARY_ATTRIBUTES),
            Some(_) => {}
        }
    }

    fn dynamic_color_sequence(&mut self, prefix: String, index: usize, terminator: &str) {
        let palette = &self.own.palette;
        let ours = match u8::try_from(index) {
            Ok(index) => colours::indexed(index),
            Err(_) if index == NamedColor::Background as usize => palette.background,
            Err(_) if index == NamedColor::Cursor as usize => palette.cursor,
            Err(_) => palette.foreground,
        };
        let theirs = self.term.colors()[index].map(|Rgb { r, g, b }| colours::Rgb(r, g, b));
        let colours::Rgb(red, green, blue) = theirs.unwrap_or(ours);
        let value = format!("rgb:{red:02x}{red:02x}/{green:02x}{green:02x}/{blue:02x}{blue:02x}");
        self.answer(format!("\x1b]{prefix};{value}{terminator}").as_bytes());
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        self.own.last.forget();
        match known(mode) {
            PrivateMode::Unknown(SCHEME_REPORTS) => self.own.scheme_reports = true,
            mode => self.watching_screens(|shim| shim.term.set_private_mode(mode)),
        }
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        self.own.last.forget();
        match known(mode) {
            PrivateMode::Unknown(SCHEME_REPORTS) => self.own.scheme_reports = false,
            mode => self.watching_screens(|shim| shim.term.unset_private_mode(mode)),
        }
    }

    fn report_private_mode(&mut self, mode: PrivateMode) {
        match mode {
            PrivateMode::Unknown(SCHEME_REPORTS) => {
                let state = if self.own.scheme_reports { 1 } else { 2 };
                self.answer(format!("\x1b[?{SCHEME_REPORTS};{state}$y").as_bytes());
            }
            PrivateMode::Unknown(JOINED_CHARACTERS) => {
                self.answer(format!("\x1b[?{JOINED_CHARACTERS};3$y").as_bytes());
            }
            mode => self.term.report_private_mode(mode),
        }
    }

    fn reset_state(&mut self) {
        self.watching_screens(|shim| shim.term.reset_state());
        self.term.unset_private_mode(NamedPrivateMode::AlternateScroll.into());
        let Own { palette, outbox, .. } = std::mem::take(self.own);
        outbox.lock().retitle(String::new());
        *self.own = Own { palette, outbox, ..Own::default() };
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        self.own.last.forget();
        let bottom = bottom.unwrap_or(usize::MAX).min(self.term.screen_lines());
        if top < bottom {
            self.own.region = (top > 1 || bottom < self.term.screen_lines()).then_some((top, bottom));
        }
        self.term.set_scrolling_region(top, Some(bottom));
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        self.own.last.forget();
        if matches!(mode, ClearMode::Saved) && self.shown() == Shown::Main {
            self.own.archive.clear();
        }
        self.term.clear_screen(mode);
    }

    fn set_active_charset(&mut self, index: CharsetIndex) {
        self.own.charset = index;
        self.term.set_active_charset(index);
    }

    fn set_cursor_style(&mut self, style: Option<CursorStyle>) {
        self.own.cursor_style = style;
        self.term.set_cursor_style(style);
    }

    fn set_cursor_shape(&mut self, shape: CursorShape) {
        self.own.cursor_style = Some(CursorStyle { shape, blinking: false });
        self.term.set_cursor_shape(shape);
    }

    fn report_keyboard_mode(&mut self) {
        let flags = self.own.keyboard.flags(self.shown());
        self.answer(format!("\x1b[?{}u", flags.bits()).as_bytes());
    }

    fn push_keyboard_mode(&mut self, mode: KeyboardModes) {
        self.own.keyboard.push(shown(self.term), flags(mode));
    }

    fn pop_keyboard_modes(&mut self, to_pop: u16) {
        self.own.keyboard.pop(shown(self.term), to_pop);
    }

    fn set_keyboard_mode(&mut self, mode: KeyboardModes, behaviour: KeyboardModesApplyBehavior) {
        let change = match behaviour {
            KeyboardModesApplyBehavior::Replace => Change::Replace,
            KeyboardModesApplyBehavior::Union => Change::Add,
            KeyboardModesApplyBehavior::Difference => Change::Remove,
        };
        self.own.keyboard.set(shown(self.term), flags(mode), &change);
    }

    fn set_modify_other_keys(&mut self, mode: Keys) {
        self.own.keyboard.modify_other_keys = match mode {
            Keys::Reset => ModifyOtherKeys::Off,
            Keys::EnableExceptWellDefined => ModifyOtherKeys::ExceptWellKnown,
            Keys::EnableAll => ModifyOtherKeys::All,
        };
    }

    fn report_modify_other_keys(&mut self) {
        let mode = self.own.keyboard.modify_other_keys as u8;
        self.answer(format!("\x1b[>4;{mode}m").as_bytes());
    }

    pass_on! {
        backspace(); bell(); carriage_return(); decaln(); linefeed(); newline(); pop_title(); push_title();
        restore_cursor_position(); reverse_index(); save_cursor_position(); set_horizontal_tabstop();
        set_keypad_application_mode(); substitute(); text_area_size_chars(); text_area_size_pixels();
        unset_keypad_application_mode();
        clear_line(mode: LineClearMode); clear_tabs(mode: TabulationClearMode);
        clipboard_load(clipboard: u8, terminator: &str); clipboard_store(clipboard: u8, text: &[u8]);
        configure_charset(index: CharsetIndex, charset: StandardCharset);
        delete_chars(count: usize); delete_lines(count: usize); device_status(question: usize);
        erase_chars(count: usize); goto(line: i32, column: usize); goto_col(column: usize); goto_line(line: i32);
        insert_blank(count: usize); insert_blank_lines(count: usize); move_backward(columns: usize);
        move_backward_tabs(count: u16); move_down(lines: usize); move_down_and_cr(lines: usize);
        move_forward(columns: usize); move_forward_tabs(count: u16); move_up(lines: usize);
        move_up_and_cr(lines: usize); put_tab(count: u16); report_mode(mode: Mode); reset_color(index: usize);
        scroll_down(lines: usize); scroll_up(lines: usize); set_color(index: usize, colour: Rgb);
        set_mode(mode: Mode); set_tabs(interval: u16); unset_mode(mode: Mode);
    }
}
