//! Agents of ours as Claude Code takes them without us: files for `.claude/agents`, or the JSON of `--agents`. Pure.
//!
//! What Claude Code ignores stays in a file, so that it comes back with an import. What would let the agent do more
//! there than here is put into words that Claude Code obeys.

use serde_json::{Map, Value};

use super::plan::file_stem;
use super::settle::KEPT_ROUTE;
use super::{Note, NoteKind};
use crate::config::agent::{Agent, FieldError, Model, Visibility, set_field, tools};

/// What a read-only agent may not use; `Agent` and `Task` could start one that writes.
const WRITE_TOOLS: [&str; 6] = ["Write", "Edit", "NotebookEdit", "Bash", "Agent", "Task"];

/// Keys of agent files that `--agents` ignores.
const FILE_ONLY: [&str; 2] = ["color", "experimental"];

/// What stands in for a route, which Claude Code has none of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stand {
    /// The caller's model.
    #[default]
    Inherit,
    /// This model of Claude's.
    Claude(String),
}

/// One agent's file, as it would be written.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedFile {
    pub agent: String,
    pub file_name: String,
    pub text: String,
    pub notes: Vec<Note>,
}

/// Each agent as a file of Claude Code's: its own bytes, but for what Claude Code would read otherwise.
///
/// # Errors
/// A field can't be changed where it stands.
pub fn export_files(
    agents: &[(&Agent, &str)],
    stand: &Stand,
) -> Result<Vec<ExportedFile>, (String, FieldError)> {
    let one = |(agent, text): &(&Agent, &str)| {
        file(agent, text, stand).map_err(|error| (agent.name.clone(), error))
    };
    agents.iter().map(one).collect()
}

fn file(agent: &Agent, text: &str, stand: &Stand) -> Result<ExportedFile, FieldError> {
    let mut text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
    let mut notes = Vec::new();
    if let Model::Route(route) = &agent.model {
        text = set_field(&text, "model", Some(&stand.word().into()))?;
        text = set_field(&text, KEPT_ROUTE, Some(&route.to_string().into()))?;
        notes.push(route_note(agent, stand, "`subagents.route` keeps it for an import"));
    }
    if agent.read_only {
        text = set_field(&text, "disallowedTools", Some(&denied(agent).into()))?;
        notes.push(read_only_note());
    }
    notes.extend(visibility_note(agent, "stays in the file"));
    Ok(ExportedFile {
        agent: agent.name.clone(),
        file_name: format!("{}.md", file_stem(&agent.name)),
        text,
        notes,
    })
}

/// All of them as the JSON that `--agents` takes, and what each loses, by name.
pub fn export_json(agents: &[&Agent], stand: &Stand) -> (Map<String, Value>, Vec<(String, Note)>) {
    let (mut all, mut notes) = (Map::new(), Vec::new());
    for agent in agents {
        let (definition, told) = definition(agent, stand);
        all.insert(agent.name.clone(), Value::Object(definition));
        notes.extend(told.into_iter().map(|note| (agent.name.clone(), note)));
    }
    (all, notes)
}

fn definition(agent: &Agent, stand: &Stand) -> (Map<String, Value>, Vec<Note>) {
    let mut map = Map::new();
    let mut notes = Vec::new();
    map.insert("description".to_owned(), agent.description.clone().into());
    map.insert("prompt".to_owned(), agent.prompt.clone().into());
    if let Some(tools) = &agent.tools {
        map.insert("tools".to_owned(), tools.clone().into());
    }
    match &agent.model {
        // Where nothing is said, nothing is written: never a model's id in its place.
        Model::Inherit => {}
        Model::Claude(model) => _ = map.insert("model".to_owned(), model.clone().into()),
        Model::Route(_) => {
            map.insert("model".to_owned(), stand.word().into());
            notes.push(route_note(agent, stand, "the JSON has no place for it"));
        }
    }
    for (key, value) in &agent.fields {
        if FILE_ONLY.contains(&key.as_str()) {
            notes.push(Note::new(NoteKind::Lost, format!("`{key}: {value}`: `--agents` has no such key")));
        } else {
            map.insert(key.clone(), value.clone());
        }
    }
    for (key, value) in &agent.unknown {
        notes.push(Note::new(NoteKind::Lost, format!("`{key}: {value}`: Claude Code doesn't know it")));
    }
    if agent.read_only {
        map.insert("disallowedTools".to_owned(), denied(agent).into());
        notes.push(read_only_note());
    }
    notes.extend(visibility_note(agent, "has no place there"));
    (map, notes)
}

impl Stand {
    fn word(&self) -> &str {
        match self {
            Self::Inherit => "inherit",
            Self::Claude(model) => model,
        }
    }
}

/// What the file forbids already, and what writes.
fn denied(agent: &Agent) -> Vec<String> {
    let listed = agent.fields.get("disallowedTools").and_then(tools::entries).unwrap_or_default();
    let more = WRITE_TOOLS.iter().map(|tool| (*tool).to_owned()).filter(|tool| !listed.contains(tool));
    let more: Vec<String> = more.collect();
    listed.into_iter().chain(more).collect()
}

fn route_note(agent: &Agent, stand: &Stand, place: &str) -> Note {
    let text = format!(
        "route `{}` becomes `{}`: Claude Code alone has no routes; {place}",
        agent.model,
        stand.word()
    );
    Note::new(NoteKind::Model, text)
}

fn read_only_note() -> Note {
    Note::new(NoteKind::Changed, "`read_only` is ours: tools that write become `disallowedTools`")
}

fn visibility_note(agent: &Agent, place: &str) -> Option<Note> {
    let word = match agent.visibility {
        Visibility::Model => return None,
        Visibility::Hidden => "hidden",
        Visibility::Off => "off",
    };
    let text = format!("`subagents.visibility: {word}` {place}: Claude Code shows the agent to the model");
    Some(Note::new(NoteKind::Lost, text))
}
