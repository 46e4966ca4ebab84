//! Which routes a model may choose, what providers offer, and whether it works.
//!
//! ```text
//! ┌ Policy ────────────────────────────────────────────────────────────────┐
//! │ [x] on: a model may choose the ticked routes for itself …              │
//! └────────────────────────────────────────────────────────────────────────┘
//! ┌ Routes ─────────────────────────────────┐┌ glm/glm-5 ──────────────────┐
//! │ ▾ glm                  12 models, 3 min ││ authorised  yes             │
//! │    [x] glm-5                   2 agents ││ context     200000 tokens   │
//! │    [ ] glm-4.7                          ││ price       1/3.2           │
//! │  ▸ 10 more in the catalogue             ││                             │
//! └─────────────────────────────────────────┘└─────────────────────────────┘
//! ```
//!
//! What is ticked is a draft, kept beside the configuration until it is saved by one command.

mod act;
mod adding;
mod catalogues;
mod detail;
mod draft;
mod draw;
mod keys;
mod review;
#[cfg(test)]
mod tests;
mod tree;
mod trial;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use ratatui::layout::{Position, Rect};

use super::{Reaction, Screen, Wish};
use crate::config::RouteId;
use crate::ui::app::action::{Action, Place};
use crate::ui::app::dialog::Dialog;
use crate::ui::app::event::{Done, Effect, News, Purpose, Task};
use crate::ui::app::input::Chord;
use crate::ui::app::widget::{Canvas, Field, Filter, List, Page};
use crate::ui::app::world::World;
use crate::ui::text::counted;
use adding::meant;
use catalogues::Catalogues;
use draft::Draft;
use keys::Keys;
use tree::{Fold, Row, Tree};
use trial::Trial;

/// What this screen remembers.
#[derive(Default)]
pub struct Routes {
    list: List,
    /// What the list shows: long catalogues are gone through once for each change, and not for each frame.
    tree: Tree,
    /// What is selected, so that it stays so when lines come and go.
    held: Option<Row>,
    filter: Filter,
    folds: BTreeMap<Row, Fold>,
    draft: Draft,
    catalogues: Catalogues,
    keys: Keys,
    /// A route that is being typed.
    adding: Option<Field>,
    /// Those that were typed, whatever has become of them.
    typed: BTreeSet<RouteId>,
    trials: BTreeMap<RouteId, Trial>,
    /// What is known of the selected line has the whole room, and is read here.
    opened: Option<Page>,
}

impl Routes {
    fn selected(&self) -> Option<&Row> {
        let rows = &self.tree.rows;
        self.list.selected(rows.len()).map(|at| &rows[at])
    }

    /// To be called after everything that changes what is listed: what was selected is selected again, wherever it is now.
    fn settle(&mut self, world: &World) {
        self.tree = Tree::of(self, world);
        let rows = &self.tree.rows;
        let at = |row: &Row| rows.iter().position(|there| there == row);
        // What is folded away is in its branch.
        let branches =
            |row: &Row| [Row::Catalogue, Row::Provider].map(|branch| branch(row.provider().clone()));
        let found = self.held.as_ref().and_then(|row| at(row).or_else(|| branches(row).iter().find_map(at)));
        if let Some(at) = found {
            self.list.select(at);
        }
        self.held = self.list.selected(rows.len()).map(|at| rows[at].clone());
    }

    /// The configuration has changed: a provider that is new is asked, and where keys are may have changed too.
    fn renew(&mut self, world: &World) -> Reaction {
        let effects = self.catalogues.renew(&world.configuration.config, world.now);
        if effects.is_empty() { Reaction::default() } else { asked(effects) }
    }

    fn done(&mut self, done: &Done) -> Reaction {
        match &done.task.purpose {
            Purpose::Models(provider) => self.catalogues.learn(provider, done).into(),
            Purpose::Keys => {
                self.keys.learn(done);
                Reaction::default()
            }
            Purpose::Try(route) => {
                let trial = self.trials.entry(route.clone()).or_default();
                trial.finish(done);
                trial.summary(route).map_or_else(Reaction::default, |text| say(&text))
            }
            Purpose::Authorise if done.succeeded() => {
                self.draft = Draft::default();
                say("Saved: it counts for sessions that start from now on. u takes it back.")
            }
            Purpose::Authorise => say(&format!("It isn't saved: {}", done.said())),
            _ => Reaction::default(),
        }
    }
}

impl Screen for Routes {
    fn place(&self) -> Place {
        if self.adding.is_some() || self.filter.is_typed() { Place::Line } else { Place::Routes }
    }

    fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        if self.adding.is_some() {
            return self.type_route(chord, action, world);
        }
        if let Some(action) = self.filter.press(chord, action) {
            return self.act(action, world);
        }
        if self.filter.is_typed() {
            // What is looked for is a route, and its provider's line is above it.
            let found = Tree::of(self, world).rows.into_iter().find(|row| matches!(row, Row::Route(_)));
            self.held = found.or(self.held.take());
        }
        self.settle(world);
        Reaction::default()
    }

    fn paste(&mut self, text: &str) {
        match &mut self.adding {
            Some(field) => field.insert(text.trim()),
            None => self.filter.paste(text),
        }
    }

    fn enter(&mut self, world: &World) -> Reaction {
        self.settle(world);
        asked(self.catalogues.refresh(&world.configuration.config, world.now))
    }

    fn learn(&mut self, news: &News, world: &World) -> Reaction {
        let reaction = match news {
            News::Done(done) => self.done(done),
            News::Said { task: Task { purpose: Purpose::Try(route), .. }, line } => {
                self.trials.entry(route.clone()).or_default().say(line);
                Reaction::default()
            }
            News::Configuration(configuration) => {
                self.draft.settle(&configuration.config.policy);
                self.renew(world)
            }
            _ => return Reaction::default(),
        };
        self.settle(world);
        reaction
    }

    fn deadline(&self, world: &World) -> Option<Timestamp> {
        self.catalogues.deadline(world.now)
    }

    fn unsaved(&self) -> Option<String> {
        let is_changed = !self.draft.is_empty();
        is_changed.then(|| format!("The policy isn't saved in Routes: {}.", self.draft.words()))
    }

    fn page_mut(&mut self) -> Option<&mut Page> {
        self.opened.as_mut()
    }

    fn has_line(&self, _world: &World) -> bool {
        self.selected().is_some()
    }

    fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
        draw::draw(self, world, canvas, area);
        None
    }
}

/// Whoever asks providers looks for their keys again too.
fn asked(mut effects: Vec<Effect>) -> Reaction {
    effects.push(Keys::look());
    effects.into()
}

fn say(text: &str) -> Reaction {
    Wish::Say(text.to_owned()).into()
}

fn open(dialog: Dialog) -> Reaction {
    Wish::Open(Box::new(dialog)).into()
}

/// `reviewer runs`, `reviewer and fixer run`
fn who_runs(agents: &[String]) -> String {
    match agents {
        [] => "nobody runs".to_owned(),
        [one] => format!("{one} runs"),
        [first, second] => format!("{first} and {second} run"),
        [first, others @ ..] => format!("{first} and {} run", counted(others.len() as u64, "other")),
    }
}
