//! What an agent runs on, found by a part of its name: Claude's own models, the routes in use, and all that providers
//! list. What is typed exactly can be taken too, as a catalogue only advises.

use std::collections::BTreeSet;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::catalogue::Catalogue;
use super::super::draw::padded;
use crate::config::agent::value_of;
use crate::config::{Config, RouteId};
use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, Finder, centred, ranked};
use crate::ui::app::world::World;
use crate::ui::table::visible;

/// Claude Code's own words, and what they stand for.
const OWN: [(&str, &str); 5] = [
    ("inherit", "the caller's model"),
    ("sonnet", "Claude's own"),
    ("opus", "Claude's own"),
    ("haiku", "Claude's own"),
    ("fable", "Claude's own"),
];

/// What was typed, and which of what fits is selected.
#[derive(Default)]
pub(super) struct Picker {
    finder: Finder,
}

/// What comes of a key.
pub(super) enum Picked {
    Nothing,
    Closed,
    Model(String),
}

impl Picker {
    pub(super) fn press(
        &mut self,
        chord: Chord,
        action: Option<Action>,
        (world, catalogue): (&World, &Catalogue),
    ) -> Picked {
        let found = self.found(&world.configuration.config, catalogue);
        match action {
            Some(Action::Back) => Picked::Closed,
            Some(Action::Accept) => {
                let at = self.finder.selected(found.len());
                at.map_or(Picked::Nothing, |at| Picked::Model(found[at].clone()))
            }
            action => {
                self.finder.press(chord, action, found.len());
                Picked::Nothing
            }
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.finder.paste(text);
    }

    pub(super) fn draw(&self, (world, catalogue): (&World, &Catalogue), canvas: &mut Canvas<'_>, area: Rect) {
        let room = canvas.panel("Runs on", Role::Focus, centred(area, 90, area.height.min(22)));
        let below = self.finder.draw_field(canvas, room);
        let config = &world.configuration.config;
        let found = self.found(config, catalogue);
        if found.is_empty() {
            let text = "Nothing has that. Write a route as provider/model, exactly.";
            return canvas.text(text, Role::Faint, below);
        }
        let look = canvas.look;
        let columns = usize::from(below.width);
        let line = |at: usize| {
            let end = told(&found[at], config, catalogue);
            let name = columns.saturating_sub(if columns < 60 { 20 } else { 44 });
            let (text, role) = end.line(columns < 60);
            Line::from_iter([
                Span::raw(padded(&visible(&found[at]), name, look)),
                Span::styled(format!(" {text}"), look.style(role)),
            ])
        };
        self.finder.draw_found(found.len(), line, canvas, below);
    }

    /// Those that fit, the best first; and what was typed, if it is a model's name and none of them.
    fn found(&self, config: &Config, catalogue: &Catalogue) -> Vec<String> {
        let typed = self.finder.text().trim();
        let mut found = ranked(offered(config, catalogue), typed, String::clone);
        if !found.iter().any(|offered| offered == typed) && value_of("model", typed).is_ok() {
            found.push(typed.to_owned());
        }
        found
    }
}

fn offered(config: &Config, catalogue: &Catalogue) -> Vec<String> {
    let mut all: Vec<String> = OWN.iter().map(|(word, _)| (*word).to_owned()).collect();
    let agents = config.agents.iter().filter_map(|agent| agent.model.route());
    let used = config.routes.keys().chain(agents).map(ToString::to_string);
    let mut known = BTreeSet::new();
    all.extend(used.chain(catalogue.routes()).filter(|route| known.insert(route.clone())));
    all
}

/// What is told of a model.
struct End {
    context: String,
    price: String,
    state: String,
    role: Role,
}

impl End {
    fn line(&self, is_narrow: bool) -> (String, Role) {
        if is_narrow {
            return (self.state.clone(), self.role);
        }
        (format!("{:>7} {:>15} {}", self.context, self.price, self.state), self.role)
    }
}

fn told(model: &str, config: &Config, catalogue: &Catalogue) -> End {
    if let Some((_, meaning)) = OWN.iter().find(|(word, _)| *word == model) {
        let (context, price) = (String::new(), String::new());
        return End { context, price, state: (*meaning).to_owned(), role: Role::Faint };
    }
    let Ok(route) = model.parse::<RouteId>() else {
        let state = "a Claude model's id, as typed".to_owned();
        return End { context: String::new(), price: String::new(), state, role: Role::Faint };
    };
    let (context, price, state, role) = catalogue.columns(&route, config);
    End { context, price, state, role }
}
