//! A question that is answered by y or n before something is done that can't be taken back.

use ratatui::layout::Rect;

use super::Outcome;
use crate::ui::app::action::Action;
use crate::ui::app::event::Effect;
use crate::ui::app::input::Chord;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, centred, width, wrapped};
use crate::ui::table::visible;

/// The question, and what a yes does.
pub struct Confirm {
    question: String,
    yes: Outcome,
}

impl Confirm {
    pub fn new(question: String, effect: Effect) -> Self {
        Self { question, yes: Outcome::Ends(vec![effect]) }
    }

    /// A yes is as if the action's key had been pressed.
    pub fn acting(question: String, action: Action) -> Self {
        Self { question, yes: Outcome::Acts(action) }
    }

    pub fn press(&self, chord: Chord, action: Option<Action>) -> Outcome {
        match (chord.typed(), action) {
            (Some('y' | 'Y'), _) => self.yes.clone(),
            (Some('n' | 'N'), _) | (_, Some(Action::Back | Action::Quit)) => Outcome::Closes,
            _ => Outcome::Stays,
        }
    }

    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let question = visible(&self.question);
        let columns = u16::try_from(width(&question) + 4).unwrap_or(u16::MAX).clamp(30, 70);
        let room = canvas.panel("", Role::Waiting, centred(area, columns, 6));
        let asked = wrapped(&question, room.width.into()).len() + 1;
        let below = u16::try_from(asked).unwrap_or(u16::MAX).min(room.height.saturating_sub(1));
        canvas.text(&question, Role::Text, room);
        canvas.hints("y yes   n no", Rect { y: room.y + below, height: room.height - below, ..room });
    }
}
