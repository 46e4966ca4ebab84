//! An app without a terminal, for the tests of all screens: keys in, text out.

use std::time::Instant;

use jiff::Timestamp;
use ratatui::buffer::Buffer;

use super::App;
use super::event::{Effect, Event, Moment, News};
use super::input::{Chord, Input};
use super::keymap::Keymap;
use super::look::Terminal;
use crate::launch::screen::Size;
use crate::launch::screen::input::Stroke;

/// When every test happens: 2026-01-01.
pub(in crate::ui::app) fn now() -> Timestamp {
    Timestamp::from_second(1_767_225_600).unwrap()
}

/// An app on a terminal of this size that nothing is known to.
pub(in crate::ui::app) fn app(columns: u16, rows: u16) -> App {
    let mut app = App::new(now(), Keymap::with("").unwrap(), Terminal::default());
    take(&mut app, Event::Input(Input::Resize(Size::new(columns, rows))));
    app
}

pub(in crate::ui::app) fn take(app: &mut App, event: Event) -> Vec<Effect> {
    app.update(event, Moment { time: now(), instant: Instant::now() })
}

pub(in crate::ui::app) fn tell(app: &mut App, news: News) -> Vec<Effect> {
    take(app, Event::News(news))
}

/// Presses keys, as a keymap names them, with spaces between.
pub(in crate::ui::app) fn press(app: &mut App, keys: &str) -> Vec<Effect> {
    let stroke = |key: &str| {
        let Chord(key, modifiers) = key.parse().unwrap();
        Stroke::new(key, modifiers)
    };
    keys.split(' ').flat_map(|key| take(app, Event::Input(Input::Key(stroke(key))))).collect()
}

/// What is to be seen, a line for each row, without blanks at its end.
pub(in crate::ui::app) fn text(app: &App) -> String {
    let area = app.area;
    let mut buffer = Buffer::empty(area);
    app.draw(area, &mut buffer);
    lines(&buffer)
}

fn lines(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut row = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            x += u16::try_from(super::widget::width(symbol).max(1)).unwrap();
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}
