//! One source, brought into Claude Code's own format; not yet checked. Pure.

use std::path::Path;

use serde_json::{Map, Value};

use super::find::{Content, Source};
use super::readable::readable;
use super::{Format, Note, NoteKind, chatcli, json, opencode};
use crate::config::agent::{compose, meant_by, parse, sections, tools};
use crate::config::edit::set_field;
use crate::config::{Problem, Severity};

/// A definition as an agent file, before anything was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Where it comes from, for people: a path, or a path and a key.
    pub origin: String,
    pub format: Format,
    /// As the source has it.
    pub name: String,
    /// An agent file in Claude Code's format. One that was in this format has its own bytes.
    pub text: String,
    pub notes: Vec<Note>,
}

/// Why a source holds no definition.
#[derive(Debug, Clone, PartialEq)]
pub enum NoDefinition {
    /// Some other document, such as a README.
    NotAnAgent { origin: String },
    /// It was meant to be one.
    Broken { origin: String, problems: Vec<Problem> },
}

/// Every definition that the source holds.
pub fn definitions(source: &Source) -> Vec<Result<Definition, NoDefinition>> {
    match &source.content {
        Content::Markdown(bytes) => vec![markdown(&source.origin, &source.stem, bytes)],
        Content::Json(text) => json::definitions(&source.origin, &source.stem, text),
        Content::Unreadable(reason) => vec![Err(unreadable(&source.origin, reason))],
    }
}

fn unreadable(origin: &str, reason: &str) -> NoDefinition {
    let problem = Problem {
        severity: Severity::Error,
        file: origin.into(),
        line: None,
        message: format!("the file can't be read: {reason}"),
        remedy: "it is left out".to_owned(),
    };
    NoDefinition::Broken { origin: origin.to_owned(), problems: vec![problem] }
}

fn markdown(origin: &str, stem: &str, bytes: &[u8]) -> Result<Definition, NoDefinition> {
    let (text, notes) = readable(bytes);
    let Some((map, body)) = sections(&text) else {
        return Err(no_front_matter(origin, bytes));
    };
    if is_something_else(&map) {
        return Err(NoDefinition::NotAnAgent { origin: origin.to_owned() });
    }
    let convert = if opencode::is_meant(&map) {
        Some((Format::OpenCode, opencode::map as fn(_) -> _))
    } else if chatcli::is_meant(&map) {
        Some((Format::ChatCli, chatcli::map as fn(_) -> _))
    } else {
        None
    };
    match convert {
        Some((format, convert)) => Ok(converted(origin, format, stem, convert(map), body)),
        None => Ok(own_format(origin, stem, &map, (&text, notes))),
    }
}

/// Notes and templates have front matter too, and so have slash commands.
fn is_something_else(map: &Map<String, Value>) -> bool {
    let has = |key: &str| map.contains_key(key);
    !(has("name") || has("description")) || (has("argument-hint") && !has("name"))
}

fn no_front_matter(origin: &str, bytes: &[u8]) -> NoDefinition {
    let (_, problems) = parse(Path::new(origin), bytes);
    if problems.iter().all(|problem| problem.severity == Severity::Info) {
        return NoDefinition::NotAnAgent { origin: origin.to_owned() };
    }
    NoDefinition::Broken { origin: origin.to_owned(), problems }
}

/// Byte for byte, but for what would keep Claude Code from taking it as it was meant.
fn own_format(
    origin: &str,
    stem: &str,
    map: &Map<String, Value>,
    (text, notes): (&str, Vec<Note>),
) -> Definition {
    let mut definition = Definition {
        origin: origin.to_owned(),
        format: Format::ClaudeCode,
        name: name_of(map),
        text: text.to_owned(),
        notes,
    };
    if definition.name.is_empty() {
        definition.name_after(stem);
    }
    definition.name_tools(map);
    definition
}

/// A definition of another format: its front matter is written anew, its body stays.
pub(super) fn converted(
    origin: &str,
    format: Format,
    stem: &str,
    (mut map, mut notes): (Map<String, Value>, Vec<Note>),
    body: &str,
) -> Definition {
    let mut name = name_of(&map);
    map.shift_remove("name");
    if name.is_empty() {
        stem.clone_into(&mut name);
        notes.push(Note::new(
            NoteKind::Changed,
            format!("it has no name: it is called `{stem}` after its place"),
        ));
    }
    let prompt = match map.shift_remove("prompt") {
        Some(Value::String(prompt)) if body.trim().is_empty() => format!("\n{}\n", prompt.trim()),
        _ => body.to_owned(),
    };
    let mut whole = Map::from_iter([("name".to_owned(), name.clone().into())]);
    whole.extend(map);
    Definition { origin: origin.to_owned(), format, name, text: compose(&whole, &prompt), notes }
}

impl Definition {
    fn name_after(&mut self, stem: &str) {
        // A front matter that can't be changed is told when it is read.
        if let Ok(text) = set_field(&self.text, "name", Some(&stem.into())) {
            self.text = text;
            stem.clone_into(&mut self.name);
            self.notes.push(Note::new(
                NoteKind::Changed,
                format!("it has no name: `name: {stem}`, after its file"),
            ));
        }
    }

    /// A mistyped `tools` gives the agent every tool, and was meant to limit it.
    fn name_tools(&mut self, map: &Map<String, Value>) {
        for key in ["tools", "disallowedTools"] {
            let mistyped = map
                .iter()
                .find(|(typed, value)| meant_by(typed) == Some(key) && tools::entries(value).is_some());
            let Some((typed, value)) = mistyped.filter(|(typed, _)| !map.contains_key(key) && *typed != key)
            else {
                continue;
            };
            let moved =
                set_field(&self.text, key, Some(value)).and_then(|text| set_field(&text, typed, None));
            if let Ok(text) = moved {
                self.text = text;
                let told = format!("`{typed}` becomes `{key}`: Claude Code would have ignored it");
                self.notes.push(Note::new(NoteKind::Changed, told));
            }
        }
    }
}

fn name_of(map: &Map<String, Value>) -> String {
    match map.get("name") {
        Some(Value::String(name)) => name.trim().to_owned(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        _ => String::new(),
    }
}
