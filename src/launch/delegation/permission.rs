//! Whether a call of our tools needs the person's leave: as the tools that it hands on would. Pure.

use serde_json::{Map, Value};

use super::grant::PermissionMode;
use super::request::Request;
use super::tools::{SERVER, reads};

/// What a call is answered before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It changes nothing, or nothing that the person hasn't allowed already.
    Allow,
    /// Why the person is asked.
    Ask(String),
    /// Why it isn't made.
    Deny(String),
    /// Claude Code decides by itself.
    Nothing,
}

/// Tools that a session which accepts edits doesn't ask for.
const EDITING: [&str; 3] = ["Edit", "Write", "NotebookEdit"];

/// The name of a tool of ours, from Claude Code's name for it.
pub fn own_name(tool: &str) -> Option<&str> {
    tool.strip_prefix("mcp__")?.strip_prefix(SERVER)?.strip_prefix("__")
}

/// Judges a call of the tool with this name of ours.
pub fn verdict(name: &str, input: &Value, mode: PermissionMode) -> Verdict {
    if !matches!(name, "delegate_subagent" | "route_subagent") {
        return Verdict::Allow;
    }
    // Only this makes a child write; whatever else is wrong, the tool itself says, and starts nothing.
    if input["read_only"] != Value::Bool(false) {
        return Verdict::Allow;
    }
    let tools =
        Request::read(input.as_object().unwrap_or(&Map::new())).ok().and_then(|request| request.tools);
    match mode {
        PermissionMode::BypassPermissions => Verdict::Allow,
        PermissionMode::Plan => {
            Verdict::Deny("in plan mode nothing is changed: delegate without `read_only: false`".to_owned())
        }
        PermissionMode::DontAsk => Verdict::Nothing,
        PermissionMode::AcceptEdits
            if tools.as_ref().is_some_and(|tools| tools.iter().all(|tool| edits(tool))) =>
        {
            Verdict::Allow
        }
        PermissionMode::Default | PermissionMode::AcceptEdits | PermissionMode::Auto => {
            Verdict::Ask(reason(input, tools.as_deref()))
        }
    }
}

fn edits(tool: &str) -> bool {
    EDITING.contains(&tool) || reads(tool)
}

fn reason(input: &Value, tools: Option<&[String]>) -> String {
    let agent = input["agent"].as_str().unwrap_or("a worker").escape_debug().to_string();
    let tools =
        tools.map_or("all of its tools".to_owned(), |tools| tools.join(", ").escape_debug().to_string());
    format!("{agent} works by itself and may change things, without asking again, by {tools}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_changes_nothing_asks_nobody() {
        for mode in [PermissionMode::Plan, PermissionMode::DontAsk, PermissionMode::Default] {
            assert_eq!(verdict("list_subagents", &json!({}), mode), Verdict::Allow);
            assert_eq!(verdict("delegate_subagent", &json!({"prompt": "p"}), mode), Verdict::Allow);
            let tools = json!({"prompt": "p", "tools": ["Bash"], "read_only": true});
            assert_eq!(verdict("delegate_subagent", &tools, mode), Verdict::Allow, "read_only beats tools");
        }
    }

    #[test]
    fn what_may_write_asks_as_its_tools_would() {
        let call =
            |tools: Value| json!({"prompt": "p", "agent": "fixer", "tools": tools, "read_only": false});
        let check = |tools: Value, mode| verdict("route_subagent", &call(tools), mode);
        let edits = || json!(["Read", "Edit"]);
        assert_eq!(check(edits(), PermissionMode::AcceptEdits), Verdict::Allow);
        assert_eq!(check(edits(), PermissionMode::BypassPermissions), Verdict::Allow);
        assert_eq!(check(edits(), PermissionMode::DontAsk), Verdict::Nothing);
        assert!(matches!(check(edits(), PermissionMode::Plan), Verdict::Deny(_)));
        let Verdict::Ask(reason) = check(json!(["Bash"]), PermissionMode::AcceptEdits) else { panic!() };
        assert!(reason.contains("fixer") && reason.contains("Bash"), "{reason}");
        assert!(matches!(check(edits(), PermissionMode::Default), Verdict::Ask(_)));
        assert!(matches!(check(json!(null), PermissionMode::AcceptEdits), Verdict::Ask(_)));
    }

    #[test]
    fn a_tool_is_ours_by_its_servers_name() {
        assert_eq!(own_name("mcp__subagents__list_subagents"), Some("list_subagents"));
        for other in ["mcp__subagentsx__y", "mcp__other__list", "Agent"] {
            assert_eq!(own_name(other), None, "{other}");
        }
    }
}
