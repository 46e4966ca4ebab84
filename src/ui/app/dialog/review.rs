//! What a change comes to, read before it is made.

use ratatui::layout::Rect;
use ratatui::text::Span;

use super::Outcome;
use crate::ui::app::action::Action;
use crate::ui::app::event::Effect;
use crate::ui::app::input::Chord;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, centred, wrapped};
use crate::ui::table::visible;

/// The widest that it is drawn, with its box.
const COLUMNS: u16 = 76;

/// Paragraphs, the first line that is seen, and what a yes does.
pub struct Review {
    title: String,
    text: Vec<(Role, String)>,
    top: usize,
    effect: Effect,
}

impl Review {
    pub fn new(title: impl Into<String>, text: Vec<(Role, String)>, effect: Effect) -> Self {
        Self { title: title.into(), text, top: 0, effect }
    }

    pub fn press(&mut self, chord: Chord, action: Option<Action>) -> Outcome {
        match (chord.typed(), action) {
            (Some('y' | 'Y'), _) | (_, Some(Action::Accept)) => {
                return Outcome::Ends(vec![self.effect.clone()]);
            }
            (Some('n' | 'N'), _) | (_, Some(Action::Back)) => return Outcome::Closes,
            // Where this ends is known only when it is drawn.
            (Some('j'), _) | (_, Some(Action::NextField | Action::Down)) => {
                self.top = (self.top + 1).min(self.text.len());
            }
            (Some('k'), _) | (_, Some(Action::PreviousField | Action::Up)) => {
                self.top = self.top.saturating_sub(1);
            }
            _ => {}
        }
        Outcome::Stays
    }

    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let columns = COLUMNS.min(area.width);
        let within = usize::from(columns.saturating_sub(2));
        let paragraph = |(role, text): &(Role, String)| {
            let lines = wrapped(&visible(text), within).into_iter();
            lines.map(|line| (*role, line)).collect::<Vec<_>>()
        };
        let lines: Vec<(Role, String)> = self.text.iter().flat_map(paragraph).collect();
        let rows = u16::try_from(lines.len() + 4).unwrap_or(u16::MAX);
        let room = canvas.panel(&self.title, Role::Waiting, centred(area, columns, rows));
        let above = usize::from(room.height.saturating_sub(1));
        let top = self.top.min(lines.len().saturating_sub(above));
        let more = if lines.len() > above { "   up and down show the rest" } else { "" };
        for (row, (role, line)) in (0..room.height.saturating_sub(1)).zip(lines.into_iter().skip(top)) {
            canvas.put(row, [Span::styled(line, canvas.style(role))], room);
        }
        canvas.spots.scroll(room);
        let foot =
            Rect { y: room.bottom().saturating_sub(1).max(room.y), height: room.height.min(1), ..room };
        canvas.hints(&format!("y yes   n no{more}"), foot);
    }
}
