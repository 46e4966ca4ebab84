//! What a change comes to, read before it is made.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::Outcome;
use crate::ui::app::action::Action;
use crate::ui::app::event::Effect;
use crate::ui::app::input::Chord;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, Page, Step, centred, wrapped};
use crate::ui::table::visible;

/// The widest that it is drawn, with its box.
const COLUMNS: u16 = 76;

/// Paragraphs, where they are read, and what a yes does.
pub struct Review {
    title: String,
    text: Vec<(Role, String)>,
    page: Page,
    effect: Effect,
}

impl Review {
    pub fn new(title: impl Into<String>, text: Vec<(Role, String)>, effect: Effect) -> Self {
        Self { title: title.into(), text, page: Page::default(), effect }
    }

    pub fn press(&mut self, chord: Chord, action: Option<Action>) -> Outcome {
        match (chord.typed(), action) {
            (Some('y' | 'Y'), _) | (_, Some(Action::Accept)) => {
                return Outcome::Ends(vec![self.effect.clone()]);
            }
            (Some('n' | 'N'), _) | (_, Some(Action::Back)) => return Outcome::Closes,
            (Some('j'), _) => self.page.step(Step::Down),
            (Some('k'), _) => self.page.step(Step::Up),
            (_, action) => self.page.press(action),
        }
        Outcome::Stays
    }

    pub fn page_mut(&mut self) -> &mut Page {
        &mut self.page
    }

    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let columns = COLUMNS.min(area.width);
        let paragraph = |(role, text): &(Role, String)| {
            let lines = wrapped(&visible(text), columns.saturating_sub(2).into()).into_iter();
            lines.map(|line| Line::styled(line, canvas.style(*role))).collect::<Vec<_>>()
        };
        let lines: Vec<Line<'static>> = self.text.iter().flat_map(paragraph).collect();
        let rows = u16::try_from(lines.len() + 4).unwrap_or(u16::MAX);
        let place = centred(area, columns, rows);
        let room = canvas.panel(&self.title, Role::Waiting, place);
        let [text, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(room);
        canvas.spots.scroll(room);
        self.page.draw(lines, Action::NextField, (text, place), canvas);
        canvas.hints("y yes   n no", foot);
    }
}
