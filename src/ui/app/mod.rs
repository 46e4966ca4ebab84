//! The terminal app: what happens becomes what is shown, and what is to be done about it.
//!
//! Pure: [`App::update`] takes an event and gives effects, [`App::draw`] takes nothing but the app. Whoever performs the
//! effects and brings the events is the driver, `command/tui/`.
//!
//! ```text
//!  subagents  1 Sessions  2 Agents …              3 sessions · 2 working · $0.41   ? help
//! ┌───────────────────────────────────────────────────────────────────────────────────────┐
//! │ the screen                                                                              │
//! └───────────────────────────────────────────────────────────────────────────────────────┘
//!  what was told last, else the keys that mean something here
//! ```

mod acting;
pub mod action;
mod bars;
pub mod dialog;
pub mod event;
pub mod input;
pub mod keymap;
mod learning;
pub mod look;
pub mod pane;
pub mod screen;
mod starting;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod toast;
mod typing;
pub mod widget;
pub mod world;

use std::time::Instant;

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

use action::Place;
use dialog::Dialog;
use event::{Effect, Event, Moment};
use keymap::Keymap;
use look::{Appearance, Look, Role, Terminal};
use screen::agents::Agents;
use screen::history::History;
use screen::monitor::Monitor;
use screen::routes::Routes;
use screen::sessions::{self, Sessions};
use screen::{Screen, Tab};
use starting::Starting;
use toast::Messages;
use widget::{Canvas, Page, Spots};
use world::World;

use crate::config::Leader;

/// Everything that is remembered between two events.
pub struct App {
    area: Rect,
    world: World,
    tab: Tab,
    sessions: Sessions,
    agents: Agents,
    routes: Routes,
    monitor: Monitor,
    history: History,
    /// What is over the screen; the last has the keys.
    dialogs: Vec<Dialog>,
    messages: Messages,
    starting: Option<Starting>,
    /// The first steps were shown.
    guided: bool,
    keymap: Keymap,
    appearance: Appearance,
}

impl App {
    pub fn new(now: Timestamp, keymap: Keymap, terminal: Terminal) -> Self {
        Self {
            area: Rect::default(),
            world: World::new(now),
            tab: Tab::Sessions,
            sessions: Sessions::default(),
            agents: Agents::default(),
            routes: Routes::default(),
            monitor: Monitor::default(),
            history: History::default(),
            dialogs: Vec::new(),
            messages: Messages::default(),
            starting: None,
            guided: false,
            keymap,
            appearance: Appearance::new(terminal),
        }
    }

    /// Takes one event, and gives what is to be done.
    pub fn update(&mut self, event: Event, at: Moment) -> Vec<Effect> {
        self.world.now = at.time;
        let mut effects = match event {
            Event::Input(input) => self.hold(input).map_or_else(Vec::new, |input| self.input(input)),
            Event::News(news) => self.learn(&news, at),
            Event::Tick => Vec::new(),
        };
        self.expect(&effects);
        self.tell_copies(&effects);
        effects.extend(self.deliver());
        self.sessions.panes.tick(at.instant);
        let places = sessions::Places::of(self.body(), self.sessions.panes.keys());
        effects.extend(self.sessions.settle(&self.world, places.panes));
        self.world.selected = self.sessions.selected(&self.world).map(|listed| listed.session);
        effects
    }

    /// When [`Event::Tick`] is due although nothing happens: a frame of a session that isn't whole, and what stands for
    /// a time.
    pub fn deadline(&self) -> (Option<Instant>, Option<Timestamp>) {
        let times = [self.messages.deadline(self.world.now), self.screen().deadline(&self.world)];
        (self.sessions.panes.deadline(), times.into_iter().flatten().min())
    }

    /// Draws everything; where the cursor is to be, if it is to be seen.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        self.paint(&mut Canvas::new(self.look(), buffer), area)
    }

    /// What the mouse can do, wherever it is, and what is seen of the text that is read. Only a drawing knows; it is seldom
    /// asked for, and one more is soon made.
    fn sketch(&self) -> (Spots, Option<Page>) {
        let mut buffer = Buffer::empty(self.area);
        let mut canvas = Canvas::new(self.look(), &mut buffer);
        self.paint(&mut canvas, self.area);
        (canvas.spots, canvas.page)
    }

    fn paint(&self, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
        canvas.buffer.set_style(area, canvas.style(Role::Text));
        let [top, body, bottom] = parts(area);
        bars::title(self, canvas, top);
        let cursor = self.screen().draw(&self.world, canvas, body);
        bars::footer(self, canvas, bottom);
        for dialog in &self.dialogs {
            canvas.spots.cover(top);
            canvas.spots.cover(body);
            canvas.page = None;
            dialog.draw(&self.world, canvas, body);
        }
        cursor.filter(|_| self.dialogs.is_empty())
    }

    fn look(&self) -> &Look {
        &self.appearance.look
    }

    fn body(&self) -> Rect {
        parts(self.area)[1]
    }

    fn leader(&self) -> Leader {
        self.world.configuration.config.leader
    }

    fn screen(&self) -> &dyn Screen {
        match self.tab {
            Tab::Sessions => &self.sessions,
            Tab::Agents => &self.agents,
            Tab::Routes => &self.routes,
            Tab::Monitor => &self.monitor,
            Tab::History => &self.history,
        }
    }

    /// The screen, and the world that it is to look at.
    fn screen_mut(&mut self) -> (&mut dyn Screen, &World) {
        match self.tab {
            Tab::Sessions => (&mut self.sessions, &self.world),
            Tab::Agents => (&mut self.agents, &self.world),
            Tab::Routes => (&mut self.routes, &self.world),
            Tab::Monitor => (&mut self.monitor, &self.world),
            Tab::History => (&mut self.history, &self.world),
        }
    }

    /// Every screen hears of what has become known.
    fn screens(&mut self) -> ([&mut dyn Screen; 5], &World) {
        let Self { sessions, agents, routes, monitor, history, world, .. } = self;
        ([sessions, agents, routes, monitor, history], world)
    }

    /// The text that keys go through.
    fn page_mut(&mut self) -> Option<&mut Page> {
        if self.dialogs.is_empty() {
            return self.screen_mut().0.page_mut();
        }
        self.dialogs.last_mut()?.page_mut()
    }

    /// Which keys are in force.
    fn place(&self) -> Place {
        self.dialogs.last().map_or_else(|| self.screen().place(), Dialog::place)
    }
}

/// A line for the title, the screen, a line for the keys.
fn parts(area: Rect) -> [Rect; 3] {
    Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)]).areas(area)
}
