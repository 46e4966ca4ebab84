//! opencode's agents in Claude Code's words. Pure.
//!
//! There every tool is allowed until something denies it; so denials become `disallowedTools`, and only a denial
//! of everything becomes a list of what is left. A rule that can't be said exactly becomes the stricter one.

use serde_json::{Map, Value};

use super::Note;
use super::mapping::Mapping;

/// opencode's tools, and what they are here. `edit` in a permission stands for all that writes files.
const TOOLS: [(&str, &[&str]); 17] = [
    ("read", &["Read"]),
    ("write", &["Write"]),
    ("edit", &["Edit", "Write", "NotebookEdit"]),
    ("patch", &["Edit"]),
    ("apply_patch", &["Edit"]),
    ("multiedit", &["Edit"]),
    ("bash", &["Bash"]),
    ("shell", &["Bash"]),
    ("glob", &["Glob"]),
    ("list", &["Glob"]),
    ("grep", &["Grep"]),
    ("webfetch", &["WebFetch"]),
    ("websearch", &["WebSearch"]),
    ("task", &["Agent", "Task"]),
    ("subagent", &["Agent", "Task"]),
    ("todowrite", &["TodoWrite"]),
    ("skill", &["Skill"]),
];

/// Colours that Claude Code has words for.
const COLOURS: [&str; 8] = ["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"];

/// What one of opencode's rules says of a tool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Allow,
    /// For some patterns, and nothing is said of the others.
    Partly,
    Ask,
    Deny,
}

/// Whether the keys are opencode's and nobody else's.
pub(super) fn is_meant(map: &Map<String, Value>) -> bool {
    let mode = map.get("mode").and_then(Value::as_str);
    mode.is_some_and(|mode| matches!(mode, "primary" | "subagent" | "all"))
        || map.get("tools").is_some_and(Value::is_object)
        || map.contains_key("permission")
        || map.contains_key("permissions")
}

/// The definition in Claude Code's keys, `name` and `prompt` among them where they are there.
pub(super) fn map(source: Map<String, Value>) -> (Map<String, Value>, Vec<Note>) {
    let mut mapping = Mapping::new(source);
    for key in ["name", "description"] {
        mapping.keep(key);
    }
    if let Some(prompt) = mapping.take_any(&["prompt", "system"]) {
        mapping.put("prompt", prompt);
    }
    tools(&mut mapping);
    model(&mut mapping);
    mapping.renamed(&["steps", "maxSteps"], "maxTurns");
    mapping.renamed(&["reasoningEffort", "variant"], "effort");
    visibility(&mut mapping);
    colour(&mut mapping);
    mapping.lose_rest()
}

fn visibility(mapping: &mut Mapping) {
    match mapping.take("mode").as_ref().and_then(Value::as_str) {
        Some("primary") => mapping.lost("`mode: primary`: here it is a sub-agent"),
        Some("all") => mapping.lost("`mode: all`: here it is a sub-agent only"),
        _ => {}
    }
    let is_set = |value: Option<Value>| value == Some(Value::Bool(true));
    let hidden = is_set(mapping.take("hidden"));
    if is_set(mapping.take_any(&["disable", "disabled"])) {
        mapping.changed("`disable: true` becomes `subagents.visibility: off`");
        mapping.own("visibility", "off");
    } else if hidden {
        mapping.changed("`hidden: true` becomes `subagents.visibility: hidden`");
        mapping.own("visibility", "hidden");
    }
}

fn colour(mapping: &mut Mapping) {
    let Some(colour) = mapping.take("color") else { return };
    if colour.as_str().is_some_and(|word| COLOURS.contains(&word)) {
        mapping.put("color", colour);
    } else {
        mapping.lost(format!("`color: {colour}`: Claude Code has only words for colours"));
    }
}

/// `provider/model`, with `#variant` in newer files.
fn model(mapping: &mut Mapping) {
    let Some(model) = mapping.take("model") else { return };
    let text = model.as_str().unwrap_or_default();
    let (name, variant) = text.split_once('#').map_or((text, None), |(name, variant)| (name, Some(variant)));
    if let Some(variant) = variant {
        mapping.changed(format!("`#{variant}` becomes `effort: {variant}`"));
        mapping.put("effort", variant);
    }
    match name.strip_prefix("anthropic/") {
        Some(own) => {
            mapping.changed(format!("`model: {name}` becomes `{own}`"));
            mapping.put("model", own);
        }
        None => mapping.put("model", if text.is_empty() { model.clone() } else { name.into() }),
    }
}

fn tools(mapping: &mut Mapping) {
    let mut rules = Vec::new();
    if let Some(switches) = mapping.take("tools") {
        read_switches(switches, mapping, &mut rules);
    }
    for key in ["permission", "permissions"] {
        if let Some(permission) = mapping.take(key) {
            read_permission(permission, mapping, &mut rules);
        }
    }
    tell_inexact(&rules, mapping);
    let all_denied =
        rules.iter().rev().find(|(tool, _)| tool == "*").is_some_and(|(_, rule)| *rule == Rule::Deny);
    let rules: Vec<(String, Rule)> = rules.into_iter().filter(|(tool, _)| tool != "*").collect();
    let denied = names(&rules, Rule::Deny, mapping);
    if all_denied {
        let mut left = names(&rules, Rule::Allow, mapping);
        left.extend(names(&rules, Rule::Ask, mapping));
        left.retain(|tool| !denied.contains(tool));
        mapping.changed("all is denied but what is allowed: that becomes `tools`");
        mapping.put_tools("tools", &left);
    } else if !denied.is_empty() {
        mapping.changed(format!("what is denied becomes `disallowedTools: {}`", denied.join(", ")));
        mapping.put_tools("disallowedTools", &denied);
    }
}

fn tell_inexact(rules: &[(String, Rule)], mapping: &mut Mapping) {
    for (tool, rule) in rules {
        match rule {
            Rule::Ask => {
                mapping.lost(format!("`{tool}: ask`: whether Claude Code asks is up to its permission mode"));
            }
            Rule::Partly => {
                mapping.lost(format!("`{tool}` has rules for some patterns: they can't be said here"));
            }
            Rule::Allow | Rule::Deny => {}
        }
    }
}

/// `tools: {write: false}`. A list, which is not opencode's, stays as it is.
fn read_switches(switches: Value, mapping: &mut Mapping, rules: &mut Vec<(String, Rule)>) {
    let Value::Object(switches) = switches else {
        mapping.put("tools", switches);
        return;
    };
    for (tool, switch) in switches {
        // What is neither `true` nor `false` denies: nothing is ever widened.
        let rule = if switch == Value::Bool(true) { Rule::Allow } else { Rule::Deny };
        rules.push((tool, rule));
    }
}

/// `permission: deny`, `{edit: deny, bash: {"git *": allow}}`, or a list of `{action, resource, effect}`.
fn read_permission(permission: Value, mapping: &mut Mapping, rules: &mut Vec<(String, Rule)>) {
    match permission {
        Value::Object(tools) => {
            for (tool, rule) in tools {
                let rule = strictest(&tool, &rule, mapping);
                rules.push((tool, rule));
            }
        }
        Value::Array(list) => {
            for entry in list {
                read_entry(&entry, mapping, rules);
            }
        }
        word => rules.push(("*".to_owned(), rule_of(&word))),
    }
}

fn read_entry(entry: &Value, mapping: &mut Mapping, rules: &mut Vec<(String, Rule)>) {
    let tool = entry["action"].as_str().unwrap_or("*").to_owned();
    let rule = rule_of(&entry["effect"]);
    let resource = entry["resource"].as_str().unwrap_or("*");
    if resource != "*" && rule != Rule::Deny {
        mapping.lost(format!("`{tool}` is allowed for `{resource}` only: that can't be said here"));
        return;
    }
    if resource != "*" {
        mapping.changed(format!("`{tool}` is denied for `{resource}`: here it is denied as a whole"));
    }
    rules.push((tool, rule));
}

/// One word, or one for each pattern: any denial counts for the whole tool.
fn strictest(tool: &str, rule: &Value, mapping: &mut Mapping) -> Rule {
    let Value::Object(patterns) = rule else { return rule_of(rule) };
    let rules: Vec<Rule> = patterns.values().map(rule_of).collect();
    if rules.contains(&Rule::Deny) {
        if patterns.len() > 1 {
            mapping.changed(format!("`{tool}` is denied for some patterns: here it is denied as a whole"));
        }
        Rule::Deny
    } else if !patterns.contains_key("*") {
        Rule::Partly
    } else if rules.contains(&Rule::Ask) {
        Rule::Ask
    } else {
        Rule::Allow
    }
}

/// A word that is unknown denies.
fn rule_of(value: &Value) -> Rule {
    match value.as_str() {
        Some("allow") => Rule::Allow,
        Some("ask") => Rule::Ask,
        _ => Rule::Deny,
    }
}

/// Claude Code's names of the tools under this rule, each once.
fn names(rules: &[(String, Rule)], wanted: Rule, mapping: &mut Mapping) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (tool, _) in rules.iter().filter(|(_, rule)| *rule == wanted) {
        let mut found = counterparts(tool);
        if wanted != Rule::Deny {
            // To allow `edit` there allows no more than `Edit` here.
            found.truncate(1);
        }
        if found.is_empty() {
            mapping.unresolved(tool);
        }
        for name in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// A tool's names here; `server_*` is all of an MCP server's.
fn counterparts(tool: &str) -> Vec<String> {
    if let Some((_, names)) = TOOLS.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(tool)) {
        return names.iter().map(|name| (*name).to_owned()).collect();
    }
    let server = tool.strip_suffix("_*").or_else(|| tool.strip_suffix('*'));
    server.filter(|server| !server.is_empty()).map(|server| format!("mcp__{server}")).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(source: Value, expect: &Value, told: &[&str]) {
        let Value::Object(source) = source else { panic!("{source}") };
        let (map, notes) = map(source);
        assert_eq!(Value::Object(map), *expect);
        for part in told {
            assert!(notes.iter().any(|note| note.text.contains(part)), "{part}: {notes:?}");
        }
        assert_eq!(notes.is_empty(), told.is_empty(), "{notes:?}");
    }

    #[test]
    fn denials_become_disallowed_tools_and_what_is_on_stays_on() {
        check(
            json!({"description": "d", "mode": "subagent", "prompt": "p", "tools": {"read": true, "write": false, "bash": false}}),
            &json!({"description": "d", "prompt": "p", "disallowedTools": "Write, Bash"}),
            &["disallowedTools: Write, Bash"],
        );
        check(
            json!({"permission": {"edit": "deny", "webfetch": "ask"}}),
            &json!({"disallowedTools": "Edit, Write, NotebookEdit"}),
            &["webfetch: ask"],
        );
    }

    #[test]
    fn a_denial_of_all_leaves_a_list_which_may_be_empty() {
        check(json!({"tools": {"*": false, "read": true}}), &json!({"tools": "Read"}), &["`tools`"]);
        check(
            json!({"permission": {"*": "deny", "edit": "allow", "bash": {"git *": "allow"}}}),
            &json!({"tools": "Edit"}),
            &["`tools`", "`bash` has rules"],
        );
        check(json!({"permission": "deny"}), &json!({"tools": []}), &["`tools`"]);
    }

    #[test]
    fn what_cannot_be_said_exactly_becomes_the_stricter_rule() {
        check(
            json!({"permission": {"bash": {"*": "deny", "git log*": "allow"}}}),
            &json!({"disallowedTools": "Bash"}),
            &["as a whole"],
        );
        check(
            json!({"tools": {"linear_*": false}}),
            &json!({"disallowedTools": "mcp__linear"}),
            &["mcp__linear"],
        );
        check(json!({"tools": {"write": "maybe"}}), &json!({"disallowedTools": "Write"}), &["Write"]);
        check(json!({"tools": {"changed-files": false}}), &json!({}), &["changed-files"]);
        check(
            json!({"permissions": [{"action": "edit", "resource": "*", "effect": "deny"}]}),
            &json!({"disallowedTools": "Edit, Write, NotebookEdit"}),
            &["Edit"],
        );
    }

    #[test]
    fn models_limits_and_switches_have_counterparts_and_the_rest_is_told() {
        check(
            json!({"model": "anthropic/claude-x#high", "steps": 5, "disable": true, "temperature": 0.1, "color": "#ff0000"}),
            &json!({"effort": "high", "model": "claude-x", "maxTurns": 5, "subagents": {"visibility": "off"}}),
            &["becomes `claude-x`", "maxTurns", "temperature", "color", "visibility: off"],
        );
        check(
            json!({"model": "openai/gpt-5", "hidden": true, "mode": "primary"}),
            &json!({"model": "openai/gpt-5", "subagents": {"visibility": "hidden"}}),
            &["primary", "hidden"],
        );
    }
}
