//! What there is to import, ticked one by one.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use serde::Deserialize;

use super::draw::padded;
use super::errand::Errand;
use crate::config::Problem;
use crate::config::exchange::NoteKind;
use crate::ui::app::action::Action;
use crate::ui::app::event::{Done, Effect, Purpose, Task};
use crate::ui::app::input::Chord;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::{Canvas, List, Step, width, wrapped};
use crate::ui::table::visible;
use crate::ui::text::counted;

/// What was found, and what of it is to come in.
pub(super) struct Import {
    /// Where it is looked for; empty: where Claude Code would.
    sources: Vec<String>,
    list: List,
    found: Found,
}

enum Found {
    Asked,
    Listed(Vec<Item>),
    Failed(String),
}

/// One definition.
struct Item {
    told: Told,
    tick: Tick,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tick {
    Ticked,
    Unticked,
    /// It can't be imported, or is here already.
    Never,
}

#[derive(Debug, Deserialize)]
struct Told {
    step: String,
    name: String,
    origin: String,
    taken_by: Option<String>,
    model: Option<String>,
    notes: Vec<Note>,
    problems: Vec<Problem>,
}

#[derive(Debug, Deserialize)]
struct Note {
    kind: NoteKind,
    text: String,
}

/// What comes of a key.
pub(super) enum Imported {
    Nothing,
    Closed,
    Run(Effect),
}

impl Import {
    /// Looks there; nowhere named: where Claude Code would.
    pub(super) fn begin(sources: Vec<String>) -> (Self, Effect) {
        let mut arguments = vec!["agent", "import", "--dry-run", "--json", "--"];
        arguments.extend(sources.iter().map(String::as_str));
        let effect = Effect::Run(Task::new(Purpose::Agents(Errand::Preview), &arguments));
        (Self { sources, list: List::default(), found: Found::Asked }, effect)
    }

    /// What was found. Clashes make the command fail, and are told all the same.
    pub(super) fn learn(&mut self, done: &Done) {
        let told = serde_json::from_str::<serde_json::Value>(&done.stdout).ok();
        let agents = told.and_then(|mut told| serde_json::from_value(told["agents"].take()).ok());
        self.found = match agents {
            Some(told) => Found::Listed(Vec::<Told>::into_iter(told).map(Item::new).collect()),
            None => Found::Failed(done.said().to_owned()),
        };
    }

    /// How many agents an import has written; 0: its answer can't be understood.
    pub(super) fn imported(done: &Done) -> usize {
        let told = serde_json::from_str::<serde_json::Value>(&done.stdout).unwrap_or_default();
        let agents = told["agents"].as_array();
        let is_written = |agent: &&serde_json::Value| agent["file"].is_string();
        agents.map_or(0, |agents| agents.iter().filter(is_written).count())
    }

    fn items(&self) -> &[Item] {
        if let Found::Listed(items) = &self.found { items } else { &[] }
    }

    pub(super) fn press(&mut self, chord: Chord, action: Option<Action>) -> Imported {
        let length = self.items().len();
        match (action, chord.typed()) {
            (Some(Action::Back), _) => return Imported::Closed,
            (Some(Action::Accept), _) => return self.run(),
            (Some(action), _) if let Some(step) = Step::of(action) => self.list.step(step, length),
            (Some(Action::Toggle), _) => {
                if let (Found::Listed(items), Some(at)) = (&mut self.found, self.list.selected(length)) {
                    items[at].toggle();
                }
            }
            (_, Some('a')) => self.tick_all(),
            _ => {}
        }
        Imported::Nothing
    }

    /// All that take nobody's place; none, if they are ticked already.
    fn tick_all(&mut self) {
        let Found::Listed(items) = &mut self.found else { return };
        let is_free = |item: &&mut Item| item.tick != Tick::Never && item.told.step == "add";
        let is_done = items.iter_mut().filter(is_free).all(|item| item.tick == Tick::Ticked);
        let tick = if is_done { Tick::Unticked } else { Tick::Ticked };
        items.iter_mut().filter(is_free).for_each(|item| item.tick = tick);
    }

    fn run(&self) -> Imported {
        let ticked: Vec<&Told> =
            self.items().iter().filter(|item| item.tick == Tick::Ticked).map(|item| &item.told).collect();
        if ticked.is_empty() {
            return Imported::Nothing;
        }
        let mut arguments = vec!["agent", "import", "--json"];
        for told in &ticked {
            arguments.extend(["--only", &told.name]);
        }
        if ticked.iter().any(|told| told.step == "clash") {
            arguments.push("--replace");
        }
        arguments.push("--");
        arguments.extend(self.sources.iter().map(String::as_str));
        Imported::Run(Effect::Run(Task::new(Purpose::Agents(Errand::Import), &arguments)))
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let room = canvas.panel("Import", Role::Focus, area);
        let items = self.items();
        let Some(at) = self.list.selected(items.len()) else {
            let (text, role) = match &self.found {
                Found::Asked => ("Looking for agents…".to_owned(), Role::Faint),
                Found::Failed(why) => (
                    format!("{}\n\nesc goes back.", why.lines().map(visible).collect::<Vec<_>>().join("\n")),
                    Role::Bad,
                ),
                Found::Listed(_) => {
                    ("There is no agent to import here.\n\nesc goes back.".to_owned(), Role::Text)
                }
            };
            return canvas.text(&text, role, room);
        };
        let about = items[at].told.about();
        let lines: usize = about.lines().map(|line| wrapped(line, room.width.into()).len()).sum();
        // At least so many, so that the list stays where it is.
        let below = u16::try_from(lines).unwrap_or(u16::MAX).max(6).min(room.height / 2);
        let parts = [Constraint::Fill(1), Constraint::Length(below), Constraint::Length(1)];
        let [list, beside, foot] = Layout::vertical(parts).areas(room);
        let look = canvas.look;
        canvas.list(self.list, items.len(), |at| items[at].line(look, list.width.into()), list);
        let tick = |at: usize| (items[at].tick != Tick::Never).then_some((0..3, Action::Toggle));
        canvas.parts(self.list, items.len(), tick, list);
        canvas.text(&about, Role::Faint, beside);
        let count = items.iter().filter(|item| item.tick == Tick::Ticked).count();
        let text = format!(
            "{} ticked   space ticks   a all   enter imports   esc back",
            counted(count as u64, "agent")
        );
        canvas.hints(&text, foot);
    }
}

impl Item {
    fn new(told: Told) -> Self {
        let tick = match told.step.as_str() {
            "add" => Tick::Ticked,
            "clash" => Tick::Unticked,
            _ => Tick::Never,
        };
        Self { told, tick }
    }

    fn toggle(&mut self) {
        self.tick = match self.tick {
            Tick::Ticked => Tick::Unticked,
            Tick::Unticked => Tick::Ticked,
            Tick::Never => Tick::Never,
        };
    }

    fn line(&self, look: &Look, columns: usize) -> Line<'static> {
        let tick = match self.tick {
            Tick::Ticked => format!("[{}]", look.glyphs.ticked),
            Tick::Unticked => format!("[{}]", look.glyphs.unticked),
            Tick::Never => "   ".to_owned(),
        };
        let word = match (self.told.step.as_str(), self.tick) {
            ("clash", Tick::Ticked) => "takes the place of yours",
            ("clash", _) => "you have one of this name",
            ("same", _) => "you have it already",
            ("refuse", _) => "can't be imported",
            _ => "new",
        };
        let role = if self.tick == Tick::Never { Role::Faint } else { Role::Text };
        let name = padded(&visible(&self.told.name), 20.min(columns / 3), look);
        let model = padded(&visible(self.told.model.as_deref().unwrap_or("-")), 14.min(columns / 5), look);
        let used = width(&tick) + width(&name) + width(&model) + 3;
        let word = padded(word, columns.saturating_sub(used), look);
        Line::styled(format!("{tick} {name} {model} {word}"), look.style(role))
    }
}

/// What is wrong, and what mends it where something does.
fn sentence(problem: &Problem) -> String {
    let parts = [problem.message.as_str(), problem.remedy.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    visible(&parts.join(": "))
}

impl Told {
    fn about(&self) -> String {
        let mut lines = vec![visible(&self.origin)];
        lines.extend(self.taken_by.iter().map(|by| visible(&format!("the name is taken by {by}"))));
        lines.extend(self.problems.iter().map(sentence));
        lines.extend(self.notes.iter().map(|note| visible(&format!("{}: {}", note.kind.name(), note.text))));
        lines.join("\n")
    }
}
