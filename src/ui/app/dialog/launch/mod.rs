//! The form for a new session: where, with which agents, in which permission mode; and what exactly will run.
//!
//! Everything has a value already, so that Enter starts at once where nothing needs choosing.

mod agents;
mod draw;
mod mode;
mod sight;

use std::path::PathBuf;

use ratatui::layout::Rect;
use serde_json::Value;

use super::Outcome;
use crate::launch::screen::input::Key;
use crate::ui::app::action::Action;
use crate::ui::app::event::{Done, Effect, News, Purpose, Task};
use crate::ui::app::input::Chord;
use crate::ui::app::widget::{Canvas, Field, Page, Press};
use crate::ui::app::world::World;
use agents::{Choice, choices};
use mode::Mode;
use sight::Sight;

/// What is filled in.
pub struct Launch {
    focus: Focus,
    folder: Field,
    /// Folders of sessions before, the newest first.
    recent: Vec<String>,
    name: Field,
    profiles: Vec<String>,
    /// Of [`Launch::profiles`].
    profile: usize,
    agents: Vec<Choice>,
    sight: Sight,
    mode: Mode,
    arguments: Field,
    preview: Preview,
    /// Where that is read.
    page: Page,
}

/// What has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    Folder,
    Name,
    Profile,
    /// The agent with this number.
    Agent(usize),
    Sight,
    Mode,
    Arguments,
}

/// What would run.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Preview {
    Asked,
    Told(String),
    /// It can't, and why.
    Refused(String),
}

impl Launch {
    /// A form with what would be taken anyway, and what it asks.
    pub fn new(world: &World) -> (Self, Vec<Effect>) {
        let configuration = &world.configuration;
        let mut profiles: Vec<String> = configuration.config.profiles.keys().cloned().collect();
        profiles.retain(|name| name != DEFAULT);
        profiles.insert(0, DEFAULT.to_owned());
        let here = configuration.here.display().to_string();
        let form = Self {
            focus: Focus::Folder,
            folder: Field::new(&here),
            recent: recent(world, &here),
            name: Field::default(),
            agents: choices(&configuration.config, DEFAULT),
            profiles,
            profile: 0,
            sight: Sight::Usual,
            mode: Mode::Own,
            arguments: Field::default(),
            preview: Preview::Asked,
            page: Page::default(),
        };
        let providers = Task::new(Purpose::Providers, &["provider", "list", "--json"]);
        let effects = vec![Effect::Run(providers), form.ask()];
        (form, effects)
    }

    pub fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Outcome {
        match (action, chord.0) {
            (Some(Action::Back), _) => return Outcome::Closes,
            (Some(Action::Accept), _) => {
                return Outcome::Starts(Effect::Run(self.task(Purpose::Start, &["--detach", "--json"])));
            }
            (Some(Action::NextField), _) => self.turn(1),
            (Some(Action::PreviousField), _) => self.turn(self.stops().len() - 1),
            (_, Key::Left) if self.choose(-1, world) => return Outcome::Does(self.changed()),
            (Some(Action::Toggle), _) | (_, Key::Right) if self.choose(1, world) => {
                return Outcome::Does(self.changed());
            }
            (Some(Action::PageUp | Action::PageDown), _) => self.page.press(action),
            (Some(Action::Pick), _) => return Outcome::Does(self.next_folder()),
            _ if self.field().is_some_and(|field| field.press(chord)) => {
                return Outcome::Does(self.changed());
            }
            _ => {}
        }
        Outcome::Stays
    }

    pub fn paste(&mut self, text: &str) {
        if let Some(field) = self.field() {
            field.insert(text);
        }
    }

    /// Takes what the commands tell that it has asked.
    pub fn learn(&mut self, news: &News) {
        match news {
            News::Done(done) if done.task.purpose == Purpose::Providers => {
                let told: Value = serde_json::from_str(&done.stdout).unwrap_or_default();
                agents::learn(&mut self.agents, &told);
            }
            // An answer to what was asked before is no answer.
            News::Done(done) if done.task == self.previewing() => self.preview = preview(done),
            _ => {}
        }
    }

    /// It couldn't be started, for this reason.
    pub fn refuse(&mut self, reason: &str) {
        self.preview = Preview::Refused(reason.to_owned());
    }

    pub fn page_mut(&mut self) -> &mut Page {
        &mut self.page
    }

    pub fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
        draw::draw(self, world, canvas, area);
    }

    /// The field that has the keys.
    fn field(&mut self) -> Option<&mut Field> {
        match self.focus {
            Focus::Folder => Some(&mut self.folder),
            Focus::Name => Some(&mut self.name),
            Focus::Arguments => Some(&mut self.arguments),
            Focus::Profile | Focus::Agent(_) | Focus::Sight | Focus::Mode => None,
        }
    }

    /// All that can have the keys, in order.
    fn stops(&self) -> Vec<Focus> {
        let mut stops = vec![Focus::Folder, Focus::Name, Focus::Profile];
        stops.extend((0..self.agents.len()).map(Focus::Agent));
        stops.extend([Focus::Sight, Focus::Mode, Focus::Arguments]);
        stops
    }

    /// What leads there from what has the keys.
    fn way_to(&self, stop: Focus) -> Press {
        let stops = self.stops();
        let at = |stop: Focus| stops.iter().position(|there| *there == stop).unwrap_or(0);
        Press::Does(Action::NextField, (at(stop) + stops.len() - at(self.focus)) % stops.len())
    }

    fn turn(&mut self, by: usize) {
        let stops = self.stops();
        let at = stops.iter().position(|stop| *stop == self.focus).unwrap_or(0);
        self.focus = stops[(at + by) % stops.len()];
    }

    /// Another choice of what has the keys; whether it has any.
    fn choose(&mut self, by: isize, world: &World) -> bool {
        match self.focus {
            Focus::Profile => {
                let count = self.profiles.len();
                self.profile = (self.profile + if by > 0 { 1 } else { count - 1 }) % count;
                let known = std::mem::take(&mut self.agents);
                self.agents = choices(&world.configuration.config, &self.profiles[self.profile]);
                agents::inherit(&mut self.agents, &known);
            }
            Focus::Agent(at) => self.agents[at].turn(by),
            Focus::Sight => self.sight = self.sight.next(by),
            Focus::Mode => self.mode = self.mode.next(by),
            Focus::Folder | Focus::Name | Focus::Arguments => return false,
        }
        true
    }

    /// The next folder of those before.
    fn next_folder(&mut self) -> Vec<Effect> {
        if self.recent.is_empty() {
            return Vec::new();
        }
        self.recent.rotate_left(1);
        self.folder = Field::new(&self.recent[self.recent.len() - 1]);
        self.changed()
    }

    fn changed(&mut self) -> Vec<Effect> {
        self.preview = Preview::Asked;
        self.page = Page::default();
        vec![self.ask()]
    }

    fn ask(&self) -> Effect {
        Effect::Run(self.previewing())
    }

    fn previewing(&self) -> Task {
        self.task(Purpose::Preview, &["--dry-run"])
    }

    /// `subagents run` with everything that was chosen.
    fn task(&self, purpose: Purpose, options: &[&str]) -> Task {
        let options = options.iter().map(|option| (*option).to_owned());
        let arguments = std::iter::once("run".to_owned()).chain(options).chain(self.words()).collect();
        Task { purpose, arguments, input: None, folder: Some(PathBuf::from(self.folder.text())) }
    }

    /// The same, for a shell.
    fn command(&self) -> String {
        let words = self.words();
        let words = ["subagents", "run"].into_iter().chain(words.iter().map(String::as_str));
        // A word with a NUL is none for a shell.
        shlex::try_join(words).unwrap_or_default()
    }

    /// What was chosen, as arguments of `subagents run`.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut option = |option: &str, value: &str| words.extend([option.to_owned(), value.to_owned()]);
        if self.profile > 0 {
            option("--profile", &self.profiles[self.profile]);
        }
        if self.agents.iter().any(Choice::is_changed) {
            let taken = self.agents.iter().filter(|choice| choice.is_taken());
            taken.for_each(|choice| option("--agent", &choice.name));
        }
        if self.sight != Sight::Delegation {
            let hidden = self.agents.iter().filter(|choice| choice.is_hidden_here());
            hidden.for_each(|choice| option("--hide", &choice.name));
        }
        if !self.name.text().trim().is_empty() {
            option("--name", self.name.text().trim());
        }
        words.extend(self.sight.option().map(str::to_owned));
        let mut own = self.mode.arguments();
        own.extend(shlex::split(self.arguments.text()).unwrap_or_default());
        if !own.is_empty() {
            words.push("--".to_owned());
            words.extend(own);
        }
        words
    }
}

/// What is taken when no profile is named.
const DEFAULT: &str = crate::config::Profile::DEFAULT;

/// Folders of sessions before, each once, the newest first; not this one.
fn recent(world: &World, here: &str) -> Vec<String> {
    let mut listed: Vec<_> = world.listed().iter().collect();
    listed.sort_by_key(|listed| std::cmp::Reverse(listed.started));
    let mut folders: Vec<String> = Vec::new();
    for folder in listed.into_iter().map(|listed| listed.folder.display().to_string()) {
        if folder != here && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    if !folders.is_empty() {
        folders.push(here.to_owned());
    }
    folders
}

fn preview(done: &Done) -> Preview {
    let text = done.said().to_owned();
    if done.succeeded() { Preview::Told(text) } else { Preview::Refused(text) }
}
