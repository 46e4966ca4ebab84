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

pub mod action;
mod bars;
pub mod dialog;
pub mod event;
pub mod input;
pub mod keymap;
pub mod look;
pub mod pane;
pub mod screen;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod toast;
pub mod widget;
pub mod world;

use std::time::Instant;

use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use uuid::Uuid;

use action::{Action, Place};
use dialog::{Confirm, Dialog, Guide, Inbox, Outcome, Palette, Reading};
use event::{Done, Effect, Event, Moment, News, Purpose, Task};
use input::{Chord, Input, Mouse};
use keymap::Keymap;
use look::{Look, Role};
use screen::agents::Agents;
use screen::history::History;
use screen::monitor::Monitor;
use screen::routes::Routes;
use screen::sessions::{self, Sessions};
use screen::{Reaction, Screen, Tab, Wish};
use toast::Messages;
use widget::Canvas;
use world::World;

use crate::config::Leader;
use crate::launch::screen::input::{Key, Modifiers, Stroke};
use crate::ui::table::visible;

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
    /// The first steps were shown.
    guided: bool,
    keymap: Keymap,
    look: Look,
}

impl App {
    pub fn new(now: Timestamp, keymap: Keymap, look: Look) -> Self {
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
            guided: false,
            keymap,
            look,
        }
    }

    /// Takes one event, and gives what is to be done.
    pub fn update(&mut self, event: Event, at: Moment) -> Vec<Effect> {
        self.world.now = at.time;
        let mut effects = match event {
            Event::Input(input) => self.input(input),
            Event::News(news) => self.learn(&news, at),
            Event::Tick => Vec::new(),
        };
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
        let canvas = &mut Canvas { look: &self.look, buffer };
        let [top, body, bottom] = parts(area);
        bars::title(self, canvas, top);
        let cursor = self.screen().draw(&self.world, canvas, body);
        bars::footer(self, canvas, bottom);
        for dialog in &self.dialogs {
            dialog.draw(&self.world, canvas, body);
        }
        cursor.filter(|_| self.dialogs.is_empty())
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

    /// Which keys are in force.
    fn place(&self) -> Place {
        self.dialogs.last().map_or_else(|| self.screen().place(), Dialog::place)
    }

    fn input(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Resize(size) => {
                self.area = Rect::new(0, 0, size.columns(), size.rows());
                Vec::new()
            }
            Input::Key(stroke) => self.key(stroke),
            Input::Paste(text) => self.paste(&text),
            Input::Mouse(mouse) => self.mouse(mouse),
            Input::Focus(focus) => self.type_in(|pane| pane.focus(focus)),
        }
    }

    fn key(&mut self, stroke: Stroke) -> Vec<Effect> {
        let chord = Chord::of(stroke);
        if self.dialogs.is_empty() && self.tab == Tab::Sessions {
            match self.sessions.panes.keys() {
                sessions::Keys::Session if is_leader(chord, self.leader()) => {
                    self.sessions.panes.lead();
                    return Vec::new();
                }
                sessions::Keys::Session => return self.type_in(|pane| pane.key(stroke)),
                sessions::Keys::Led => return self.led(chord, stroke),
                sessions::Keys::List => {}
            }
        }
        let place = self.place();
        let action = self.keymap.action(place, chord);
        if !self.dialogs.is_empty() {
            return self.dialog_key(chord, action);
        }
        self.press(chord, action)
    }

    /// A key that isn't typed in a session.
    fn press(&mut self, chord: Chord, action: Option<Action>) -> Vec<Effect> {
        if let Some(action) = action
            && let Some(effects) = self.act_everywhere(action)
        {
            return effects;
        }
        let (screen, world) = self.screen_mut();
        let reaction = screen.press(chord, action, world);
        self.react(reaction)
    }

    /// The key after the leader.
    fn led(&mut self, chord: Chord, stroke: Stroke) -> Vec<Effect> {
        self.sessions.panes.enter();
        if is_leader(chord, self.leader()) {
            return self.type_in(|pane| pane.key(stroke));
        }
        match self.keymap.action(Place::Leader, chord) {
            Some(Action::Leave) => {
                self.sessions.panes.leave();
                Vec::new()
            }
            Some(action @ (Action::ScrollUp | Action::ScrollDown)) => {
                let page = i16::try_from(self.body().height / 2).unwrap_or(1);
                let lines = if action == Action::ScrollUp { -page } else { page };
                self.sessions.panes.selected_mut().into_iter().for_each(|pane| pane.scroll(lines));
                // The next key may scroll on.
                self.sessions.panes.lead();
                Vec::new()
            }
            Some(action) => self.act(action),
            None => Vec::new(),
        }
    }

    fn dialog_key(&mut self, chord: Chord, action: Option<Action>) -> Vec<Effect> {
        let Some(dialog) = self.dialogs.last_mut() else { return Vec::new() };
        match dialog.press(chord, action, &self.world) {
            Outcome::Stays => Vec::new(),
            Outcome::Closes => self.close(),
            Outcome::Does(effects) => effects,
            Outcome::Ends(effects) => {
                self.close();
                effects
            }
            Outcome::Acts(action) => {
                self.close();
                self.act(action)
            }
            Outcome::Shows(session) => {
                self.dialogs.clear();
                self.show(session)
            }
        }
    }

    fn close(&mut self) -> Vec<Effect> {
        self.dialogs.pop();
        Vec::new()
    }

    /// The session gets the keys, if it is one that can be shown.
    fn show(&mut self, session: Uuid) -> Vec<Effect> {
        self.tab = Tab::Sessions;
        self.sessions.want(session);
        self.sessions.relisted(None, &self.world);
        let reaction = self.sessions.act(Action::Open, &self.world);
        self.react(reaction)
    }

    /// What an action does that isn't a key of its own.
    fn act(&mut self, action: Action) -> Vec<Effect> {
        let nothing = Chord(Key::Function(0), Modifiers::NONE);
        self.press(nothing, Some(action))
    }

    /// `None`: it means something else on each screen.
    fn act_everywhere(&mut self, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::Quit => return Some(self.quit()),
            Action::Redraw => return Some(vec![Effect::Redraw]),
            Action::Help => {
                self.dialogs.push(Dialog::Reading(Reading::help(self.place(), &self.keymap, &self.look)));
            }
            Action::Palette => self.dialogs.push(Dialog::Palette(Palette::new(self.place(), &self.keymap))),
            Action::Messages => {
                self.dialogs.push(Dialog::Reading(Reading::messages(&self.messages, &self.look)));
            }
            Action::Inbox => self.dialogs.push(Dialog::Inbox(Inbox::default())),
            Action::Undo if !self.place().is_typed_in() => {
                return Some(vec![Effect::Run(Task::new(Purpose::Tell, &["config", "undo"]))]);
            }
            Action::ShowSessions => return Some(self.turn_to(Tab::Sessions)),
            Action::ShowAgents => return Some(self.turn_to(Tab::Agents)),
            Action::ShowRoutes => return Some(self.turn_to(Tab::Routes)),
            Action::ShowMonitor => return Some(self.turn_to(Tab::Monitor)),
            Action::ShowHistory => return Some(self.turn_to(Tab::History)),
            Action::NextTab => return Some(self.turn(1)),
            Action::PreviousTab => return Some(self.turn(Tab::ALL.len() - 1)),
            _ => return None,
        }
        Some(Vec::new())
    }

    fn turn(&mut self, by: usize) -> Vec<Effect> {
        let at = Tab::ALL.iter().position(|(tab, _)| *tab == self.tab).unwrap_or(0);
        self.turn_to(Tab::ALL[(at + by) % Tab::ALL.len()].0)
    }

    /// At once, unless something would be lost.
    fn quit(&mut self) -> Vec<Effect> {
        let unsaved: Vec<String> = self.screens().0.iter().filter_map(|screen| screen.unsaved()).collect();
        if unsaved.is_empty() {
            return vec![Effect::Quit];
        }
        let question = format!("{} Leave, and lose that?", unsaved.join(" "));
        self.dialogs.push(Dialog::Confirm(Confirm::new(question, Effect::Quit)));
        Vec::new()
    }

    fn turn_to(&mut self, tab: Tab) -> Vec<Effect> {
        if let Some(unsaved) = self.screen().unsaved().filter(|_| tab != self.tab) {
            let text = format!("{unsaved} It stays there until it is saved.");
            self.messages.tell(self.world.now, Role::Waiting, text);
        }
        self.tab = tab;
        let (screen, world) = self.screen_mut();
        let reaction = screen.enter(world);
        self.react(reaction)
    }

    /// Does what a screen wants, and gives the rest.
    fn react(&mut self, reaction: Reaction) -> Vec<Effect> {
        let mut effects = reaction.effects;
        match reaction.wish {
            Wish::Nothing => {}
            Wish::Say(text) => self.messages.tell(self.world.now, Role::Text, text),
            Wish::Warn(text) => self.messages.tell(self.world.now, Role::Bad, text),
            Wish::Open(dialog) => self.dialogs.push(*dialog),
            Wish::Session(session) => effects.extend(self.show(session)),
        }
        effects
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        if let Some(dialog) = self.dialogs.last_mut() {
            dialog.paste(text);
            return Vec::new();
        }
        if self.tab != Tab::Sessions || self.sessions.panes.keys() == sessions::Keys::List {
            let (screen, world) = self.screen_mut();
            screen.paste(text);
            let reaction = screen.pasted(world);
            return self.react(reaction);
        }
        self.type_in(|pane| pane.paste(text))
    }

    fn mouse(&mut self, mouse: Mouse) -> Vec<Effect> {
        let at = Position { x: mouse.column, y: mouse.row };
        if !self.dialogs.is_empty() || self.tab != Tab::Sessions {
            return Vec::new();
        }
        let places = sessions::Places::of(self.body(), self.sessions.panes.keys());
        let list = widget::inner(places.list);
        let is_press =
            matches!(mouse.did, input::Did::Button(crate::launch::screen::input::Action::Press(_)));
        if list.contains(at) && is_press {
            self.sessions.panes.leave();
            self.sessions.click(mouse.row - list.y, list.height, &self.world);
            return Vec::new();
        }
        let over = self.sessions.panes.places(places.panes).into_iter().find(|(_, place)| place.contains(at));
        let Some((session, place)) = over.map(|(pane, place)| (pane.session, widget::inner(place))) else {
            return Vec::new();
        };
        if is_press && self.sessions.panes.keys() == sessions::Keys::List {
            self.sessions.want(session);
            self.sessions.relisted(None, &self.world);
            self.sessions.panes.enter();
        }
        let Some(pane) = self.sessions.panes.of(session) else { return Vec::new() };
        typed(session, pane.mouse(mouse, place))
    }

    /// What is typed in the session that has the keys.
    fn type_in(&mut self, bytes: impl FnOnce(&mut pane::Pane) -> Vec<u8>) -> Vec<Effect> {
        if self.sessions.panes.keys() == sessions::Keys::List {
            return Vec::new();
        }
        let Some(pane) = self.sessions.panes.selected_mut() else { return Vec::new() };
        let session = pane.session;
        typed(session, bytes(pane))
    }

    fn learn(&mut self, news: &News, at: Moment) -> Vec<Effect> {
        let selected = self.sessions.selected(&self.world).map(|listed| listed.session);
        self.world.learn(news);
        let mut effects = Vec::new();
        match news {
            News::Sessions(_) => {
                self.sessions.relisted(selected, &self.world);
                effects.extend(self.guide());
            }
            News::Drawn { session, bytes } => {
                self.sessions.panes.of(*session).into_iter().for_each(|pane| pane.feed(bytes, at.instant));
            }
            News::Closed { session, reason } => {
                self.sessions.panes.of(*session).into_iter().for_each(|pane| pane.close(reason.clone()));
            }
            News::Done(done) => self.done(done),
            _ => {}
        }
        self.dialogs.iter_mut().for_each(|dialog| dialog.learn(news));
        let (screens, world) = self.screens();
        let reactions: Vec<Reaction> = screens.map(|screen| screen.learn(news, world)).into();
        effects.extend(reactions.into_iter().flat_map(|reaction| self.react(reaction)));
        effects
    }

    /// Whoever has nothing yet is shown the first steps, once.
    fn guide(&mut self) -> Vec<Effect> {
        let config = &self.world.configuration.config;
        let is_new =
            self.world.listed().is_empty() && config.agents.is_empty() && config.providers.is_empty();
        if !is_new || self.guided || !self.dialogs.is_empty() {
            return Vec::new();
        }
        self.guided = true;
        let (guide, effects) = Guide::new();
        self.dialogs.push(Dialog::Guide(guide));
        effects
    }

    fn done(&mut self, done: &Done) {
        let now = self.world.now;
        match &done.task.purpose {
            Purpose::Start | Purpose::Resume => self.started(done),
            Purpose::Tell if done.succeeded() => self.messages.tell(now, Role::Good, done.said()),
            Purpose::Tell => self.messages.tell(now, Role::Bad, done.said()),
            // Whoever waits for it learns of it.
            Purpose::Preview
            | Purpose::Providers
            | Purpose::Doctor
            | Purpose::Agents(_)
            | Purpose::Usage(_)
            | Purpose::Requests(_)
            | Purpose::Models(_)
            | Purpose::Keys
            | Purpose::Try(_)
            | Purpose::Authorise => {}
        }
    }

    /// A session was to be started.
    fn started(&mut self, done: &Done) {
        let told = serde_json::from_str::<serde_json::Value>(&done.stdout).unwrap_or_default();
        if let Some(text) = told["ended"]["text"].as_str() {
            // It has ended at once, and what it said is why.
            let lines = text.trim_end().lines().map(|line| visible(line).into()).collect();
            self.dialogs.push(Dialog::Reading(Reading::new("The session has ended at once", lines)));
        } else if let (Some(session), true) =
            (told["session"].as_str().and_then(|id| id.parse().ok()), done.succeeded())
        {
            self.tab = Tab::Sessions;
            self.sessions.want(session);
            self.sessions.relisted(None, &self.world);
            self.sessions.panes.enter();
        } else {
            self.messages.tell(self.world.now, Role::Bad, done.said());
        }
    }
}

/// A line for the title, the screen, a line for the keys.
fn parts(area: Rect) -> [Rect; 3] {
    Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)]).areas(area)
}

fn typed(session: Uuid, bytes: Vec<u8>) -> Vec<Effect> {
    if bytes.is_empty() { Vec::new() } else { vec![Effect::Type { session, bytes }] }
}

fn is_leader(chord: Chord, leader: Leader) -> bool {
    chord == Chord(Key::Character(leader.sign()), Modifiers::CONTROL)
}
