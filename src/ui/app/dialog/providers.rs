//! The providers that are known by name and aren't there yet: one is added by its name.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Outcome;
use crate::config::Config;
use crate::config::preset::{self, Preset};
use crate::ui::app::action::Action;
use crate::ui::app::event::{Effect, Purpose, Task};
use crate::ui::app::input::Chord;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, Finder, centred, cut, ranked};

/// Columns of a name.
const NAME: usize = 12;

/// Columns of where its key is looked for.
const KEY: usize = 22;

/// How any other is added.
const OTHERS: &str = "Any other: `subagents provider add NAME --base-url URL …` in a shell.";

/// What there is.
pub struct Providers {
    presets: Vec<Preset>,
    finder: Finder,
}

impl Providers {
    pub fn new(config: &Config) -> Self {
        let is_new = |preset: &Preset| !config.providers.keys().any(|name| name.as_str() == preset.name);
        Self { presets: preset::all().into_iter().filter(is_new).collect(), finder: Finder::default() }
    }

    pub fn press(&mut self, chord: Chord, action: Option<Action>) -> Outcome {
        let found = self.found();
        match action {
            Some(Action::Back) => Outcome::Closes,
            Some(Action::Accept) => self.finder.selected(found.len()).map_or(Outcome::Stays, |at| {
                let task = Task::new(Purpose::Tell, &["provider", "add", "--", &found[at].name]);
                Outcome::Ends(vec![Effect::Run(task)])
            }),
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
        let found = self.found();
        let rows = u16::try_from(self.presets.len() + 4).unwrap_or(u16::MAX);
        let room = canvas.panel("Add a provider", Role::Focus, centred(area, 90, rows));
        let foot = room.height.min(1);
        let list = self.finder.draw_field(canvas, Rect { height: room.height - foot, ..room });
        let (look, columns) = (canvas.look, usize::from(room.width));
        let line = |at: usize| {
            let Preset { name, about, auth, .. } = found[at];
            let key = auth.secret().map_or_else(|| "no key".to_owned(), ToString::to_string);
            let about = format!("{key:<KEY$} {about}");
            Line::from_iter([
                Span::raw(format!("{name:<NAME$} ")),
                Span::styled(cut(&about, columns.saturating_sub(NAME + 1), look), look.style(Role::Faint)),
            ])
        };
        self.finder.draw_found(found.len(), line, canvas, list);
        let others = canvas.cut(OTHERS, columns);
        let place = Rect { y: room.bottom() - foot, height: foot, ..room };
        canvas.put(0, [Span::styled(others, canvas.style(Role::Faint))], place);
    }

    /// Those that fit, the best first.
    fn found(&self) -> Vec<&Preset> {
        ranked(&self.presets, self.finder.text(), |preset| format!("{} {}", preset.name, preset.about))
    }
}
