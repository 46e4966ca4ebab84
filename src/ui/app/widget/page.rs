//! A text that is read line by line.
//!
//! How far it goes depends on the room that it has, which only a drawing knows. So whoever draws it leaves on the canvas what
//! is seen of it, and the app goes on from there before it takes a key.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::canvas::Canvas;
use super::list::{PAGE, Step};
use super::measure::width;
use super::spots::Press;
use crate::ui::app::action::Action;
use crate::ui::app::look::Role;

/// Where it stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Page {
    /// The first line that is seen, as far as there is room for fewer than all.
    top: usize,
}

impl Page {
    /// Whether it stands where it can't be too far.
    pub fn is_at_its_top(self) -> bool {
        self.top == 0
    }

    pub fn up(&mut self, lines: usize) {
        self.top = self.top.saturating_sub(lines);
    }

    pub fn down(&mut self, lines: usize) {
        self.top = self.top.saturating_add(lines);
    }

    pub fn step(&mut self, step: Step) {
        match step {
            Step::Up | Step::ReachUp => self.up(1),
            Step::Down | Step::ReachDown => self.down(1),
            Step::PageUp => self.up(PAGE),
            Step::PageDown => self.down(PAGE),
            Step::First => self.up(usize::MAX),
            Step::Last => self.down(usize::MAX),
        }
    }

    /// What a key means that goes through lines; every other means nothing here.
    pub fn press(&mut self, action: Option<Action>) {
        action.and_then(Step::of).into_iter().for_each(|step| self.step(step));
    }

    /// Draws the lines that fit, and gives which those are. How many are below is told in the lower border of the frame, and
    /// a click there goes further.
    pub fn draw(
        self,
        lines: Vec<Line<'static>>,
        further: impl Into<Press>,
        (room, frame): (Rect, Rect),
        canvas: &mut Canvas<'_>,
    ) -> Range<usize> {
        let (length, height) = (lines.len(), usize::from(room.height));
        let top = self.top.min(length.saturating_sub(height));
        let seen = top..length.min(top + height);
        // One by one: a paragraph leaves out what takes no column.
        for (y, line) in (room.y..room.bottom()).zip(lines.into_iter().skip(top)) {
            line.render(Rect { y, height: 1, ..room }, canvas.buffer);
        }
        mark(length - seen.end, further.into(), frame, canvas);
        canvas.page = Some(Self { top });
        seen
    }
}

/// In the lower border of the frame: so many lines are below, and a click there goes further. None is no word.
pub fn mark(lines: usize, further: Press, frame: Rect, canvas: &mut Canvas<'_>) {
    if lines == 0 || frame.is_empty() {
        return;
    }
    let text = canvas.cut(&format!(" {lines} more below "), usize::from(frame.width).saturating_sub(4));
    let columns = u16::try_from(width(&text)).unwrap_or(0);
    let place = Rect {
        x: frame.right().saturating_sub(columns + 2),
        y: frame.bottom() - 1,
        width: columns,
        height: 1,
    };
    canvas.put(0, [Span::styled(text, canvas.style(Role::Key))], place);
    canvas.spots.click(place, [further]);
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;

    use super::*;
    use crate::ui::app::look::Look;

    /// What is left on the canvas, and what is drawn.
    fn drawn(page: Page, lines: usize, room: Rect, frame: Rect) -> (Page, Range<usize>, Buffer) {
        let look = Look::default();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 4));
        let mut canvas = Canvas::new(&look, &mut buffer);
        let lines = (0..lines).map(|line| Line::from(line.to_string())).collect();
        let seen = page.draw(lines, Action::PageDown, (room, frame), &mut canvas);
        (canvas.page.unwrap(), seen, buffer)
    }

    #[test]
    fn what_is_seen_is_never_beyond_the_end() {
        let room = Rect::new(0, 0, 20, 3);
        for (steps, length, expect) in [
            (&[Step::Up][..], 9, 0..3),
            (&[Step::Down, Step::ReachDown, Step::Up], 9, 1..4),
            (&[Step::PageDown, Step::PageDown], 30, 20..23),
            (&[Step::PageDown, Step::PageDown, Step::PageDown, Step::PageDown], 30, 27..30),
            (&[Step::Last], 9, 6..9),
            (&[Step::Last, Step::Last, Step::First], 9, 0..3),
            (&[Step::Down], 2, 0..2),
            (&[Step::Down], 0, 0..0),
        ] {
            let mut page = Page::default();
            for step in steps {
                page.step(*step);
            }
            let (left, seen, _) = drawn(page, length, room, room);
            assert_eq!((left.top, seen), (expect.start, expect), "{steps:?}");
        }
    }

    #[test]
    fn what_is_below_is_told_where_there_is_room_for_it() {
        let nothing = Rect::default();
        for frame in [nothing, Rect::new(0, 0, 20, 0), Rect::new(0, 0, 0, 2)] {
            assert_eq!(drawn(Page::default(), 3, nothing, frame).2, Buffer::empty(Rect::new(0, 0, 20, 4)));
        }
        let frame = Rect::new(0, 0, 20, 2);
        assert_ne!(drawn(Page::default(), 3, nothing, frame).2, Buffer::empty(Rect::new(0, 0, 20, 4)));
    }
}
