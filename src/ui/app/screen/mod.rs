//! The screens: each a folder with what it remembers, what keys do there, and how it is drawn.

pub mod agents;
pub mod history;
pub mod log;
pub mod monitor;
mod names;
pub mod routes;
pub mod sessions;

use jiff::Timestamp;
use ratatui::layout::{Position, Rect};

use super::action::{Action, Place};
use super::dialog::Dialog;
use super::event::{Effect, News};
use super::input::Chord;
use super::widget::{Canvas, Page};
use super::world::World;

/// Which screen is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    Sessions,
    Agents,
    Routes,
    Monitor,
    History,
}

impl Tab {
    /// In the order of their digits.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Sessions, "Sessions"),
        (Self::Agents, "Agents"),
        (Self::Routes, "Routes"),
        (Self::Monitor, "Monitor"),
        (Self::History, "History"),
    ];
}

/// What a screen wants after a key or news.
#[derive(Default)]
pub struct Reaction {
    pub effects: Vec<Effect>,
    pub wish: Wish,
}

/// What a screen can't do itself.
#[derive(Default)]
pub enum Wish {
    #[default]
    Nothing,
    /// To tell the person something.
    Say(String),
    /// To tell the person that something failed.
    Warn(String),
    /// To show something over the screen.
    Open(Box<Dialog>),
    /// To show this session.
    Session(uuid::Uuid),
}

impl From<Effect> for Reaction {
    fn from(effect: Effect) -> Self {
        Self { effects: vec![effect], wish: Wish::Nothing }
    }
}

impl From<Vec<Effect>> for Reaction {
    fn from(effects: Vec<Effect>) -> Self {
        Self { effects, wish: Wish::Nothing }
    }
}

impl From<Wish> for Reaction {
    fn from(wish: Wish) -> Self {
        Self { effects: Vec::new(), wish }
    }
}

/// What the app asks of each screen.
pub trait Screen {
    /// Which keys are in force.
    fn place(&self) -> Place;

    /// A key, and what it means here.
    fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction;

    /// A text that is pasted where one is typed.
    fn paste(&mut self, text: &str);

    /// Follows [`Screen::paste`], for what comes of it.
    fn pasted(&mut self, _world: &World) -> Reaction {
        Reaction::default()
    }

    /// It is shown from now on.
    fn enter(&mut self, _world: &World) -> Reaction {
        Reaction::default()
    }

    /// Something has become known, and stands in the world already.
    fn learn(&mut self, _news: &News, _world: &World) -> Reaction {
        Reaction::default()
    }

    /// When it is to be drawn although nothing happens, because what it shows depends on the time.
    fn deadline(&self, _world: &World) -> Option<Timestamp> {
        None
    }

    /// What would be lost if the app ended now, as a sentence; `None`: nothing.
    fn unsaved(&self) -> Option<String> {
        None
    }

    /// Whether a line is selected: without one, keys that are about one do nothing.
    fn has_line(&self, _world: &World) -> bool {
        true
    }

    /// The text that keys go through; `None`: there is none.
    fn page_mut(&mut self) -> Option<&mut Page> {
        None
    }

    /// Draws it; where the cursor is to be, if it is to be seen.
    fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position>;
}
