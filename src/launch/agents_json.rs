//! Agents as Claude Code's `--agents` takes them, and the way they reach it.
//!
//! Pure but for [`read_own`]. Made by a serialiser from checked agents, never by joining text.

use std::path::Path;

use serde_json::{Map, Value};

use super::arguments::Arguments;
use super::bind::Bound;
use crate::config::{Agent, Model, Visibility};

/// More than this many bytes don't go into one argument; Linux refuses 128 KiB.
pub const ARGUMENT_LIMIT: usize = 100 * 1024;

/// Keys that belong to agent files and that `--agents` ignores.
const FILE_ONLY: [&str; 2] = ["color", "experimental"];

/// Keys whose list `--agents` refuses as a comma string, which files allow.
const LISTS: [&str; 2] = ["disallowedTools", "skills"];

/// What a read-only agent may not use; `Agent` and `Task` could start one that writes.
pub const WRITE_TOOLS: [&str; 6] = ["Write", "Edit", "NotebookEdit", "Bash", "Agent", "Task"];

/// How the definitions reach Claude Code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carrier {
    /// There are none.
    Nothing,
    /// `--agents JSON`
    Argument(String),
    /// `--agents FILE` with this content: `-p` only.
    File(String),
    /// One Markdown file each, in a folder for `--add-dir`.
    Folder,
}

/// The user's own `--agents` can't be merged.
#[derive(Debug, thiserror::Error)]
pub enum OwnAgentsError {
    #[error("the file that --agents names, {path}, can't be read: {source}")]
    Unreadable { path: std::path::PathBuf, source: std::io::Error },
    #[error("--agents: not a JSON object of agents (line {line}, column {column}); mend it or leave it out")]
    NotJson { line: usize, column: usize },
    #[error("--agents: `{0}` needs a non-empty name and an object with a `description`")]
    NoAgent(String),
}

/// The definitions of all agents that the main model may see, by name.
pub fn definitions(agents: &[Bound<'_>]) -> Map<String, Value> {
    let seen = agents.iter().filter(|bound| is_visible(bound));
    seen.map(|bound| (bound.agent.name.clone(), Value::Object(definition(bound)))).collect()
}

/// The agents whose definitions are handed over as ours: those that the main model may see, but for the names that
/// the user's own `--agents` takes.
pub fn handed_over<'a>(agents: &[Bound<'a>], own: Option<&Map<String, Value>>) -> Vec<Bound<'a>> {
    let ours =
        |bound: &&Bound<'_>| is_visible(bound) && own.is_none_or(|own| !own.contains_key(&bound.agent.name));
    agents.iter().filter(ours).cloned().collect()
}

/// Chooses the way for definitions of this size.
pub fn carrier(definitions: &Map<String, Value>, headless: bool) -> Carrier {
    if definitions.is_empty() {
        return Carrier::Nothing;
    }
    let text = Value::Object(definitions.clone()).to_string();
    match (text.len() > ARGUMENT_LIMIT, headless) {
        (false, _) => Carrier::Argument(text),
        (true, true) => Carrier::File(text),
        (true, false) => Carrier::Folder,
    }
}

/// The user's own `--agents`: JSON text, or a file relative to `folder`. Of several, the last counts.
pub fn read_own(arguments: &Arguments, folder: &Path) -> Result<Option<Map<String, Value>>, OwnAgentsError> {
    let Some(own) = arguments.last("agents") else { return Ok(None) };
    let text = if own.trim_start().starts_with('{') {
        own.to_owned()
    } else {
        let path = folder.join(own);
        std::fs::read_to_string(&path).map_err(|source| OwnAgentsError::Unreadable { path, source })?
    };
    parse_own(&text).map(Some)
}

fn parse_own(text: &str) -> Result<Map<String, Value>, OwnAgentsError> {
    let agents: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| OwnAgentsError::NotJson { line: error.line(), column: error.column() })?;
    let described = |agent: &Value| agent["description"].as_str().is_some_and(|text| !text.trim().is_empty());
    match agents.iter().find(|(name, agent)| name.trim().is_empty() || !described(agent)) {
        Some((name, _)) => Err(OwnAgentsError::NoAgent(name.clone())),
        None => Ok(agents),
    }
}

/// A hidden agent is called by its name only, through a delegation.
fn is_visible(bound: &Bound<'_>) -> bool {
    bound.agent.visibility == Visibility::Model
}

fn definition(bound: &Bound<'_>) -> Map<String, Value> {
    let agent = bound.agent;
    let mut map = Map::new();
    map.insert("description".to_owned(), agent.description.clone().into());
    map.insert("prompt".to_owned(), agent.prompt.clone().into());
    if let Some(tools) = &agent.tools {
        map.insert("tools".to_owned(), tools.clone().into());
    }
    map.insert("model".to_owned(), model(bound).into());
    for (key, value) in &agent.fields {
        if !FILE_ONLY.contains(&key.as_str()) && !map.contains_key(key) {
            map.insert(key.clone(), listed(key, value));
        }
    }
    if agent.read_only {
        deny_writing(&mut map, agent);
    }
    map
}

fn model(bound: &Bound<'_>) -> String {
    match (&bound.wire, &bound.agent.model) {
        (Some(wire), _) => wire.to_string(),
        (None, Model::Claude(model)) => model.clone(),
        (None, Model::Route(route)) => route.to_string(),
        (None, Model::Inherit) => "inherit".to_owned(),
    }
}

/// A comma string becomes the array that `--agents` insists on.
fn listed(key: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if LISTS.contains(&key) => split_list(text).into(),
        other => other.clone(),
    }
}

/// Splits at commas outside of parentheses: `Bash(git log:*, x), Read` is two.
fn split_list(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// `read_only` beats `tools`. A scoped `Bash(…)` that the agent lists by name stays: its scope is its limit.
fn deny_writing(map: &mut Map<String, Value>, agent: &Agent) {
    let scoped = agent.tools.iter().flatten().any(|tool| tool.starts_with("Bash("));
    let plain = agent.tools.iter().flatten().any(|tool| tool == "Bash");
    let denied = WRITE_TOOLS.iter().filter(|tool| !(**tool == "Bash" && scoped && !plain));
    let list = map.entry("disallowedTools").or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        let missing: Vec<Value> =
            denied.map(|tool| Value::from(*tool)).filter(|t| !list.contains(t)).collect();
        list.extend(missing);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::launch::bind::bind;
    use crate::launch::bind::tests::{agent, config};

    fn check(agents: Vec<Agent>, expect: &Value) {
        let config = config(agents);
        assert_eq!(&Value::Object(definitions(&bind(&config).0)), expect);
    }

    fn fields(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn l4_a10_a_definition_holds_the_wire_id_and_the_tools_as_written() {
        let tools = |tools: &[&str]| Some(tools.iter().map(|t| (*t).to_owned()).collect());
        check(
            vec![
                agent("all", "ollama/qwen3:30b"),
                Agent { tools: tools(&[]), ..agent("none", "sonnet") },
                Agent { tools: tools(&["Read", "Bash(git log:*, x)"]), ..agent("some", "inherit") },
            ],
            &json!({
                "all": {"description": "Does all", "prompt": "You do all.", "model": "all@ollama/qwen3:30b"},
                "none": {"description": "Does none", "prompt": "You do none.", "tools": [], "model": "sonnet"},
                "some": {"description": "Does some", "prompt": "You do some.",
                    "tools": ["Read", "Bash(git log:*, x)"], "model": "inherit"},
            }),
        );
    }

    #[test]
    fn e1_hidden_and_switched_off_agents_are_left_out() {
        let hidden = Agent { visibility: Visibility::Hidden, ..agent("h", "ollama/m") };
        check(vec![hidden, Agent { visibility: Visibility::Off, ..agent("o", "inherit") }], &json!({}));
    }

    #[test]
    fn a12_only_agents_that_go_out_as_ours_are_handed_over() {
        let with = |visibility, name| Agent { visibility, ..agent(name, "ollama/m") };
        let hidden = with(Visibility::Hidden, "hidden");
        let config =
            config(vec![hidden, with(Visibility::Off, "off"), agent("own", "ollama/m"), agent("x", "glm/m")]);
        let own = fields(&json!({"own": {"description": "d"}}));
        let names = |own| {
            let agents = handed_over(&bind(&config).0, own);
            agents.iter().map(|bound| bound.agent.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            (names(None), names(Some(&own))),
            (vec!["own".to_owned(), "x".to_owned()], vec!["x".to_owned()])
        );
    }

    #[test]
    fn other_fields_pass_but_for_those_of_files_and_lists_become_arrays() {
        let given = json!({"effort": "high", "color": "red", "maxTurns": 3, "experimental": {},
            "disallowedTools": "Write, Bash(a, b)", "skills": ["s"]});
        let mut agent = agent("x", "inherit");
        agent.fields = fields(&given);
        agent.unknown = fields(&json!({"odd": 1}));
        check(
            vec![agent],
            &json!({"x": {"description": "Does x", "prompt": "You do x.", "model": "inherit", "effort": "high",
                "maxTurns": 3, "disallowedTools": ["Write", "Bash(a, b)"], "skills": ["s"]}}),
        );
    }

    #[test]
    fn read_only_beats_tools() {
        for (tools, bash) in [
            (None, true),
            (Some(vec!["Read", "Bash"]), true),
            (Some(vec!["Read", "Bash(git diff:*)"]), false),
        ] {
            let tools = tools.map(|tools| tools.into_iter().map(str::to_owned).collect());
            let config = config(vec![Agent { tools, read_only: true, ..agent("x", "inherit") }]);
            let definitions = definitions(&bind(&config).0);
            let denied = definitions["x"]["disallowedTools"].as_array().unwrap();
            assert_eq!(denied.contains(&"Bash".into()), bash);
            assert!(["Write", "Edit", "Agent"].iter().all(|tool| denied.contains(&(*tool).into())));
        }
    }

    #[test]
    fn f05_the_way_is_chosen_by_bytes() {
        let of_size = |size: usize, fill: &str| {
            let empty = json!({"x": {"description": ""}}).to_string().len();
            let text = fill.repeat((size - empty) / fill.len());
            fields(&json!({"x": {"description": text}}))
        };
        for (size, fill, headless, large) in [
            (ARGUMENT_LIMIT, "a", false, false),
            (ARGUMENT_LIMIT + 1, "a", false, true),
            (ARGUMENT_LIMIT + 1, "a", true, true),
            (ARGUMENT_LIMIT + 64, "é", false, true),
        ] {
            let carrier = carrier(&of_size(size, fill), headless);
            match (large, headless) {
                (false, _) => {
                    assert!(matches!(carrier, Carrier::Argument(text) if text.len() <= ARGUMENT_LIMIT));
                }
                (true, true) => assert!(matches!(carrier, Carrier::File(_))),
                (true, false) => assert_eq!(carrier, Carrier::Folder),
            }
        }
        assert_eq!(carrier(&Map::new(), false), Carrier::Nothing);
    }

    #[test]
    fn f07_the_users_own_agents_are_checked_before_they_are_merged() {
        for (text, part) in [
            ("{bad json", "not a JSON object"),
            ("[1]", "can't be read"),
            (r#"{"x": 1}"#, "`x` needs"),
            (r#"{"x": {"description": " "}}"#, "`x` needs"),
            (r#"{"": {"description": "d"}}"#, "`` needs"),
            ("nowhere.json", "can't be read"),
        ] {
            let arguments = Arguments::parse(&["--agents".to_owned(), text.to_owned()]);
            let error = read_own(&arguments, Path::new("/nonexistent")).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.json"), r#"{"x":{"description":"d"}}"#).unwrap();
        let arguments = Arguments::parse(&["--agents=a.json".to_owned()]);
        assert!(read_own(&arguments, folder.path()).unwrap().unwrap().contains_key("x"));
    }
}
