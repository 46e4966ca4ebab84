//! An agent's file as a form: every field, what is wrong beside it, and what a save would change.
//!
//! The file's own text is the truth: a field that nobody touches stays byte for byte as the person wrote it.

mod check;
mod diff;
mod draw;
pub(super) mod field;
mod form;
mod keys;
mod over;
mod picker;
mod preview;
mod text;
mod tools;

use std::path::PathBuf;

use serde_json::Value;

use super::catalogue::Catalogue;
use super::errand::Errand;
use crate::config::agent::set_field;
use crate::config::edit::NEW_AGENT;
use crate::ui::app::action::Place;
use crate::ui::app::event::{Effect, Purpose, Task};
use crate::ui::app::screen::{Reaction, Wish};
use crate::ui::app::widget::Page;
use crate::ui::app::world::World;
use check::{Checked, Known};
use field::FieldId;
use form::Form;
use over::Over;

/// An agent that is being written.
pub(super) struct Editor {
    target: Target,
    /// What the fields were read from.
    base: String,
    /// What stands on disk, or what a new one begins with.
    begun: String,
    form: Form,
    checked: Checked,
    focus: FieldId,
    over: Over,
    side: Side,
    stage: Stage,
    demand: Demand,
    /// Names that others of our agents have.
    taken: Vec<String>,
    /// What is kept against a crash.
    kept: Option<String>,
}

/// Where it goes.
enum Target {
    New,
    There { name: String, file: PathBuf, digest: String },
}

/// What is beside the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Prompt,
    Preview(Page),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Writing,
    Saving,
}

/// Whether a field that has to be filled in is wrong while it is still blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Demand {
    /// Not before somebody wants to save it.
    Patient,
    Strict,
}

/// Whether it goes on.
pub(super) enum Step {
    Open(Reaction),
    Closed(Reaction),
}

/// What an editor needs to know beside its own.
pub(super) struct Around<'a> {
    pub(super) world: &'a World,
    pub(super) catalogue: &'a mut Catalogue,
}

impl Editor {
    /// For an agent as `agent show --json` tells it; `None`: its text has no fields.
    pub(super) fn open(told: &Value, taken: Vec<String>, world: &World) -> Option<Self> {
        let text = told["text"].as_str()?;
        let name = told["agent"]["name"].as_str()?.to_owned();
        let file = PathBuf::from(told["agent"]["file"].as_str()?);
        let digest = told["digest"].as_str()?.to_owned();
        let taken = taken.into_iter().filter(|taken| *taken != name).collect();
        Self::new(Target::There { name, file, digest }, text, taken, world)
    }

    /// For an agent that isn't there yet and begins with this text.
    pub(super) fn make(text: &str, taken: Vec<String>, world: &World) -> Option<Self> {
        Self::new(Target::New, text, taken, world)
    }

    fn new(target: Target, base: &str, taken: Vec<String>, world: &World) -> Option<Self> {
        let mut form = Form::read(base)?;
        form.focus(FieldId::Name);
        let known = Known { config: &world.configuration.config, taken: &taken, file: file_of(&target) };
        let checked = Checked::of(base, &form, &known);
        let mut editor = Self {
            checked,
            form,
            base: base.to_owned(),
            begun: base.to_owned(),
            focus: FieldId::Name,
            over: Over::None,
            side: Side::Prompt,
            stage: Stage::Writing,
            demand: if matches!(target, Target::New) { Demand::Patient } else { Demand::Strict },
            taken,
            kept: None,
            target,
        };
        let kept = world.unsaved.get(&crate::config::edit::unsaved_key(editor.key()));
        if let Some(kept) = kept.filter(|kept| **kept != editor.base) {
            editor.kept = Some(kept.clone());
            editor.over = Over::Found;
        }
        Some(editor)
    }

    /// A text like this one for a new agent, with a name that is free.
    pub(super) fn like(text: &str, name: &str, taken: &[String]) -> String {
        // One more than there are names is free.
        let mut numbered = (2..=taken.len() + 2).map(|number| format!("{name}-{number}"));
        let free = numbered.find(|name| !taken.contains(name)).unwrap_or_default();
        set_field(text, FieldId::Name.key(), Some(&free.into())).unwrap_or_else(|_| text.to_owned())
    }

    pub(super) fn place(&self) -> Place {
        self.over.place()
    }

    /// What is kept of it against a crash goes by this.
    pub(super) fn key(&self) -> &str {
        match &self.target {
            Target::New => NEW_AGENT,
            Target::There { name, .. } => name,
        }
    }

    pub(super) fn name(&self) -> String {
        self.form.value(FieldId::Name)
    }

    fn is_changed(&self) -> bool {
        self.checked.text != self.begun
    }

    /// What stands on disk.
    fn saved(&self) -> &str {
        match self.target {
            Target::New => "",
            Target::There { .. } => &self.begun,
        }
    }

    fn check(&mut self, world: &World) {
        let known =
            Known { config: &world.configuration.config, taken: &self.taken, file: file_of(&self.target) };
        self.checked = Checked::of(&self.base, &self.form, &known);
    }

    /// Another text in the fields.
    fn load(&mut self, text: &str, world: &World) {
        match Form::read(text) {
            Some(form) => {
                self.form = form;
                text.clone_into(&mut self.base);
                self.form.focus(self.focus);
                self.check(world);
            }
            None => self.over = Over::Broken,
        }
    }

    fn focus(&mut self, field: FieldId) {
        self.form.focus(field);
        self.focus = field;
    }

    /// Keeps what isn't saved, if that has changed.
    fn keep(&mut self) -> Option<Effect> {
        if matches!(self.over, Over::Found | Over::Broken) {
            // What is kept isn't what is shown, until the person has said which of them counts.
            return None;
        }
        let text = self.is_changed().then(|| self.checked.text.clone());
        if self.kept == text {
            return None;
        }
        self.kept.clone_from(&text);
        Some(Effect::Keep { agent: self.key().to_owned(), text })
    }

    /// Nothing of it is to be kept any more.
    pub(super) fn forget(&mut self) -> Option<Effect> {
        self.kept.take()?;
        Some(Effect::Keep { agent: self.key().to_owned(), text: None })
    }

    /// Something is kept that isn't what is shown: $EDITOR has been at it.
    pub(super) fn hear(&mut self, world: &World) {
        self.check(world);
        let kept = world.unsaved.get(&crate::config::edit::unsaved_key(self.key()));
        let Some(kept) = kept.filter(|kept| Some(*kept) != self.kept.as_ref()) else { return };
        if matches!(self.over, Over::Found) {
            return;
        }
        self.kept = Some(kept.clone());
        self.over = Over::None;
        self.load(&kept.clone(), world);
    }

    /// The save was refused; `told` is what stands on disk now.
    pub(super) fn refused(&mut self) -> Option<Effect> {
        self.stage = Stage::Writing;
        let Target::There { name, .. } = &self.target else { return None };
        let arguments = ["agent", "show", "--json", "--", name];
        Some(Effect::Run(Task::new(Purpose::Agents(Errand::Look), &arguments)))
    }

    /// What stands on disk now, so that the next diff is true.
    pub(super) fn look(&mut self, told: &Value) {
        if let (Target::There { digest, .. }, Some(text), Some(now)) =
            (&mut self.target, told["text"].as_str(), told["digest"].as_str())
        {
            now.clone_into(digest);
            text.clone_into(&mut self.begun);
        }
    }

    /// The text takes the file's place.
    fn save(&mut self) -> Reaction {
        self.stage = Stage::Saving;
        self.over = Over::None;
        let name = self.name();
        let arguments: Vec<&str> = match &self.target {
            Target::New => vec!["agent", "new", "--file", "-", "--json", "--", &name],
            Target::There { name, digest, .. } => {
                vec!["agent", "set", "--file", "-", "--was", digest, "--json", "--", name]
            }
        };
        let mut task = Task::new(Purpose::Agents(Errand::Save), &arguments);
        task.input = Some(self.checked.text.clone());
        Effect::Run(task).into()
    }

    /// Shows what a save would change, or why it can't be.
    fn ask_to_save(&mut self) -> Reaction {
        self.demand = Demand::Strict;
        if let Some(field) = self.checked.first_wrong() {
            self.focus(field);
            return Wish::Warn("It can't be saved as it is: mend what is marked".to_owned()).into();
        }
        if let Some(problem) = self.checked.other_error() {
            return Wish::Warn(format!("It can't be saved as it is: {}", problem.message)).into();
        }
        if self.checked.text == self.saved() {
            return Wish::Say("Nothing has changed".to_owned()).into();
        }
        let title = format!("Save {}?", crate::ui::table::visible(&self.name()));
        self.over = Over::Diff(diff::Diff::new(title, self.saved(), &self.checked.text));
        Reaction::default()
    }
}

fn file_of(target: &Target) -> &std::path::Path {
    match target {
        // A place that no agent has; problems are told by field, not by file.
        Target::New => std::path::Path::new("a new agent.md"),
        Target::There { file, .. } => file,
    }
}
