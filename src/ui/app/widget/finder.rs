//! A list in which one is found by typing a part of it.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{Canvas, Field, List, Step};
use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;

/// What was typed, and which of what fits is selected.
#[derive(Default)]
pub struct Finder {
    field: Field,
    list: List,
}

impl Finder {
    /// What was typed.
    pub fn text(&self) -> &str {
        self.field.text()
    }

    /// Which of so many is selected.
    pub fn selected(&self, length: usize) -> Option<usize> {
        self.list.selected(length)
    }

    /// A key that goes through so many, or types.
    pub fn press(&mut self, chord: Chord, action: Option<Action>, length: usize) {
        if let Some(step) = action.and_then(Step::of) {
            self.list.step(step, length);
        } else if self.field.press(chord) {
            self.list = List::default();
        }
    }

    pub fn paste(&mut self, text: &str) {
        self.field.insert(text);
        self.list = List::default();
    }

    /// Draws the line that is typed in; the room below it.
    pub fn draw_field(&self, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
        let height = area.height.min(1);
        if height > 0 {
            self.field.draw(true, Rect { height, ..area }, canvas);
        }
        Rect { y: area.y + height, height: area.height - height, ..area }
    }

    /// Draws what fits of so many; `line` makes the one with this number.
    pub fn draw_found(
        &self,
        length: usize,
        line: impl Fn(usize) -> Line<'static>,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        canvas.list(self.list, length, line, area);
    }
}
