//! What is drawn over a screen and has the keys until it is closed.

mod confirm;
mod guide;
mod inbox;
mod launch;
mod palette;
mod providers;
mod reading;
mod review;
mod themes;

use ratatui::layout::Rect;

pub use confirm::Confirm;
pub use guide::Guide;
pub use inbox::Inbox;
pub use launch::Launch;
pub use palette::Palette;
pub use providers::Providers;
pub use reading::Reading;
pub use review::Review;
pub use themes::Themes;

use super::action::{Action, Place};
use super::event::{Effect, News};
use super::input::Chord;
use super::widget::{Canvas, Page};
use super::world::World;

/// One of them.
pub enum Dialog {
    Confirm(Confirm),
    Guide(Guide),
    Inbox(Inbox),
    Launch(Box<Launch>),
    Palette(Palette),
    Providers(Providers),
    Reading(Reading),
    Review(Review),
    Themes(Themes),
}

/// What comes of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Stays,
    Closes,
    /// It goes on and this is to be done.
    Does(Vec<Effect>),
    /// It closes and this is to be done.
    Ends(Vec<Effect>),
    /// The form closes, and this starts its session.
    Starts(Effect),
    /// It closes, and this is as if its key had been pressed.
    Acts(Action),
    /// It closes, and this session is to be seen.
    Shows(uuid::Uuid),
    /// It goes on, and the app has this theme.
    Tries(String),
    /// It closes, and the app has this theme; `None`: the configuration's.
    Looks(Option<String>),
}

impl Dialog {
    /// Which keys are in force.
    pub fn place(&self) -> Place {
        match self {
            Self::Confirm(_) => Place::Question,
            Self::Launch(_) | Self::Review(_) => Place::Form,
            Self::Themes(_) => Place::Choice,
            Self::Inbox(inbox) => inbox.place(),
            Self::Palette(_) | Self::Providers(_) => Place::Line,
            Self::Guide(_) | Self::Reading(_) => Place::Reading,
        }
    }

    /// A key that means this here, or nothing.
    pub fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Outcome {
        match self {
            Self::Confirm(confirm) => confirm.press(chord, action),
            Self::Guide(guide) => guide.press(chord, action),
            Self::Inbox(inbox) => inbox.press(chord, action, world),
            Self::Launch(launch) => launch.press(chord, action, world),
            Self::Palette(palette) => palette.press(chord, action),
            Self::Providers(providers) => providers.press(chord, action),
            Self::Reading(reading) => reading.press(action),
            Self::Review(review) => review.press(chord, action),
            Self::Themes(themes) => themes.press(action),
        }
    }

    /// Something has become known.
    pub fn learn(&mut self, news: &News) {
        match self {
            Self::Launch(launch) => launch.learn(news),
            Self::Guide(guide) => guide.learn(news),
            _ => {}
        }
    }

    /// A text that is pasted.
    pub fn paste(&mut self, text: &str) {
        match self {
            Self::Inbox(inbox) => inbox.paste(text),
            Self::Launch(launch) => launch.paste(text),
            Self::Palette(palette) => palette.paste(text),
            Self::Providers(providers) => providers.paste(text),
            Self::Confirm(_) | Self::Guide(_) | Self::Reading(_) | Self::Review(_) | Self::Themes(_) => {}
        }
    }

    /// The text that keys go through; `None`: there is none.
    pub fn page_mut(&mut self) -> Option<&mut Page> {
        match self {
            Self::Guide(guide) => Some(guide.page_mut()),
            Self::Inbox(inbox) => Some(inbox.page_mut()),
            Self::Launch(launch) => Some(launch.page_mut()),
            Self::Reading(reading) => Some(reading.page_mut()),
            Self::Review(review) => Some(review.page_mut()),
            Self::Confirm(_) | Self::Palette(_) | Self::Providers(_) | Self::Themes(_) => None,
        }
    }

    pub fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
        match self {
            Self::Confirm(confirm) => confirm.draw(canvas, area),
            Self::Guide(guide) => guide.draw(canvas, area),
            Self::Inbox(inbox) => inbox.draw(world, canvas, area),
            Self::Launch(launch) => launch.draw(world, canvas, area),
            Self::Palette(palette) => palette.draw(canvas, area),
            Self::Providers(providers) => providers.draw(canvas, area),
            Self::Reading(reading) => reading.draw(canvas, area),
            Self::Review(review) => review.draw(canvas, area),
            Self::Themes(themes) => themes.draw(canvas, area),
        }
    }
}
