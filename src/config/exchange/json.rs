//! Definitions in JSON: `--agents`, opencode.json, granite's, a single delegation. Pure.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::definition::converted;
use super::mapping::Mapping;
use super::{Definition, Format, NoDefinition, Note, chatcli, granite, opencode};
use crate::config::{Problem, Severity};

/// Every definition in the text; one [`NoDefinition::Broken`] where it is none of these formats.
pub(super) fn definitions(origin: &str, stem: &str, text: &str) -> Vec<Result<Definition, NoDefinition>> {
    let root: Map<String, Value> = match serde_json::from_str(text) {
        Ok(root) => root,
        Err(error) => {
            let message = format!("this is no JSON object: {error}");
            return vec![Err(broken(origin, Some(error.line()), message, "mend it: comments are no JSON"))];
        }
    };
    if let Some(single) = delegation(&root) {
        return vec![Ok(converted(
            origin,
            Format::ChatCli,
            stem,
            chatcli::map_delegation(single.clone()),
            "",
        ))];
    }
    let (entries, opencode) = entries(&root);
    if entries.is_empty() {
        let remedy = "give `--agents` JSON, an opencode.json with `agent`, or granite's sub-agents";
        return vec![Err(broken(origin, None, "no agents are defined here", remedy))];
    }
    entries.iter().map(|(name, value)| entry(origin, name, value, opencode)).collect()
}

/// `{"name": "delegate_subagent", "arguments": {…}}`, or the arguments alone.
fn delegation(root: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let arguments = root.get("arguments").and_then(Value::as_object);
    arguments.or(Some(root)).filter(|map| map.get("prompt").is_some_and(Value::is_string))
}

/// The map of agents, and whether the file is opencode's.
fn entries(root: &Map<String, Value>) -> (&Map<String, Value>, bool) {
    let is_schema =
        root.get("$schema").and_then(Value::as_str).is_some_and(|schema| schema.contains("opencode"));
    for key in ["agent", "agents"] {
        // An agent may well be called `agent`: then it has a description.
        if let Some(map) = root
            .get(key)
            .and_then(Value::as_object)
            .filter(|map| !map.get("description").is_some_and(Value::is_string))
        {
            return (map, is_schema || key == "agent");
        }
    }
    (root, false)
}

fn entry(origin: &str, name: &str, value: &Value, opencode: bool) -> Result<Definition, NoDefinition> {
    let origin = format!("{origin}: {name}");
    let Value::Object(map) = value else {
        return Err(broken(
            &origin,
            None,
            format!("`{name}` is no object"),
            "give it a `description` and a `prompt`",
        ));
    };
    let (format, mapped) = if opencode || opencode::is_meant(map) {
        (Format::OpenCode, opencode::map(map.clone()))
    } else if granite::is_meant(map) {
        (Format::Granite, granite::map(map.clone()))
    } else {
        (Format::AgentsJson, own(map.clone()))
    };
    let (mut map, notes) = mapped;
    // The key is the name, whatever stands below it.
    map.insert("name".to_owned(), name.into());
    Ok(converted(&origin, format, name, (map, notes), ""))
}

/// `--agents` has Claude Code's keys already; its lists become comma strings, as files have them.
fn own(map: Map<String, Value>) -> (Map<String, Value>, Vec<Note>) {
    let mut mapping = Mapping::new(map);
    mapping.keep("description");
    for key in ["tools", "disallowedTools"] {
        match mapping.take(key) {
            Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
                let names: Vec<String> = list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                mapping.put_tools(key, &names);
            }
            Some(other) => mapping.put(key, other),
            None => {}
        }
    }
    mapping.keep_rest()
}

fn broken(origin: &str, line: Option<usize>, message: impl Into<String>, remedy: &str) -> NoDefinition {
    let problem = Problem {
        severity: Severity::Error,
        file: PathBuf::from(origin),
        line,
        message: message.into(),
        remedy: remedy.to_owned(),
    };
    NoDefinition::Broken { origin: origin.to_owned(), problems: vec![problem] }
}
