//! A definition with the person's wishes applied, and checked as the file that it will be. Pure.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Definition, Format, Note, NoteKind, power};
use crate::config::agent::{
    Agent, Model, compose, is_no_yaml, parse, resolves, sections, spelled_right, tools,
};
use crate::config::edit::set_field;
use crate::config::{Config, Problem, RouteId, Severity};

/// Where an exported route is kept, so that it comes back.
pub(super) const KEPT_ROUTE: &str = "subagents.route";

/// What the person wants otherwise than the sources say.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// From an agent's name, or the end of its origin, to another name.
    pub rename: Vec<(String, String)>,
    /// From a model as the source writes it (`inherit` where it writes none) to another.
    pub models: Vec<(String, String)>,
    pub form: Form,
}

/// What becomes of front matter that is no YAML, which Claude Code and we read line by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// It stays as it was written.
    #[default]
    Kept,
    /// The description, which is what it mostly fails at, is put in quotes.
    Mended,
}

/// A definition, ready to be imported or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub origin: String,
    pub format: Format,
    pub name: String,
    /// `None`: it can't be imported, and the problems say why.
    pub agent: Option<Agent>,
    /// The agent file that it becomes.
    pub text: String,
    pub notes: Vec<Note>,
    pub problems: Vec<Problem>,
}

/// Renames, settles the model, checks the tools, reads the result.
///
/// A route that can't be used becomes the caller's model, with a note: an agent on a route that isn't there would
/// not be used at all.
pub fn settle(definition: Definition, wishes: &Wishes, config: &Config) -> Candidate {
    let mut settled = Settled { definition, problems: Vec::new() };
    settled.rename(wishes);
    settled.settle_model(wishes, config);
    settled.check_tools();
    if wishes.form == Form::Mended {
        settled.mend();
    }
    settled.candidate()
}

/// A definition while it is settled.
struct Settled {
    definition: Definition,
    problems: Vec<Problem>,
}

impl Settled {
    fn rename(&mut self, wishes: &Wishes) {
        let is_meant = |from: &str| from == self.definition.name || is_end_of(from, &self.definition.origin);
        let Some((_, to)) = wishes.rename.iter().find(|(from, _)| is_meant(from)) else { return };
        let told = format!("`name: {}` becomes `{to}`, as you asked", self.definition.name);
        if self.set("name", Some(&to.as_str().into()), NoteKind::Changed, told) {
            self.definition.name.clone_from(to);
        }
    }

    fn settle_model(&mut self, wishes: &Wishes, config: &Config) {
        let written = self.written_model();
        let kept = self.take_kept_route();
        let asked = wishes.models.iter().find(|(from, _)| *from == written).map(|(_, to)| to.clone());
        let (model, why) = match (asked, kept) {
            (Some(model), _) => (model, "as you asked"),
            (None, Some(route)) => (route, "its route comes back"),
            (None, None) => return self.check_model(&written, config),
        };
        if model != written {
            let told = format!("`{written}` becomes `{model}`: {why}");
            self.set("model", Some(&model.as_str().into()), NoteKind::Model, told);
        }
        self.check_model(&model, config);
    }

    fn written_model(&self) -> String {
        let map = self.front_matter();
        map.get("model").and_then(Value::as_str).unwrap_or("inherit").trim().to_owned()
    }

    /// The route that an export put aside; what has no place in a file of ours is taken out.
    fn take_kept_route(&mut self) -> Option<String> {
        let map = self.front_matter();
        let kept = map.get("subagents").and_then(|own| own["route"].as_str()).map(str::to_owned)?;
        self.set(KEPT_ROUTE, None, NoteKind::Changed, format!("`subagents.route: {kept}` is taken out"));
        Some(kept)
    }

    fn check_model(&mut self, model: &str, config: &Config) {
        let Ok(route) = model.parse::<RouteId>() else { return };
        match config.provider_for(&route) {
            Ok(_) => self.note(NoteKind::Model, format!("it runs on route `{route}`")),
            Err(refusal) => {
                let told = format!("`{model}` becomes the caller's model: {refusal} ({})", refusal.remedy());
                self.set("model", None, NoteKind::Model, told);
            }
        }
    }

    /// Names in another spelling are mended, others are told; a list of which nothing is left costs the agent.
    fn check_tools(&mut self) {
        let Some(value) = self.front_matter().get("tools").cloned() else { return };
        let Some(mut listed) = tools::read(&value).filter(|listed| !listed.all) else { return };
        let mended: Vec<(String, String)> = listed
            .tools
            .iter()
            .filter(|tool| !resolves(tool))
            .filter_map(|tool| Some((tool.clone(), spelled_right(tool)?)))
            .collect();
        if !mended.is_empty() {
            for tool in &mut listed.tools {
                if let Some((_, right)) = mended.iter().find(|(wrong, _)| wrong == tool) {
                    tool.clone_from(right);
                }
            }
            let all: Vec<String> = listed.tools.iter().chain(&listed.unknown).cloned().collect();
            let told = format!(
                "tools: {}",
                mended.iter().map(|(a, b)| format!("`{a}` becomes `{b}`")).collect::<Vec<_>>().join(", ")
            );
            self.set("tools", Some(&all.into()), NoteKind::Changed, told);
        }
        self.tell_unresolved(&listed);
    }

    fn tell_unresolved(&mut self, listed: &tools::Listed) {
        let strange = listed.tools.iter().filter(|tool| !resolves(tool)).chain(&listed.unknown);
        let strange: Vec<&String> = strange.collect();
        for tool in &strange {
            self.note(NoteKind::UnresolvedTool, tool.as_str());
        }
        let all = listed.tools.len() + listed.unknown.len();
        // Where none can be a tool, the reader says it itself.
        if all > 0 && strange.len() == all && !listed.tools.is_empty() {
            let names: Vec<&str> = strange.iter().map(|tool| tool.as_str()).collect();
            let message =
                format!("no tool of agent `{}` is known: {}", self.definition.name, names.join(", "));
            let remedy = "name Claude Code's tools in the source, such as `tools: Read, Grep, Glob`";
            self.problem(message, remedy);
        }
    }

    /// Puts the description in quotes; where that isn't enough, writes the whole front matter anew.
    fn mend(&mut self) {
        let Some((map, body)) = sections(&self.definition.text).filter(|_| is_no_yaml(&self.definition.text))
        else {
            return;
        };
        let Some(description) = map.get("description") else { return };
        let quoted = set_field(&self.definition.text, "description", Some(description)).ok();
        let (text, told) = match quoted.filter(|text| !is_no_yaml(text)) {
            Some(text) => (text, "the description is put in quotes"),
            None => (compose(&map, body), "the front matter is written anew: it was no YAML"),
        };
        self.definition.text = text;
        self.note(NoteKind::Changed, told);
    }

    fn candidate(self) -> Candidate {
        let Self { mut definition, mut problems } = self;
        let (agent, found) = parse(Path::new(&definition.origin), definition.text.as_bytes());
        problems.extend(found);
        let broken = problems.iter().any(|problem| problem.severity == Severity::Error);
        definition.notes.extend(agent.iter().flat_map(|agent| power::notes(&agent.fields)));
        Candidate {
            origin: definition.origin,
            format: definition.format,
            name: definition.name,
            agent: agent.filter(|_| !broken),
            text: definition.text,
            notes: definition.notes,
            problems,
        }
    }

    fn front_matter(&self) -> Map<String, Value> {
        sections(&self.definition.text).map(|(map, _)| map).unwrap_or_default()
    }

    /// Whether the field could be changed; else that is a problem.
    fn set(&mut self, key: &str, value: Option<&Value>, kind: NoteKind, told: impl Into<String>) -> bool {
        match set_field(&self.definition.text, key, value) {
            Ok(text) => {
                self.definition.text = text;
                self.note(kind, told);
                true
            }
            Err(error) => {
                self.problem(format!("`{key}` can't be changed: {error}"), "mend the file by hand");
                false
            }
        }
    }

    fn note(&mut self, kind: NoteKind, text: impl Into<String>) {
        self.definition.notes.push(Note::new(kind, text));
    }

    fn problem(&mut self, message: String, remedy: &str) {
        self.problems.push(Problem {
            severity: Severity::Error,
            file: Path::new(&self.definition.origin).to_owned(),
            line: None,
            message,
            remedy: remedy.to_owned(),
        });
    }
}

/// `agents/reviewer.md` is the end of `/p/plugin/agents/reviewer.md`; `r.md` is not.
fn is_end_of(end: &str, origin: &str) -> bool {
    let rest = origin.strip_suffix(end);
    end.contains('/')
        && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || end.starts_with('/'))
}

impl Candidate {
    /// What it will run on.
    pub fn model(&self) -> Option<&Model> {
        self.agent.as_ref().map(|agent| &agent.model)
    }
}
