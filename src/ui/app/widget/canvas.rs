//! What everything is drawn on, and how it looks there.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Widget, Wrap};

use super::list::List;
use super::measure::cut;
use crate::ui::app::look::{Glyphs, Look, Role};

/// A frame in the making.
pub struct Canvas<'a> {
    pub look: &'a Look,
    pub buffer: &'a mut Buffer,
}

impl Canvas<'_> {
    pub fn style(&self, role: Role) -> Style {
        self.look.style(role)
    }

    pub fn glyphs(&self) -> Glyphs {
        self.look.glyphs
    }

    /// The text, or its beginning with a sign that there is more, in so many columns.
    pub fn cut(&self, text: &str, columns: usize) -> String {
        cut(text, columns, self.look)
    }

    /// Draws a box with a title, over whatever is there, and gives the room within.
    pub fn panel(&mut self, title: &str, role: Role, area: Rect) -> Rect {
        Clear.render(area, self.buffer);
        self.buffer.set_style(area, self.style(Role::Text));
        let title = self.cut(title, usize::from(area.width).saturating_sub(4));
        let title = if title.is_empty() { Line::default() } else { Line::from(format!(" {title} ")) };
        let block = Block::bordered()
            .border_set(self.look.glyphs.border)
            .border_style(self.style(role))
            .title(title.style(self.style(Role::Title)));
        let inner = block.inner(area);
        block.render(area, self.buffer);
        inner
    }

    /// Writes one line in a row of the area, cut at its end.
    pub fn put(&mut self, row: u16, spans: impl IntoIterator<Item = Span<'static>>, area: Rect) {
        if row < area.height {
            Line::from_iter(spans).render(Rect { y: area.y + row, height: 1, ..area }, self.buffer);
        }
    }

    /// Writes a text that wraps.
    pub fn text(&mut self, text: &str, role: Role, area: Rect) {
        let text = Paragraph::new(text).style(self.style(role)).wrap(Wrap { trim: false });
        text.render(area, self.buffer);
    }

    /// Draws a list like [`Canvas::list`], where it doesn't have the keys: nothing is selected to be seen.
    pub fn rows(&mut self, list: List, length: usize, line: impl Fn(usize) -> Line<'static>, area: Rect) {
        for (row, at) in (0..).zip(list.seen(length, area.height.into())) {
            line(at).render(Rect { y: area.y + row, height: 1, ..area }, self.buffer);
        }
    }

    /// Draws the lines of a list that fit; `line` makes the one with this number.
    pub fn list(&mut self, list: List, length: usize, line: impl Fn(usize) -> Line<'static>, area: Rect) {
        let seen = list.seen(length, area.height.into());
        for (row, at) in (0..).zip(seen) {
            let place = Rect { y: area.y + row, height: 1, ..area };
            line(at).render(place, self.buffer);
            if list.selected(length) == Some(at) {
                self.buffer.set_style(place, self.look.style(Role::Selected));
            }
        }
    }
}
