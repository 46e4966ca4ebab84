//! Requests as they come: by route, by agent, one by one.
//!
//! ```text
//! ┌ [Routes] Agents Strays 2 · all sessions ──────────┐
//! │ figures, summed up                                │
//! ├ Requests 120 · following ─────────────────────────┤
//! │ the log of all requests                           │
//! └───────────────────────────────────────────────────┘
//! ```

mod bind;
mod columns;
mod draw;
mod errors;
mod figures;
mod pace;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use ratatui::layout::{Position, Rect};
use uuid::Uuid;

use super::log::Log;
use super::{Reaction, Screen, Wish};
use crate::ui::app::action::{Action, Place};
use crate::ui::app::dialog::{Dialog, Reading};
use crate::ui::app::event::{Effect, News};
use crate::ui::app::input::Chord;
use crate::ui::app::look::Look;
use crate::ui::app::widget::{Canvas, List, Step};
use crate::ui::app::world::World;
use errors::Errors;
use figures::View;
use pace::Paces;

/// What this screen remembers.
#[derive(Default)]
pub struct Monitor {
    view: View,
    scope: Scope,
    focus: Focus,
    list: List,
    log: Log,
    paces: Paces,
    errors: Errors,
}

/// Whose requests are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Scope {
    #[default]
    All,
    /// The session's that is selected among the sessions.
    Selected,
}

/// Which of the two lists has the keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Focus {
    Figures,
    #[default]
    Log,
}

impl Monitor {
    /// The sessions whose figures are shown.
    fn sessions(&self, world: &World) -> Vec<Uuid> {
        match self.scope {
            Scope::All => world.stats.keys().copied().collect(),
            Scope::Selected => world.selected.into_iter().collect(),
        }
    }

    fn length(&self, world: &World) -> usize {
        let sessions = self.sessions(world);
        match self.view {
            View::Strays => figures::strays(world, &sessions).len(),
            view => figures::rows(world, view, &sessions).len(),
        }
    }

    /// The log shows what the figures show.
    fn confine(&mut self, world: &World) {
        let scope = match self.scope {
            Scope::All => None,
            Scope::Selected => Some(world.selected.unwrap_or_default()),
        };
        self.log.confine(scope);
    }

    fn act(&mut self, action: Action, world: &World) -> Reaction {
        match action {
            Action::NextPane => {
                self.focus = if self.focus == Focus::Log { Focus::Figures } else { Focus::Log };
            }
            Action::Right | Action::NextView => self.turn(1),
            Action::Left => self.turn(View::ALL.len() - 1),
            Action::Scope => {
                self.scope = if self.scope == Scope::All { Scope::Selected } else { Scope::All };
                self.confine(world);
            }
            Action::Bind => return self.bind(world),
            _ => {}
        }
        Reaction::default()
    }

    fn turn(&mut self, by: usize) {
        let at = View::ALL.iter().position(|(view, _)| *view == self.view).unwrap_or(0);
        self.view = View::ALL[(at + by) % View::ALL.len()].0;
        self.list = List::default();
    }

    /// What a key means for the figures; `None`: nothing.
    fn act_on_figures(&mut self, action: Action, world: &World) -> Option<Reaction> {
        if let Some(step) = Step::of(action) {
            self.list.step(step, self.length(world));
            return Some(Reaction::default());
        }
        match action {
            Action::Open => {
                let lines = self.selected_lines(world)?.into_iter().map(Into::into).collect();
                let title =
                    View::ALL.iter().find(|(view, _)| *view == self.view).map_or("", |(_, name)| name);
                Some(Wish::Open(Box::new(Dialog::Reading(Reading::new(title, lines)))).into())
            }
            Action::Copy => Some(Effect::Copy(self.selected_lines(world)?.join("\n")).into()),
            _ => None,
        }
    }

    /// All that is known of the selected figures.
    fn selected_lines(&self, world: &World) -> Option<Vec<String>> {
        let sessions = self.sessions(world);
        if self.view == View::Strays {
            let strays = figures::strays(world, &sessions);
            let stray = &strays[self.list.selected(strays.len())?];
            return Some(draw::stray_lines(stray));
        }
        let rows = figures::rows(world, self.view, &sessions);
        let (key, row) = &rows[self.list.selected(rows.len())?];
        let minute = self.paces.minute(&sessions, self.view, key, world.now);
        let failure = self.errors.last(&sessions, key);
        let seen = columns::Seen { key, row, minute: &minute, failure, now: world.clock() };
        Some(seen.lines(&Look::default()))
    }

    /// Makes a route of the selected model.
    fn bind(&self, world: &World) -> Reaction {
        let model = match (self.focus, self.view) {
            // Who looks at the strays means one of them.
            (Focus::Log, View::Strays) if self.log.selected().is_some_and(|row| !row.stray) => {
                return Wish::Say("That request is no stray: tab goes to the strays".to_owned()).into();
            }
            (Focus::Log, _) => self.log.selected().and_then(|row| row.wire_model.clone()),
            (Focus::Figures, View::Strays) => {
                let strays = figures::strays(world, &self.sessions(world));
                self.list.selected(strays.len()).map(|at| strays[at].model.clone())
            }
            (Focus::Figures, view) => {
                let rows = figures::rows(world, view, &self.sessions(world));
                self.list.selected(rows.len()).map(|at| rows[at].0.route.clone())
            }
        };
        match model {
            Some(model) => bind::bind(&model, &world.configuration.config),
            None => Wish::Say("Select a request or a stray first.".to_owned()).into(),
        }
    }
}

impl Screen for Monitor {
    fn place(&self) -> Place {
        if self.log.is_typed_in() { Place::Line } else { Place::Monitor }
    }

    fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        self.confine(world);
        let is_typed = self.log.is_typed_in();
        if self.focus == Focus::Figures
            && !is_typed
            && let Some(reaction) = action.and_then(|action| self.act_on_figures(action, world))
        {
            return reaction;
        }
        if !is_typed && action.is_none() {
            return Reaction::default();
        }
        match self.log.press(chord, action, world) {
            Ok(reaction) => reaction,
            Err(action) => self.act(action, world),
        }
    }

    fn paste(&mut self, text: &str) {
        self.log.paste(text);
    }

    fn enter(&mut self, world: &World) -> Reaction {
        self.confine(world);
        Reaction::default()
    }

    fn learn(&mut self, news: &News, world: &World) -> Reaction {
        match news {
            News::Stats { session, stats } => self.paces.learn(*session, stats, world.now),
            News::Sessions(_) => {
                self.paces.keep(|session| world.stats.contains_key(session));
                let listed: Vec<String> =
                    world.listed().iter().map(|listed| listed.session.to_string()).collect();
                self.errors.keep(&listed);
                self.confine(world);
            }
            News::Requests { rows, skipped, lost } => {
                for row in rows {
                    self.errors.learn(row);
                }
                self.log.take(rows);
                self.log.older += skipped;
                self.log.lost += lost;
            }
            _ => {}
        }
        Reaction::default()
    }

    fn deadline(&self, world: &World) -> Option<Timestamp> {
        self.paces.deadline(world.now)
    }

    fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
        draw::draw(self, world, canvas, area);
        None
    }
}
