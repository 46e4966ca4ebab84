//! Sub-agents of all scopes: what there is, and changes to ours.
//!
//! The list comes from `agent list`, an agent's text from `agent show`, and every change goes back by a command.

mod asked;
mod begin;
mod catalogue;
mod details;
mod draw;
mod editor;
mod errand;
mod import;
mod roster;
#[cfg(test)]
mod tests;

use ratatui::layout::{Position, Rect};
use serde_json::Value;

pub use errand::Errand;

use super::{Reaction, Screen, Wish};
use crate::ui::app::action::{Action, Place};
use crate::ui::app::event::{Done, Effect, News, Purpose, Task};
use crate::ui::app::input::Chord;
use crate::ui::app::widget::{Canvas, Filter, List, NOTCH, Page, Step};
use crate::ui::app::world::World;
use crate::ui::text::counted;
use asked::{Answer, Asked};
use begin::{Begin, Chosen};
use catalogue::Catalogue;
use editor::{Around, Editor};
use import::{Import, Imported};
use roster::{Roster, Row};

/// What this screen remembers.
#[derive(Default)]
pub struct Agents {
    list: List,
    /// What is told of the selected one.
    page: Page,
    filter: Filter,
    told: Told,
    catalogue: Catalogue,
    /// Which agent is to be selected once it is in the list.
    wanted: Option<String>,
    mode: Mode,
}

/// What is known of the agents.
#[derive(Default)]
enum Told {
    /// Nobody has looked at this screen yet.
    #[default]
    Unasked,
    Asked,
    Listed(Vec<Row>),
    Failed(String),
}

/// What has the keys.
#[derive(Default)]
enum Mode {
    #[default]
    List,
    /// A line is typed.
    Asked(Asked),
    /// A new agent begins with one of the samples, or with nothing.
    Begin(Begin),
    Editor(Box<Editor>),
    Import(Import),
}

impl Agents {
    fn is_unasked(&self) -> bool {
        matches!(self.told, Told::Unasked)
    }

    fn rows(&self) -> &[Row] {
        if let Told::Listed(rows) = &self.told { rows } else { &[] }
    }

    /// Those that the filter leaves.
    fn shown(&self) -> Vec<&Row> {
        let keeps = |row: &&Row| {
            let model = row.model.as_deref().unwrap_or_default();
            self.filter.keeps(&[&row.name, model, row.source.word(), &row.description])
        };
        self.rows().iter().filter(keeps).collect()
    }

    fn selected(&self) -> Option<&Row> {
        let shown = self.shown();
        self.list.selected(shown.len()).map(|at| shown[at])
    }

    /// The selected one stays selected wherever it is now.
    fn relist(&mut self, before: Option<&Row>) {
        let shown = self.shown();
        let wanted = self.wanted.as_deref();
        let new = shown.iter().position(|row| row.is_ours() && Some(row.name.as_str()) == wanted);
        let is_same =
            |row: &&Row| before.is_some_and(|before| before.file == row.file && before.name == row.name);
        let at = new.or_else(|| shown.iter().position(is_same));
        if new.is_some() {
            self.wanted = None;
        }
        if let Some(at) = at {
            self.list.select(at);
        }
        if !self.selected().is_some_and(|row| is_same(&row)) {
            self.page = Page::default();
        }
    }

    /// Asks for the list anew.
    fn look(&mut self) -> Effect {
        if !matches!(self.told, Told::Listed(..)) {
            self.told = Told::Asked;
        }
        run(Errand::List, &["agent", "list", "--all", "--json"])
    }

    /// What a key means in the list.
    fn act(&mut self, action: Action) -> Reaction {
        if let Some(step) = Step::of(action) {
            self.list.step(step, self.shown().len());
            self.page = Page::default();
            return Reaction::default();
        }
        match action {
            Action::ScrollUp => self.page.up(NOTCH),
            Action::ScrollDown => self.page.down(NOTCH),
            Action::Filter => self.filter.begin(),
            Action::Back => {
                let before = self.selected().cloned();
                self.filter.end();
                self.relist(before.as_ref());
            }
            Action::Reload => return self.look().into(),
            Action::New => self.mode = Mode::Begin(Begin::default()),
            Action::Import => return self.import(Vec::new()),
            action => {
                let Some(selected) = self.selected().cloned() else { return Reaction::default() };
                return self.act_on(action, &selected);
            }
        }
        Reaction::default()
    }

    fn act_on(&mut self, action: Action, selected: &Row) -> Reaction {
        let name = &selected.name;
        match action {
            Action::Edit if !selected.is_ours() => self.import(vec![selected.file.display().to_string()]),
            Action::Export | Action::Rename | Action::Remove | Action::External | Action::Duplicate
                if !selected.is_ours() =>
            {
                let whose = selected.source.word();
                Wish::Say(format!("{name} is Claude Code's own ({whose}): enter imports a copy")).into()
            }
            Action::Edit => show(Errand::Edit(name.clone()), name).into(),
            Action::Duplicate => show(Errand::Duplicate(name.clone()), name).into(),
            Action::External => {
                let arguments = ["agent", "edit", "--", name].map(str::to_owned).to_vec();
                Effect::HandOver { arguments }.into()
            }
            Action::Rename => self.ask(Asked::rename(name)),
            Action::Export => self.ask(Asked::export(name)),
            Action::Remove => change(&format!("Removed {name}"), &["agent", "rm", "--yes", "--", name]),
            _ => Reaction::default(),
        }
    }

    fn import(&mut self, sources: Vec<String>) -> Reaction {
        let (import, effect) = Import::begin(sources);
        self.mode = Mode::Import(import);
        effect.into()
    }

    /// Names that our agents have.
    fn taken(&self) -> Vec<String> {
        self.rows().iter().filter(|row| row.is_ours()).map(|row| row.name.clone()).collect()
    }

    fn ask(&mut self, asked: Asked) -> Reaction {
        self.mode = Mode::Asked(asked);
        Reaction::default()
    }

    fn answer(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        let taken = self.taken();
        let Mode::Asked(asked) = &mut self.mode else { return Reaction::default() };
        match asked.press(chord, action, &taken, world) {
            Answer::None => Reaction::default(),
            Answer::Closed => {
                self.mode = Mode::List;
                Reaction::default()
            }
            Answer::Rename { old, new } => {
                self.mode = Mode::List;
                self.wanted = Some(new.clone());
                change(&format!("Renamed {old} to {new}"), &["agent", "rename", "--", &old, &new])
            }
            Answer::Export { name, folder } => {
                self.mode = Mode::List;
                let task = ["agent", "export", "--to", &folder, "--", &name];
                // Claude Code finds agents there by itself, and of two with one name it takes one.
                let is_found = std::path::Path::new(&folder).ends_with(".claude/agents");
                let more = if is_found { ": Claude Code finds it there too" } else { "" };
                run(Errand::Change(format!("Wrote {name} to {folder}{more}; u undoes it")), &task).into()
            }
        }
    }

    /// A key in whatever has taken the list's place.
    fn press_in_mode(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        let Self { mode, catalogue, .. } = self;
        match mode {
            Mode::List => Reaction::default(),
            Mode::Asked(_) => self.answer(chord, action, world),
            Mode::Begin(begin) => match begin.press(action) {
                Chosen::Nothing => Reaction::default(),
                Chosen::Closed => self.close(),
                Chosen::Text(text) => self.make(&text, world),
            },
            Mode::Import(import) => match import.press(chord, action) {
                Imported::Nothing => Reaction::default(),
                Imported::Closed => self.close(),
                Imported::Run(effect) => effect.into(),
            },
            Mode::Editor(editor) => match editor.press(chord, action, &mut Around { world, catalogue }) {
                editor::Step::Open(reaction) => reaction,
                editor::Step::Closed(reaction) => {
                    self.mode = Mode::List;
                    reaction
                }
            },
        }
    }

    fn close(&mut self) -> Reaction {
        self.mode = Mode::List;
        Reaction::default()
    }

    /// Opens the editor on a new agent.
    fn make(&mut self, text: &str, world: &World) -> Reaction {
        self.edit(Editor::make(text, self.taken(), world), "the new agent")
    }

    fn edit(&mut self, editor: Option<Editor>, name: &str) -> Reaction {
        let Some(editor) = editor else {
            let why = "its file has no front matter between two lines `---`; e opens it in $EDITOR";
            return Wish::Warn(format!("{name} can't be shown in fields: {why}")).into();
        };
        self.mode = Mode::Editor(Box::new(editor));
        Reaction::default()
    }

    /// A command has ended that this screen wanted.
    fn done(&mut self, errand: &Errand, done: &Done, world: &World) -> Reaction {
        match (errand, &mut self.mode) {
            (Errand::List, _) => {
                self.list(done);
                Reaction::default()
            }
            (Errand::Models(provider), _) => {
                self.catalogue.learn(provider, done);
                Reaction::default()
            }
            (Errand::Preview, Mode::Import(import)) => {
                import.learn(done);
                Reaction::default()
            }
            (Errand::Save, Mode::Editor(editor)) if !done.succeeded() => {
                let effects = editor.refused().into_iter().collect();
                Reaction { effects, ..failed(done) }
            }
            (Errand::Look, Mode::Editor(editor)) => {
                if let Some(told) = told(done) {
                    editor.look(&told);
                }
                Reaction::default()
            }
            (Errand::Look | Errand::Preview, _) => Reaction::default(),
            _ if !done.succeeded() => failed(done),
            (Errand::Edit(name), Mode::List) => {
                let editor = told(done).and_then(|told| Editor::open(&told, self.taken(), world));
                self.edit(editor, name)
            }
            (Errand::Duplicate(name), Mode::List) => {
                let told = told(done).unwrap_or_default();
                let text = Editor::like(told["text"].as_str().unwrap_or_default(), name, &self.taken());
                self.edit(Editor::make(&text, self.taken(), world), name)
            }
            (Errand::Edit(_) | Errand::Duplicate(_), _) => Reaction::default(),
            (Errand::Save, _) => self.saved(),
            (Errand::Import, _) => {
                self.mode = Mode::List;
                let count = counted(Import::imported(done) as u64, "agent");
                self.made(format!("Imported {count}; u undoes it"))
            }
            (Errand::Change(text), _) => self.made(text.clone()),
        }
    }

    /// The editor's text stands in its file.
    fn saved(&mut self) -> Reaction {
        let Mode::Editor(mut editor) = std::mem::take(&mut self.mode) else { return Reaction::default() };
        let name = editor.name();
        let mut reaction = self.made(format!("Saved {name}; u undoes it"));
        reaction.effects.splice(0..0, editor.forget());
        self.wanted = Some(name);
        reaction
    }

    fn made(&mut self, text: String) -> Reaction {
        Reaction { effects: vec![self.look()], wish: Wish::Say(text) }
    }

    fn list(&mut self, done: &Done) {
        let before = self.selected().cloned();
        self.told = match Roster::read(&done.stdout).filter(|_| done.succeeded()) {
            Some(roster) => Told::Listed(roster.rows()),
            None => Told::Failed(done.said().to_owned()),
        };
        self.relist(before.as_ref());
    }
}

impl Screen for Agents {
    fn place(&self) -> Place {
        match &self.mode {
            Mode::Asked(_) => Place::Line,
            Mode::Begin(_) | Mode::Import(_) => Place::Choice,
            Mode::Editor(editor) => editor.place(),
            Mode::List if self.filter.is_typed() => Place::Line,
            Mode::List => Place::Agents,
        }
    }

    fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Reaction {
        if !matches!(self.mode, Mode::List) {
            return self.press_in_mode(chord, action, world);
        }
        let before = self.selected().cloned();
        if let Some(action) = self.filter.press(chord, action) {
            return self.act(action);
        }
        self.relist(before.as_ref());
        Reaction::default()
    }

    fn paste(&mut self, text: &str) {
        match &mut self.mode {
            Mode::Asked(asked) => asked.paste(text),
            Mode::List => self.filter.paste(text),
            Mode::Editor(editor) => editor.paste(text),
            Mode::Begin(_) | Mode::Import(_) => {}
        }
    }

    fn pasted(&mut self, world: &World) -> Reaction {
        let Mode::Editor(editor) = &mut self.mode else { return Reaction::default() };
        editor.pasted(world).into_iter().collect::<Vec<_>>().into()
    }

    fn page_mut(&mut self) -> Option<&mut Page> {
        match &mut self.mode {
            Mode::List => Some(&mut self.page),
            Mode::Editor(editor) => editor.page_mut(),
            Mode::Asked(_) | Mode::Begin(_) | Mode::Import(_) => None,
        }
    }

    fn enter(&mut self, _world: &World) -> Reaction {
        self.look().into()
    }

    fn learn(&mut self, news: &News, world: &World) -> Reaction {
        if let (Mode::Editor(editor), News::Unsaved(_) | News::Configuration(_)) = (&mut self.mode, news) {
            editor.hear(world);
        }
        match news {
            // Nobody waits for a list that was never looked at.
            News::Configuration(_) if !self.is_unasked() => self.look().into(),
            News::Done(done) => match &done.task.purpose {
                Purpose::Agents(errand) => self.done(errand, done, world),
                // Of files that lie elsewhere too, which nobody watches.
                Purpose::Tell if done.task.arguments == ["config", "undo"] && !self.is_unasked() => {
                    self.look().into()
                }
                _ => Reaction::default(),
            },
            _ => Reaction::default(),
        }
    }

    fn has_line(&self, _world: &World) -> bool {
        !matches!(self.mode, Mode::List) || self.selected().is_some()
    }

    fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
        match &self.mode {
            Mode::Editor(editor) => editor.draw((world, &self.catalogue), canvas, area),
            Mode::Import(import) => import.draw(canvas, area),
            Mode::List | Mode::Asked(_) | Mode::Begin(_) => draw::draw(self, world, canvas, area),
        }
        None
    }
}

/// A command of ours, for this screen.
fn run(errand: Errand, arguments: &[&str]) -> Effect {
    Effect::Run(Task::new(Purpose::Agents(errand), arguments))
}

/// A change that one key takes back.
fn change(text: &str, arguments: &[&str]) -> Reaction {
    run(Errand::Change(format!("{text}; u undoes it")), arguments).into()
}

fn failed(done: &Done) -> Reaction {
    Wish::Warn(done.said().to_owned()).into()
}

/// One agent, with its file's text.
fn show(errand: Errand, name: &str) -> Effect {
    run(errand, &["agent", "show", "--json", "--", name])
}

/// What a command has printed as JSON.
fn told(done: &Done) -> Option<Value> {
    serde_json::from_str(&done.stdout).ok()
}
