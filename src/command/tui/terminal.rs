//! The real terminal, taken and given back whatever happens.

use std::collections::VecDeque;
use std::io::{self, Stdout};
use std::panic;
use std::pin::Pin;
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture, Event, EventStream, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags,
    PushKeyboardEnhancementFlags, poll,
};
use crossterm::execute;
use crossterm::style::Print;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, SetTitle,
    disable_raw_mode, enable_raw_mode,
};
use futures_core::Stream;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::answers::{Answers, Told};
use super::driver::until;
use crate::config::Mouse;
use crate::launch::attach::COLOUR_QUESTIONS;
use crate::launch::screen::Size;
use crate::ui::app::App;

/// The terminal while it is ours. It is never asked where its cursor is: some don't answer, and what is typed would be
/// lost to the answer.
pub(super) struct Screen {
    backend: CrosstermBackend<Stdout>,
    /// What is on it.
    shown: Buffer,
    cursor: Cursor,
    mouse: Mouse,
    /// `None`: it isn't ours at the moment.
    events: Option<EventStream>,
    answers: Answers,
    /// What has come and wasn't taken yet.
    told: VecDeque<Told>,
}

/// What its cursor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cursor {
    Unknown,
    Hidden,
    At(Position),
}

impl Screen {
    /// Takes it, but for the mouse. A panic gives it back before it is told.
    pub(super) fn take() -> io::Result<Self> {
        give_back_on_panic();
        let backend = CrosstermBackend::new(io::stdout());
        let mut screen = Self {
            backend,
            shown: Buffer::default(),
            cursor: Cursor::Unknown,
            mouse: Mouse::Terminals,
            events: None,
            answers: Answers::default(),
            told: VecDeque::new(),
        };
        screen.enter()?;
        Ok(screen)
    }

    pub(super) fn size(&self) -> io::Result<Size> {
        let size = self.backend.size()?;
        Ok(Size::new(size.width, size.height))
    }

    /// Takes it again, and forgets what is on it. It is asked for its colours, and nobody waits for that.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        // What ended the events before may still be on its way. Crossterm 0.29 forgets keys that it hears of together with
        // that, until another one comes: it is taken first, and the change to raw mode tells of the keys again.
        poll(Duration::ZERO)?;
        enable_raw_mode()?;
        execute!(
            io::stdout(),
            EnterAlternateScreen,
            EnableBracketedPaste,
            EnableFocusChange,
            PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES),
            SetTitle("subagents"),
            Print(COLOUR_QUESTIONS)
        )?;
        self.answers.ask(Instant::now());
        self.heed()?;
        self.events = Some(EventStream::new());
        self.redraw()
    }

    /// Who hears of the mouse from now on.
    pub(super) fn give_mouse(&mut self, mouse: Mouse) -> io::Result<()> {
        if self.mouse == mouse {
            return Ok(());
        }
        self.mouse = mouse;
        self.heed()
    }

    fn heed(&self) -> io::Result<()> {
        match self.mouse {
            Mouse::Ours => execute!(io::stdout(), EnableMouseCapture),
            Mouse::Terminals => execute!(io::stdout(), DisableMouseCapture),
        }
    }

    /// Gives it back; nothing is read from it until it is taken again.
    pub(super) fn leave(&mut self) {
        self.events = None;
        give_back();
    }

    /// The next frame is drawn whole.
    pub(super) fn redraw(&mut self) -> io::Result<()> {
        (self.shown, self.cursor) = (Buffer::default(), Cursor::Unknown);
        self.backend.clear()
    }

    /// Draws what has changed since the last frame; whether anything has.
    pub(super) fn draw(&mut self, app: &App) -> io::Result<bool> {
        let size = self.backend.size()?;
        let area = Rect::new(0, 0, size.width, size.height);
        if self.shown.area != area {
            self.backend.clear()?;
            (self.shown, self.cursor) = (Buffer::empty(area), Cursor::Unknown);
        }
        let mut next = Buffer::empty(area);
        let cursor = app.draw(area, &mut next).map_or(Cursor::Hidden, Cursor::At);
        let changes = self.shown.diff(&next);
        if changes.is_empty() && cursor == self.cursor {
            return Ok(false);
        }
        execute!(io::stdout(), BeginSynchronizedUpdate)?;
        self.backend.draw(changes.into_iter())?;
        match cursor {
            Cursor::At(place) => {
                self.backend.set_cursor_position(place)?;
                self.backend.show_cursor()?;
            }
            Cursor::Hidden | Cursor::Unknown => self.backend.hide_cursor()?,
        }
        (self.shown, self.cursor) = (next, cursor);
        execute!(io::stdout(), EndSynchronizedUpdate)?;
        Ok(true)
    }

    /// What comes next; `None`: the terminal has gone. Nothing is lost when it is dropped before it is done.
    pub(super) async fn next(&mut self) -> Option<Told> {
        loop {
            if let Some(told) = self.told.pop_front() {
                return Some(told);
            }
            let Some(events) = &mut self.events else { return std::future::pending().await };
            tokio::select! {
                biased;
                event = next(events) => self.told.extend(self.answers.hear(event?, Instant::now())),
                () = until(self.answers.due()) => self.told.extend(self.answers.give_up()),
            }
        }
    }

    /// Puts a text on the clipboard (OSC 52).
    pub(super) fn copy(text: &str) -> io::Result<()> {
        execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.leave();
    }
}

async fn next(events: &mut EventStream) -> Option<Event> {
    std::future::poll_fn(|context| Pin::new(&mut *events).poll_next(context)).await?.ok()
}

fn give_back() {
    // A terminal that has gone needs nothing any more.
    _ = execute!(
        io::stdout(),
        PopKeyboardEnhancementFlags,
        DisableMouseCapture,
        DisableFocusChange,
        DisableBracketedPaste,
        EndSynchronizedUpdate,
        LeaveAlternateScreen,
        Show,
        SetTitle("")
    );
    _ = disable_raw_mode();
}

/// What a panic says would be lost on the screen that goes away.
fn give_back_on_panic() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        give_back();
        before(panic);
    }));
}
