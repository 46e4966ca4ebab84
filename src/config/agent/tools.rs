//! Lists of tools: every way to write them, and the names that other programs use for Claude Code's.

use serde_json::Value;

/// What a list comes to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::config) struct Listed {
    /// In Claude Code's names, each once.
    pub(in crate::config) tools: Vec<String>,
    /// What names no tool.
    pub(in crate::config) unknown: Vec<String>,
    /// The list is `*` and nothing else.
    pub(in crate::config) all: bool,
}

/// Other programs' names, and Claude Code's.
const NAMES: [(&str, &str); 6] = [
    ("FileRead", "Read"),
    ("FileWrite", "Write"),
    ("FileEdit", "Edit"),
    ("Search", "Grep"),
    ("FileSearch", "Glob"),
    ("Shell", "Bash"),
];

/// The tools that Claude Code 2.1 has by itself, older names among them.
const BUILT_IN: [&str; 46] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillBash",
    "KillShell",
    "LS",
    "LSP",
    "ListMcpResourcesTool",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "Read",
    "ReadMcpResourceTool",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TeamCreate",
    "TeamDelete",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];

/// Whether Claude Code has this tool by itself, or an MCP server may have it. Takes Claude Code's names, with or
/// without a rule in parentheses.
pub fn resolves(tool: &str) -> bool {
    is_mcp(tool) || BUILT_IN.contains(&bare(tool))
}

/// The tool of Claude Code's own whose name, here or in another program, this is but for the case of letters.
pub fn spelled_right(tool: &str) -> Option<String> {
    let is_meant = |known: &str| known.eq_ignore_ascii_case(bare(tool));
    let elsewhere = || NAMES.into_iter().find(|(theirs, _)| is_meant(theirs)).map(|(_, ours)| ours);
    let name = BUILT_IN.into_iter().find(|known| is_meant(known)).or_else(elsewhere)?;
    Some(tool.replacen(bare(tool), name, 1))
}

fn bare(tool: &str) -> &str {
    tool.split('(').next().unwrap_or(tool)
}

/// Reads a comma string or a list of strings; `None` for anything else.
pub(in crate::config) fn read(value: &Value) -> Option<Listed> {
    let entries = entries(value)?;
    if entries == ["*"] {
        return Some(Listed { all: true, ..Listed::default() });
    }
    let mut listed = Listed::default();
    for entry in entries {
        match tool(&entry) {
            Some(tool) if listed.tools.contains(&tool) => {}
            Some(tool) => listed.tools.push(tool),
            None => listed.unknown.push(entry),
        }
    }
    Some(listed)
}

/// The names of any list, as written.
pub fn entries(value: &Value) -> Option<Vec<String>> {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // Joined and split again, because YAML splits a flow list inside parentheses too.
        Value::Array(items) => items.iter().map(entry_text).collect::<Vec<_>>().join(", "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    Some(split(&text))
}

/// What is no string stays visible as JSON, and so is unknown.
fn entry_text(item: &Value) -> String {
    item.as_str().map_or_else(|| item.to_string(), str::to_owned)
}

/// At commas and line breaks outside parentheses.
fn split(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let pieces = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, ',' | '\n')
    });
    pieces.map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

/// The entry in Claude Code's words, if it can be a tool at all.
fn tool(entry: &str) -> Option<String> {
    if let Some(rest) = entry.strip_prefix("mcp:") {
        let (server, tool) = rest.split_once('/').map_or((rest, None), |(server, tool)| (server, Some(tool)));
        let name = tool.map_or_else(|| format!("mcp__{server}"), |tool| format!("mcp__{server}__{tool}"));
        return Some(name).filter(|name| !server.is_empty() && tool != Some("") && is_mcp(name));
    }
    if is_mcp(entry) {
        return Some(entry.to_owned());
    }
    let (name, rule) = entry.split_at(entry.find('(').unwrap_or(entry.len()));
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(plain);
    let is_rule = rule.is_empty() || rule.ends_with(')');
    let name = NAMES.iter().find(|(theirs, _)| *theirs == name).map_or(name, |(_, ours)| ours);
    (is_name && is_rule).then(|| format!("{name}{rule}"))
}

fn is_mcp(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '*');
    name.strip_prefix("mcp__").is_some_and(|rest| !rest.is_empty() && rest.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(value: &Value, tools: &[&str], unknown: &[&str]) {
        let listed = read(value).unwrap();
        assert_eq!((&*listed.tools, &*listed.unknown), (&*owned(tools), &*owned(unknown)), "{value}");
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn f09_every_way_to_write_a_list_gives_the_same_tools() {
        let expect = ["Read", "Bash(git log:*, x)", "mcp__a__b"];
        check(&json!("Read, Bash(git log:*, x), mcp__a__b"), &expect, &[]);
        check(&json!(["Read", "Bash(git log:*, x)", "mcp__a__b"]), &expect, &[]);
        check(&json!("Read\nBash(git log:*, x)\nmcp__a__b"), &expect, &[]);
        // What YAML makes of the flow list `[Read, Bash(git log:*, x), mcp__a__b]`.
        check(&json!(["Read", "Bash(git log:*", "x)", "mcp__a__b"]), &expect, &[]);
    }

    #[test]
    fn l5_the_names_of_other_programs_become_claude_codes() {
        for (theirs, ours) in [
            ("FileRead", "Read"),
            ("FileWrite", "Write"),
            ("FileEdit", "Edit"),
            ("Search", "Grep"),
            ("FileSearch", "Glob"),
            ("Shell", "Bash"),
            ("Shell(git log:*)", "Bash(git log:*)"),
            ("WebFetch", "WebFetch"),
            ("WebSearch", "WebSearch"),
            ("mcp:linear", "mcp__linear"),
            ("mcp:linear/list-issues", "mcp__linear__list-issues"),
            ("mcp__x__*", "mcp__x__*"),
            ("NotebookEdit", "NotebookEdit"),
        ] {
            check(&json!(theirs), &[ours], &[]);
        }
    }

    #[test]
    fn l5_what_can_be_no_tool_is_told_apart() {
        check(&json!("Read, Read, FileRead"), &["Read"], &[]);
        check(&json!("Read Grep"), &[], &["Read Grep"]);
        check(
            &json!(["Read", 3, "mcp:", "mcp:a/", "*", "Bash(x"]),
            &["Read"],
            &["3", "mcp:", "mcp:a/", "*", "Bash(x"],
        );
        assert_eq!(read(&json!({"Read": true})), None);
        assert_eq!(read(&json!(true)), None);
    }

    #[test]
    fn a_name_that_could_be_a_tool_is_told_from_one_that_claude_code_has() {
        for tool in ["Read", "Bash(git log:*)", "mcp__x__y", "Task"] {
            assert!(resolves(tool), "{tool}");
        }
        for (tool, meant) in
            [("read", Some("Read")), ("bash(ls)", Some("Bash(ls)")), ("shell", Some("Bash")), ("Raed", None)]
        {
            assert_eq!((resolves(tool), spelled_right(tool).as_deref()), (false, meant), "{tool}");
        }
    }

    #[test]
    fn l4_a_blank_list_is_empty_and_a_star_alone_is_all() {
        for value in [json!(null), json!(""), json!([]), json!(" , ")] {
            assert_eq!(read(&value), Some(Listed::default()), "{value}");
        }
        for value in [json!("*"), json!(["*"])] {
            assert!(read(&value).unwrap().all);
        }
    }
}
