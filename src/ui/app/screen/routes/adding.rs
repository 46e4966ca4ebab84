//! A route that is typed exactly. A catalogue only advises, so it need not be listed anywhere.

use super::Routes;
use super::tree::{Fold, Row};
use crate::config::route::RouteIdError;
use crate::config::{Policy, RouteId};
use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;
use crate::ui::app::screen::Reaction;
use crate::ui::app::widget::Field;
use crate::ui::app::world::World;

impl Routes {
    pub(super) fn begin_to_add(&mut self) {
        let provider = self.selected().map(|row| format!("{}/", row.provider())).unwrap_or_default();
        self.adding = Some(Field::new(&provider));
    }

    /// A key while a route is typed.
    pub(super) fn type_route(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        let Some(field) = &mut self.adding else { return Reaction::default() };
        match action {
            Some(Action::Back) => self.adding = None,
            Some(Action::Accept) => {
                if let Ok(route) = meant(field.text(), world) {
                    self.adding = None;
                    self.add(route, &world.configuration.config.policy);
                    self.settle(world);
                }
            }
            _ => _ = field.press(chord),
        }
        Reaction::default()
    }

    /// A catalogue only advises: what is typed exactly is taken.
    fn add(&mut self, route: RouteId, policy: &Policy) {
        self.draft.allow(policy, &route);
        self.filter.end();
        self.put(Row::Provider(route.provider().clone()), Fold::Open);
        let listed = self.catalogues.model(&route).is_some();
        if listed {
            self.put(Row::Catalogue(route.provider().clone()), Fold::Open);
        } else {
            self.typed.insert(route.clone());
        }
        self.held = Some(Row::Route(route));
    }
}

/// The route that a text names, if it can be used; else why not.
pub(super) fn meant(text: &str, world: &World) -> Result<RouteId, String> {
    let route: RouteId = text.trim().parse().map_err(|error: RouteIdError| error.to_string())?;
    match world.configuration.config.provider_for(&route) {
        Ok(_) => Ok(route),
        Err(refusal) => Err(format!("{refusal}: {}", refusal.remedy())),
    }
}
