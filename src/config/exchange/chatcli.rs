//! `ChatCLI`'s agents and delegations in Claude Code's words. Pure.
//!
//! Its tools are subcommands of its own engine. A delegation that names none may read only, and stays so.

use serde_json::{Map, Value};

use super::Note;
use super::mapping::Mapping;
use crate::config::agent::tools;

/// `ChatCLI`'s subcommands, and what does the same here.
const TOOLS: [(&str, &[&str]); 14] = [
    ("read", &["Read"]),
    ("search", &["Grep"]),
    ("tree", &["Glob"]),
    ("write", &["Write"]),
    ("patch", &["Edit"]),
    ("multipatch", &["Edit"]),
    ("exec", &["Bash"]),
    ("test", &["Bash"]),
    ("git-status", &["Bash(git status:*)"]),
    ("git-changed", &["Bash(git status:*)"]),
    ("git-diff", &["Bash(git diff:*)"]),
    ("git-log", &["Bash(git log:*)"]),
    ("git-branch", &["Bash(git branch --list:*)"]),
    ("webfetch", &["WebFetch"]),
];

/// What a delegation may use that names no tools.
const READ_ONLY: [&str; 8] =
    ["read", "search", "tree", "git-status", "git-diff", "git-log", "git-changed", "git-branch"];

/// Names that no other program has.
const TELLING: [&str; 9] =
    ["tree", "multipatch", "exec", "git-status", "git-changed", "git-diff", "git-log", "git-branch", "patch"];

/// Whether an agent file is `ChatCLI`'s: by its plugins, or by the names of its tools.
pub(super) fn is_meant(map: &Map<String, Value>) -> bool {
    let listed = map.get("tools").and_then(tools::entries).unwrap_or_default();
    map.contains_key("plugins") || listed.iter().any(|tool| TELLING.contains(&tool.as_str()))
}

/// An agent file's keys in Claude Code's words. What isn't known is kept.
pub(super) fn map(source: Map<String, Value>) -> (Map<String, Value>, Vec<Note>) {
    let mut mapping = Mapping::new(source);
    for key in ["name", "description"] {
        mapping.keep(key);
    }
    if let Some(listed) = mapping.take("tools") {
        put_tools(&listed, &mut mapping);
    }
    for key in ["model", "skills"] {
        mapping.keep(key);
    }
    mapping.renamed(&["max_turns"], "maxTurns");
    read_only(&mut mapping, None);
    if let Some(plugins) = mapping.take("plugins") {
        mapping.lost(format!("`plugins: {plugins}`: ChatCLI's own"));
    }
    mapping.keep_rest()
}

/// The arguments of a `delegate_subagent` call: what they leave out has a default.
pub(super) fn map_delegation(source: Map<String, Value>) -> (Map<String, Value>, Vec<Note>) {
    let mut mapping = Mapping::new(source);
    for key in ["name", "description", "prompt"] {
        mapping.keep(key);
    }
    let listed = mapping.take("tools").unwrap_or_else(|| READ_ONLY.to_vec().into());
    put_tools(&listed, &mut mapping);
    mapping.keep("model");
    mapping.renamed(&["max_turns"], "maxTurns");
    read_only(&mut mapping, Some(true));
    mapping.lose_rest()
}

fn read_only(mapping: &mut Mapping, default: Option<bool>) {
    let flag = match mapping.take("read_only") {
        // What can't be read limits.
        Some(value) => Some(value.as_bool().unwrap_or(true)),
        None => default,
    };
    if flag == Some(true) {
        mapping.changed("`read_only` becomes `subagents.read_only: true`");
        mapping.own("read_only", true);
    }
}

fn put_tools(listed: &Value, mapping: &mut Mapping) {
    let Some(entries) = tools::entries(listed) else {
        // No list: the reader will say so.
        mapping.put("tools", listed.clone());
        return;
    };
    let mut names: Vec<String> = Vec::new();
    for entry in &entries {
        let found = TOOLS.iter().find(|(theirs, _)| *theirs == entry.trim_start_matches('@'));
        let found = found.map_or_else(|| vec![entry.clone()], |(_, names)| owned(names));
        names.extend(found.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    }
    if names != entries {
        mapping.changed(format!("`tools` becomes `{}`", names.join(", ")));
    }
    mapping.put_tools("tools", &names);
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        let Value::Object(map) = value else { panic!("{value}") };
        map
    }

    #[test]
    fn a_delegation_without_tools_may_read_only() {
        let (map, _) = map_delegation(object(json!({"prompt": "p", "max_turns": 10})));
        let expect = json!({"prompt": "p", "tools": "Read, Grep, Glob, Bash(git status:*), Bash(git diff:*), Bash(git log:*), Bash(git branch --list:*)",
            "maxTurns": 10, "subagents": {"read_only": true}});
        assert_eq!(Value::Object(map), expect);
    }

    #[test]
    fn a_delegation_that_may_write_says_so_itself() {
        let (map, notes) = map_delegation(object(
            json!({"prompt": "p", "tools": ["read", "exec", "test"], "read_only": false}),
        ));
        assert_eq!(Value::Object(map), json!({"prompt": "p", "tools": "Read, Bash"}));
        assert_eq!(notes.len(), 1);
    }

    #[test]
    fn an_agent_files_plugins_are_lost_and_its_skills_and_own_keys_are_kept() {
        let source = object(
            json!({"name": "n", "description": "d", "skills": ["s"], "plugins": ["@coder"], "author": "a"}),
        );
        assert!(is_meant(&source));
        let (map, notes) = map(source);
        assert_eq!(
            Value::Object(map),
            json!({"name": "n", "description": "d", "skills": ["s"], "author": "a"})
        );
        assert!(notes[0].text.contains("@coder"));
    }
}
