//! What a new agent begins with: a sample, or nothing.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::draw::padded;
use crate::config::agent::{Blank, sample_text, samples};
use crate::ui::app::action::Action;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, List, Step, centred};

/// Columns of a sample's name.
const NAME: usize = 14;

/// Which is selected.
#[derive(Default)]
pub(super) struct Begin {
    list: List,
}

/// What comes of a key.
pub(super) enum Chosen {
    Nothing,
    Closed,
    /// The text that it begins with.
    Text(String),
}

impl Begin {
    pub(super) fn press(&mut self, action: Option<Action>) -> Chosen {
        let samples = samples();
        let length = samples.len() + 1;
        match action {
            Some(Action::Back) => return Chosen::Closed,
            Some(Action::Accept) => {
                let at = self.list.selected(length).unwrap_or(0);
                let sample = at.checked_sub(1).and_then(|at| sample_text(&samples[at].name));
                return Chosen::Text(sample.map_or_else(|| Blank::default().text(), str::to_owned));
            }
            action => {
                if let Some(step) = action.and_then(Step::of) {
                    self.list.step(step, length);
                }
            }
        }
        Chosen::Nothing
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let samples = samples();
        let rows = u16::try_from(samples.len() + 3).unwrap_or(u16::MAX);
        let room = canvas.panel("A new agent begins with", Role::Focus, centred(area, 76, rows));
        let look = canvas.look;
        let line = |at: usize| {
            let sample = at.checked_sub(1).map(|at| &samples[at]);
            let (name, text) = sample.map_or(("nothing", "Write all of it yourself."), |sample| {
                (sample.name.as_str(), sample.description.as_str())
            });
            let text = look_cut(text, usize::from(room.width).saturating_sub(NAME + 1), look);
            Line::from_iter([
                Span::raw(padded(name, NAME, look) + " "),
                Span::styled(text, look.style(Role::Faint)),
            ])
        };
        canvas.list(self.list, samples.len() + 1, line, room);
    }
}

fn look_cut(text: &str, columns: usize, look: &crate::ui::app::look::Look) -> String {
    crate::ui::app::widget::cut(text, columns, look)
}
