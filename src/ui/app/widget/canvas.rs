//! What everything is drawn on, and how it looks there.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Widget, Wrap};

use super::list::List;
use super::measure::{cut, width};
use super::page::Page;
use super::spots::{NOTCH, Press, Spots};
use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;
use crate::ui::app::look::{Glyphs, Look, Role};

/// A frame in the making.
pub struct Canvas<'a> {
    pub look: &'a Look,
    pub buffer: &'a mut Buffer,
    /// What the mouse can do there.
    pub spots: Spots,
    /// What is seen of the text that is read there.
    pub page: Option<Page>,
}

impl<'a> Canvas<'a> {
    pub fn new(look: &'a Look, buffer: &'a mut Buffer) -> Self {
        Self { look, buffer, spots: Spots::default(), page: None }
    }

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
        self.spots.cover(area);
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

    /// Writes what keys do there, `KEY WORDS` with three blanks between two of them, in as many lines as it takes. Who
    /// clicks on one presses it.
    pub fn hints(&mut self, text: &str, area: Rect) {
        let (mut row, mut column) = (0_u16, 0_u16);
        for hint in text.split("   ").filter(|hint| !hint.is_empty()) {
            let columns = u16::try_from(width(hint)).unwrap_or(u16::MAX);
            if column > 0 && column.saturating_add(columns) > area.width {
                (row, column) = (row + 1, 0);
            }
            let place = Rect { x: area.x.saturating_add(column), y: area.y + row, width: columns, height: 1 };
            let place = place.intersection(area);
            self.put(0, [Span::styled(hint.to_owned(), self.style(Role::Key))], place);
            if let Some(chord) = hint.split(' ').next().and_then(|key| key.parse::<Chord>().ok()) {
                self.spots.click(place, [chord.into()]);
            }
            column = column.saturating_add(columns).saturating_add(3);
        }
    }

    /// The words at the beginning of a box's title each stand for a view, of which this one is shown.
    pub fn views(&mut self, names: impl IntoIterator<Item = String>, shown: usize, area: Rect) {
        // After the corner and a blank.
        let mut x = area.x + 2;
        for (at, name) in names.into_iter().enumerate() {
            let columns = u16::try_from(width(&name)).unwrap_or(u16::MAX);
            let press = match at.checked_sub(shown) {
                Some(further) => Press::Does(Action::Right, further),
                None => Press::Does(Action::Left, shown - at),
            };
            let place = Rect { x, y: area.y, width: columns, height: 1 };
            self.spots.click(place.intersection(area), [press]);
            x = x.saturating_add(columns).saturating_add(1);
        }
    }

    /// Draws a list like [`Canvas::list`], where it doesn't have the keys, which [`Action::NextPane`] gives it: nothing is
    /// selected to be seen.
    pub fn rows(&mut self, list: List, length: usize, line: impl Fn(usize) -> Line<'static>, area: Rect) {
        for (row, at) in (0..).zip(list.seen(length, area.height.into())) {
            line(at).render(Rect { y: area.y + row, height: 1, ..area }, self.buffer);
        }
        self.reach(list, length, Some(Action::NextPane), area);
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
        self.reach(list, length, None, area);
    }

    /// The wheel goes through a list that is drawn there, and a click selects, after what gives the list the keys.
    pub fn reach(&mut self, list: List, length: usize, first: Option<Action>, area: Rect) {
        let Some(selected) = list.selected(length) else { return };
        let after = |press: Press| first.map(Press::from).into_iter().chain([press]).collect::<Vec<_>>();
        let notch = |action: Action| after(Press::Does(action, NOTCH));
        self.spots.wheel(area, notch(Action::Up), notch(Action::Down));
        for (row, at) in (0..).zip(list.seen(length, area.height.into())) {
            let place = Rect { y: area.y + row, height: 1, ..area };
            self.spots.click(place, after(Press::steps(selected, at)));
        }
    }

    /// A part of each line does more than select it: its columns, and what it does.
    pub fn parts(
        &mut self,
        list: List,
        length: usize,
        part: impl Fn(usize) -> Option<(Range<u16>, Action)>,
        area: Rect,
    ) {
        let Some(selected) = list.selected(length) else { return };
        for (row, at) in (0..).zip(list.seen(length, area.height.into())) {
            let Some((columns, action)) = part(at) else { continue };
            let width = columns.end.saturating_sub(columns.start);
            let place = Rect { x: area.x + columns.start, y: area.y + row, width, height: 1 };
            self.spots.click(place.intersection(area), [Press::steps(selected, at), action.into()]);
        }
    }
}
