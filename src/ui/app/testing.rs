//! An app without a terminal, for the tests of all screens: keys in, text out.

use std::time::Instant;

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::App;
use super::event::{Effect, Event, Moment, News};
use super::input::{Chord, Did, Input, Mouse};
use super::keymap::Keymap;
use super::look::Terminal;
use crate::launch::screen::Size;
use crate::launch::screen::input::{Action, Button, Modifiers, Stroke};

/// The sizes at which everything is looked at.
pub(in crate::ui::app) const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

/// What is seen at each size, a snapshot each; then the app has its own size again. A macro, as a snapshot belongs to the test
/// that makes it.
macro_rules! at_each_size {
    ($app:expr, $name:literal) => {
        let own = $app.area;
        for (columns, rows) in $crate::ui::app::testing::SIZES {
            $crate::ui::app::testing::resize(&mut $app, columns, rows);
            insta::assert_snapshot!(
                format!("{}_{columns}x{rows}", $name),
                $crate::ui::app::testing::text(&$app)
            );
        }
        $crate::ui::app::testing::resize(&mut $app, own.width, own.height);
    };
}

pub(in crate::ui::app) use at_each_size;

/// When every test happens: 2026-01-01.
pub(in crate::ui::app) fn now() -> Timestamp {
    Timestamp::from_second(1_767_225_600).unwrap()
}

/// An app on a terminal of this size that nothing is known to.
pub(in crate::ui::app) fn app(columns: u16, rows: u16) -> App {
    let mut app = App::new(now(), Keymap::with("").unwrap(), Terminal::default());
    resize(&mut app, columns, rows);
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

/// Another size of the terminal.
pub(in crate::ui::app) fn resize(app: &mut App, columns: u16, rows: u16) {
    take(app, Event::Input(Input::Resize(Size::new(columns, rows))));
}

/// Clicks with the left button.
pub(in crate::ui::app) fn click(app: &mut App, column: u16, row: u16) -> Vec<Effect> {
    mouse(app, Did::Button(Action::Press(Button::Left)), (column, row))
}

/// Turns the wheel by so many lines, up where negative.
pub(in crate::ui::app) fn wheel(app: &mut App, column: u16, row: u16, lines: i16) -> Vec<Effect> {
    mouse(app, Did::Wheel(lines), (column, row))
}

fn mouse(app: &mut App, did: Did, (column, row): (u16, u16)) -> Vec<Effect> {
    take(app, Event::Input(Input::Mouse(Mouse { did, column, row, modifiers: Modifiers::NONE })))
}

/// Clicks on the first place where this stands.
pub(in crate::ui::app) fn click_on(app: &mut App, part: &str) -> Vec<Effect> {
    let (column, row) = place_of(app, part);
    click(app, column, row)
}

pub(in crate::ui::app) fn wheel_on(app: &mut App, part: &str, lines: i16) -> Vec<Effect> {
    let (column, row) = place_of(app, part);
    wheel(app, column, row, lines)
}

/// How the first place is drawn where this stands.
pub(in crate::ui::app) fn style_of(app: &App, part: &str) -> Style {
    let place = place_of(app, part);
    let mut buffer = Buffer::empty(app.area);
    app.draw(app.area, &mut buffer);
    buffer[place].style()
}

#[track_caller]
fn place_of(app: &App, part: &str) -> (u16, u16) {
    let text = text(app);
    let found = text.lines().enumerate().find_map(|(row, line)| Some((row, line, line.find(part)?)));
    let (row, line, at) = found.unwrap_or_else(|| panic!("`{part}` is not to be seen:\n{text}"));
    let column = u16::try_from(super::widget::width(&line[..at])).unwrap();
    (column, u16::try_from(row).unwrap())
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
