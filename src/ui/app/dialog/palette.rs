//! Commands by a part of their name.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Outcome;
use crate::ui::app::action::{Action, Described, Place, TABLE};
use crate::ui::app::input::Chord;
use crate::ui::app::keymap::Keymap;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, Finder, centred, cut, ranked};

/// What was typed, and what it can mean here.
pub struct Palette {
    /// With the key that does it.
    offered: Vec<(&'static Described, String)>,
    finder: Finder,
}

impl Palette {
    /// All that a key does at this place.
    pub fn new(place: Place, keymap: &Keymap) -> Self {
        let offered = TABLE.iter().filter_map(|row| Some((row, keymap.key(place, row.action)?.to_string())));
        Self { offered: offered.collect(), finder: Finder::default() }
    }

    pub fn press(&mut self, chord: Chord, action: Option<Action>) -> Outcome {
        let found = self.found();
        match action {
            Some(Action::Back) => Outcome::Closes,
            Some(Action::Accept) => match self.finder.selected(found.len()) {
                Some(at) => Outcome::Acts(found[at].0.action),
                None => Outcome::Stays,
            },
            action => {
                let length = found.len();
                self.finder.press(chord, action, length);
                Outcome::Stays
            }
        }
    }

    pub fn paste(&mut self, text: &str) {
        self.finder.paste(text);
    }

    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let room = canvas.panel("Commands", Role::Focus, centred(area, 84, 16));
        let below = self.finder.draw_field(canvas, room);
        let found = self.found();
        if found.is_empty() {
            return canvas.text("No command here has that. Other screens have others.", Role::Faint, below);
        }
        let (faint, look, columns) = (canvas.style(Role::Key), canvas.look, usize::from(room.width));
        let line = |at: usize| {
            let (row, key) = found[at];
            let name = Span::raw(format!("{:<16}", row.label));
            let text = cut(row.text, columns.saturating_sub(26), look);
            Line::from_iter([name, Span::styled(format!("{key:<10}"), faint), Span::raw(text)])
        };
        self.finder.draw_found(found.len(), line, canvas, below);
    }

    /// Those that fit, the best first.
    fn found(&self) -> Vec<&(&'static Described, String)> {
        ranked(&self.offered, self.finder.text(), |(row, _)| format!("{} {}", row.label, row.text))
    }
}
