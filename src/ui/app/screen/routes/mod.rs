//! Which routes a model may choose, and what providers offer.

use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::{Reaction, Screen};
use crate::ui::app::action::{Action, Place};
use crate::ui::app::input::Chord;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, List, Step};
use crate::ui::app::world::World;
use crate::ui::table::visible;

/// What this screen remembers.
#[derive(Default)]
pub struct Routes {
    list: List,
}

impl Routes {
    fn rows(world: &World) -> Vec<String> {
        world.configuration.config.routes.keys().map(ToString::to_string).collect()
    }
}

impl Screen for Routes {
    fn place(&self) -> Place {
        Place::Routes
    }

    fn press(&mut self, _chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        if let Some(step) = action.and_then(Step::of) {
            self.list.step(step, Self::rows(world).len());
        }
        Reaction::default()
    }

    fn paste(&mut self, _text: &str) {}

    fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
        let room = canvas.panel("Routes", Role::Focus, area);
        let rows = Self::rows(world);
        if rows.is_empty() {
            canvas.text("No route yet.", Role::Faint, room);
        }
        canvas.list(self.list, rows.len(), |at| Line::from(visible(&rows[at])), room);
        None
    }
}
