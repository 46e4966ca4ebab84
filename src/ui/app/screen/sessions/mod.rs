//! All sessions, and those that are open beside the list.
//!
//! ```text
//! ┌ Sessions ──────┐┌ api-fix · ~/src/shop ───────────────────┐
//! │ ◐ api-fix      ││                                         │
//! │ ● docs         ││   the selected session, live            │
//! ├ Routes ────────┤│                                         │
//! │ default     12 ││                                         │
//! └────────────────┘└─────────────────────────────────────────┘
//! ```

mod draw;
mod panes;

use ratatui::layout::{Position, Rect};
use uuid::Uuid;

pub use draw::Places;
pub use panes::{Keys, Panes};

use super::{Reaction, Screen, Wish};
use crate::launch::sessions::{Listed, State};
use crate::ui::app::action::{Action, Place};
use crate::ui::app::dialog::{Confirm, Dialog, Launch};
use crate::ui::app::event::{Effect, Purpose, Task};
use crate::ui::app::input::Chord;
use crate::ui::app::widget::{Canvas, Filter, List, Step};
use crate::ui::app::world::World;
use draw::draw;

/// What this screen remembers.
#[derive(Default)]
pub struct Sessions {
    list: List,
    filter: Filter,
    /// What is to be selected once it is in the list.
    wanted: Option<Uuid>,
    pub panes: Panes,
}

impl Sessions {
    /// Those that the filter leaves.
    pub fn shown<'w>(&self, world: &'w World) -> Vec<&'w Listed> {
        let has = |listed: &&Listed| {
            self.filter.keeps(&[&listed.name, &listed.folder.to_string_lossy(), listed.state.word()])
        };
        world.listed().iter().filter(has).collect()
    }

    pub fn selected<'w>(&self, world: &'w World) -> Option<&'w Listed> {
        let shown = self.shown(world);
        self.list.selected(shown.len()).map(|at| shown[at])
    }

    /// To be selected as soon as it is in the list.
    pub fn want(&mut self, session: Uuid) {
        self.wanted = Some(session);
    }

    /// None of them is left out.
    pub fn unfilter(&mut self) {
        self.filter.end();
    }

    /// The list has changed: the selected one stays selected wherever it is now.
    pub fn relisted(&mut self, before: Option<Uuid>, world: &World) {
        let shown = self.shown(world);
        let at = |session: Option<Uuid>| shown.iter().position(|listed| Some(listed.session) == session);
        if let Some(line) = at(self.wanted) {
            self.wanted = None;
            self.list.select(line);
        } else if let Some(line) = at(before) {
            self.list.select(line);
        }
    }

    /// What a key means that is pressed beside the panes.
    pub fn act(&mut self, action: Action, world: &World) -> Reaction {
        if let Some(step) = Step::of(action) {
            self.list.step(step, self.shown(world).len());
            return Reaction::default();
        }
        match action {
            Action::New => {
                let (form, effects) = Launch::new(world);
                Reaction { effects, wish: Wish::Open(Box::new(Dialog::Launch(Box::new(form)))) }
            }
            Action::Filter => {
                self.filter.begin();
                Reaction::default()
            }
            Action::Back => {
                self.filter.end();
                Reaction::default()
            }
            Action::Leave => {
                self.panes.leave();
                Reaction::default()
            }
            action => match self.selected(world).cloned() {
                Some(selected) => self.act_on(action, &selected),
                None => Reaction::default(),
            },
        }
    }

    fn act_on(&mut self, action: Action, selected: &Listed) -> Reaction {
        let id = selected.session.to_string();
        match action {
            Action::Open if is_hosted(selected) => {
                self.panes.enter();
                Reaction::default()
            }
            Action::FullScreen if is_hosted(selected) => {
                Effect::HandOver { arguments: ["attach", "--quiet", &id].map(str::to_owned).to_vec() }.into()
            }
            Action::Open | Action::FullScreen if selected.place.is_some() => {
                Wish::Say(format!("{} isn't shown here; beside the list is said where", selected.name)).into()
            }
            Action::Stop if selected.place.is_some() => {
                let effect = Effect::Run(Task::new(Purpose::Tell, &["stop", &id]));
                let question = format!("End the session {}?", selected.name);
                Wish::Open(Box::new(Dialog::Confirm(Confirm::new(question, effect)))).into()
            }
            Action::Resume | Action::Open if selected.place.is_none() => {
                Effect::Run(Task::new(Purpose::Resume, &["resume", &id, "--detach", "--json"])).into()
            }
            Action::Tile if is_hosted(selected) => {
                self.panes.tile(selected.session);
                Reaction::default()
            }
            _ => Reaction::default(),
        }
    }

    /// Shows what should be shown where there is so much room: to be called after everything that could change that.
    pub fn settle(&mut self, world: &World, area: Rect) -> Vec<Effect> {
        let selected = self.selected(world).filter(|listed| is_hosted(listed)).map(|listed| listed.session);
        let lives = |session: Uuid| world.session(session).is_some_and(is_hosted);
        self.panes.settle(selected, lives, area)
    }
}

impl Screen for Sessions {
    fn place(&self) -> Place {
        match self.panes.keys() {
            Keys::Led => Place::Leader,
            _ if self.filter.is_typed() => Place::Line,
            _ => Place::Sessions,
        }
    }

    fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        let before = self.selected(world).map(|listed| listed.session);
        let reaction = match self.filter.press(chord, action) {
            Some(action) => return self.act(action, world),
            None => Reaction::default(),
        };
        self.relisted(before, world);
        reaction
    }

    fn paste(&mut self, text: &str) {
        self.filter.paste(text);
    }

    fn has_line(&self, world: &World) -> bool {
        self.selected(world).is_some()
    }

    fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
        draw(self, world, canvas, area)
    }
}

/// Whether it can be shown here.
fn is_hosted(listed: &Listed) -> bool {
    matches!(listed.place, Some(crate::launch::sessions::Place::Host(_)))
        && !matches!(listed.state, State::Background(_))
}
