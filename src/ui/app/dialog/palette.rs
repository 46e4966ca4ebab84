//! Commands by a part of their name.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Outcome;
use crate::ui::app::action::{Action, Described, Place, TABLE};
use crate::ui::app::input::Chord;
use crate::ui::app::keymap::Keymap;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, Field, List, Step, centred, cut, ranked};

/// What was typed, and what it can mean here.
pub struct Palette {
    field: Field,
    /// With the key that does it.
    offered: Vec<(&'static Described, String)>,
    list: List,
}

impl Palette {
    /// All that a key does at this place.
    pub fn new(place: Place, keymap: &Keymap) -> Self {
        let offered = TABLE.iter().filter_map(|row| Some((row, keymap.key(place, row.action)?.to_string())));
        Self { field: Field::default(), offered: offered.collect(), list: List::default() }
    }

    pub fn press(&mut self, chord: Chord, action: Option<Action>) -> Outcome {
        let found = self.found();
        match action {
            Some(Action::Back) => Outcome::Closes,
            Some(Action::Accept) => match self.list.selected(found.len()) {
                Some(at) => Outcome::Acts(found[at].0.action),
                None => Outcome::Stays,
            },
            Some(action) if Step::of(action).is_some() => {
                let length = found.len();
                if let Some(step) = Step::of(action) {
                    self.list.step(step, length);
                }
                Outcome::Stays
            }
            _ => {
                if self.field.press(chord) {
                    self.list = List::default();
                }
                Outcome::Stays
            }
        }
    }

    pub fn paste(&mut self, text: &str) {
        self.field.insert(text);
        self.list = List::default();
    }

    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let room = canvas.panel("Commands", Role::Focus, centred(area, 84, 16));
        if room.height < 2 {
            return;
        }
        self.field.draw(true, Rect { height: 1, ..room }, canvas);
        let found = self.found();
        let (faint, look, columns) = (canvas.style(Role::Key), canvas.look, usize::from(room.width));
        let line = |at: usize| {
            let (row, key) = found[at];
            let name = Span::raw(format!("{:<16}", row.label));
            let text = cut(row.text, columns.saturating_sub(26), look);
            Line::from_iter([name, Span::styled(format!("{key:<10}"), faint), Span::raw(text)])
        };
        let below = Rect { y: room.y + 1, height: room.height - 1, ..room };
        canvas.list(self.list, found.len(), line, below);
    }

    /// Those that fit, the best first.
    fn found(&self) -> Vec<&(&'static Described, String)> {
        ranked(&self.offered, self.field.text(), |(row, _)| format!("{} {}", row.label, row.text))
    }
}
