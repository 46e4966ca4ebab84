//! The themes: whichever is selected is what the app looks like.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Outcome;
use crate::config::{Config, ThemeChoice};
use crate::ui::Colour;
use crate::ui::app::action::Action;
use crate::ui::app::event::{Effect, Purpose, Task};
use crate::ui::app::look::{Appearance, Role};
use crate::ui::app::widget::{Canvas, List, Step, centred};
use crate::ui::table::visible;

/// What there is, and what was shown before.
pub struct Themes {
    names: Vec<String>,
    list: List,
    before: Option<String>,
    title: &'static str,
}

impl Themes {
    pub fn new(config: &Config, appearance: &Appearance) -> Self {
        let names: Vec<String> = config.themes.choices().map(str::to_owned).collect();
        let before = appearance.tried().map(str::to_owned);
        let shown = before.as_deref().unwrap_or(config.tui.theme.name());
        let mut list = List::default();
        list.select(names.iter().position(|name| name == shown).unwrap_or(0));
        let title = match appearance.terminal.colour {
            Colour::Ansi => "Themes",
            Colour::Never => "Themes (NO_COLOR leaves colours out)",
        };
        Self { names, list, before, title }
    }

    pub fn press(&mut self, action: Option<Action>) -> Outcome {
        match action {
            Some(Action::Back) => Outcome::Looks(self.before.take()),
            Some(Action::Toggle) => Outcome::Closes,
            Some(Action::Accept) => {
                let task = Task::new(Purpose::Tell, &["config", "theme", "--", self.selected()]);
                Outcome::Ends(vec![Effect::Run(task)])
            }
            action => match action.and_then(Step::of) {
                Some(step) => {
                    self.list.step(step, self.names.len());
                    Outcome::Tries(self.selected().to_owned())
                }
                None => Outcome::Stays,
            },
        }
    }

    fn selected(&self) -> &str {
        self.list.selected(self.names.len()).map_or(ThemeChoice::AUTO, |at| &self.names[at])
    }

    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let rows = u16::try_from(self.names.len() + 3).unwrap_or(u16::MAX);
        let room = canvas.panel(self.title, Role::Focus, centred(area, 54, rows));
        let list = Rect { height: room.height.saturating_sub(1), ..room };
        let faint = canvas.style(Role::Faint);
        let line = |at: usize| {
            let name = visible(&self.names[at]);
            let note = if name == ThemeChoice::AUTO { "  light or dark, as your terminal is" } else { "" };
            Line::from_iter([Span::raw(name), Span::styled(note, faint)])
        };
        canvas.list(self.list, self.names.len(), line, list);
        let foot = Rect { y: list.bottom(), height: room.height - list.height, ..room };
        canvas.hints("enter keeps it   space for now only   esc back", foot);
    }
}
