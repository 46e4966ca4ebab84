//! Which tools a child gets (D5, D6, D7). Pure.
//!
//! Claude Code names of tools, other programs' names for them, and this project's own tools for git: `git diff
//! --output`, `git branch NAME` and pagers write, so a child that only reads gets no git by a shell.

use super::refusal::Refusal;
use crate::config::agent::{resolves, spelled_right};

/// What our MCP server is called, where Claude Code knows it.
pub const SERVER: &str = "subagents";

/// Tools for git that only look.
pub const GIT: [&str; 5] = [
    "mcp__subagents__git_status",
    "mcp__subagents__git_diff",
    "mcp__subagents__git_log",
    "mcp__subagents__git_changed",
    "mcp__subagents__git_branch",
];

/// Claude Code's tools that change nothing here.
const READING: [&str; 12] = [
    "Read",
    "Grep",
    "Glob",
    "LS",
    "LSP",
    "NotebookRead",
    "WebFetch",
    "WebSearch",
    "ToolSearch",
    "TodoRead",
    "TodoWrite",
    "StructuredOutput",
];

/// What a child may use when nothing is said.
const DEFAULT: [&str; 4] = ["Read", "Grep", "Glob", "LS"];

/// Names that `ChatCLI` has for such tools.
const NAMES: [(&str, &str); 13] = [
    ("read", "Read"),
    ("search", "Grep"),
    ("tree", "Glob"),
    ("write", "Write"),
    ("patch", "Edit"),
    ("multipatch", "Edit"),
    ("exec", "Bash"),
    ("test", "Bash"),
    ("git-status", GIT[0]),
    ("git-diff", GIT[1]),
    ("git-log", GIT[2]),
    ("git-changed", GIT[3]),
    ("git-branch", GIT[4]),
];

/// The tools of one child.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Toolbox {
    /// `None`: all that Claude Code has. Only a task that may write has that.
    pub tools: Option<Vec<String>>,
    /// Tools that were named and that write, where nothing may be written.
    pub blocked: Vec<String>,
    /// Names that no tool has.
    pub unknown: Vec<String>,
}

/// What is asked of whom: each `None` is "nothing is said".
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub named: Option<&'a [String]>,
    /// The agent's own list.
    pub agents: Option<&'a [String]>,
    /// The caller's, if it is a child itself.
    pub callers: Option<&'a [String]>,
    pub writes: bool,
    /// No agent is named.
    pub plain: bool,
}

/// # Errors
/// A plain worker that may write must be told by which tools; and a list of which nothing is left is no list of all.
pub fn toolbox(wanted: &Wanted<'_>) -> Result<Toolbox, Refusal> {
    if wanted.plain && wanted.writes && wanted.named.is_none_or(<[String]>::is_empty) {
        return Err(Refusal::Tools(
            "a plain worker that may write needs its `tools` listed (for example [\"Read\", \"Edit\", \"Bash\"])".to_owned(),
        ));
    }
    let (named, unknown) = wanted.named.map_or((None, Vec::new()), |named| {
        let (known, unknown) = resolved(named);
        (Some(known), unknown)
    });
    if let (Some([]), false) = (named.as_deref(), unknown.is_empty()) {
        return Err(Refusal::Tools(format!("none of `tools` is known: {}", unknown.join(", "))));
    }
    let mut tools = named.or_else(|| wanted.agents.map(<[String]>::to_vec));
    for limit in [wanted.agents, wanted.callers].into_iter().flatten() {
        tools = Some(within(tools, limit));
    }
    if wanted.writes {
        return Ok(Toolbox { tools, blocked: Vec::new(), unknown });
    }
    let tools = tools.unwrap_or_else(|| DEFAULT.into_iter().chain(GIT).map(str::to_owned).collect());
    let (tools, blocked) = tools.into_iter().partition(|tool| reads(tool));
    Ok(Toolbox { tools: Some(tools), blocked, unknown })
}

/// Whether a tool changes nothing. Of other MCP servers' tools nobody knows.
pub fn reads(tool: &str) -> bool {
    let ours = tool.strip_prefix("mcp__subagents__");
    READING.contains(&tool.split('(').next().unwrap_or(tool))
        || ours.is_some_and(|name| name != "delegate_subagent" && name != "route_subagent")
}

/// In Claude Code's names, each once; and what names no tool.
fn resolved(named: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for name in named {
        match tool(name) {
            Some(tool) if known.contains(&tool) => {}
            Some(tool) => known.push(tool),
            None => unknown.push(name.clone()),
        }
    }
    (known, unknown)
}

fn tool(name: &str) -> Option<String> {
    let ours = NAMES.into_iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| ours.to_owned());
    ours.or_else(|| resolves(name).then(|| name.to_owned())).or_else(|| spelled_right(name))
}

/// Those that the limit has too: a tool, or the same tool with a narrower rule.
fn within(tools: Option<Vec<String>>, limit: &[String]) -> Vec<String> {
    let Some(tools) = tools else { return limit.to_vec() };
    let allowed = |tool: &String| {
        limit.contains(tool)
            || tool.split_once('(').is_some_and(|(bare, _)| limit.iter().any(|known| known == bare))
    };
    tools.into_iter().filter(allowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &str) -> Vec<String> {
        names.split(' ').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    fn check(named: Option<&str>, agents: Option<&str>, callers: Option<&str>, writes: bool) -> Toolbox {
        let [named, agents, callers] = [named, agents, callers].map(|names| names.map(list));
        let plain = agents.is_none();
        let wanted = Wanted {
            named: named.as_deref(),
            agents: agents.as_deref(),
            callers: callers.as_deref(),
            writes,
            plain,
        };
        toolbox(&wanted).unwrap()
    }

    #[test]
    fn d5_nothing_said_is_reading_only() {
        let toolbox = check(None, None, None, false);
        assert_eq!(toolbox.tools.unwrap(), [&["Read", "Grep", "Glob", "LS"][..], &GIT].concat());
        assert_eq!(toolbox.blocked, [""; 0]);
    }

    #[test]
    fn d5_read_only_beats_tools() {
        let toolbox = check(Some("Read write exec Bash(git:*) mcp__x__y"), None, None, false);
        assert_eq!(toolbox.tools.unwrap(), ["Read"]);
        assert_eq!(toolbox.blocked, ["Write", "Bash", "Bash(git:*)", "mcp__x__y"]);
        assert_eq!(check(None, Some("Read Edit Agent"), None, false).blocked, ["Edit", "Agent"]);
        let nested = check(Some("Read mcp__subagents__delegate_subagent"), None, None, false);
        assert_eq!(nested.blocked, ["mcp__subagents__delegate_subagent"]);
    }

    #[test]
    fn d5_other_names_are_understood_and_d6_unknown_ones_are_named() {
        let toolbox = check(Some("read search tree git-log fileread nonsense"), None, None, false);
        assert_eq!(toolbox.tools.unwrap(), ["Read", "Grep", "Glob", "mcp__subagents__git_log"]);
        assert_eq!(toolbox.unknown, ["nonsense"]);
    }

    #[test]
    fn l4_a_list_of_which_nothing_is_left_is_not_all() {
        let wanted = |named: &[&str]| named.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let named = wanted(&["nonsense"]);
        let refused =
            toolbox(&Wanted { named: Some(&named), agents: None, callers: None, writes: true, plain: true });
        assert!(refused.unwrap_err().to_string().contains("nonsense"));
        assert_eq!(check(Some("Write"), None, None, false).tools, Some(vec![]));
        assert_eq!(check(Some("Write"), Some("Read"), None, true).tools, Some(vec![]));
    }

    #[test]
    fn d7_a_plain_worker_that_writes_is_told_by_which_tools() {
        let wanted = Wanted { named: None, agents: None, callers: None, writes: true, plain: true };
        assert!(toolbox(&wanted).unwrap_err().to_string().contains("listed"));
        assert_eq!(
            toolbox(&Wanted { plain: false, ..wanted }).unwrap().tools,
            None,
            "the agent's file gives it all"
        );
    }

    #[test]
    fn nobody_hands_on_a_tool_that_he_lacks() {
        assert_eq!(
            check(Some("Read Bash Edit"), Some("Read Bash"), Some("Read Edit"), true).tools.unwrap(),
            ["Read"]
        );
        assert_eq!(check(None, Some("Read Bash"), Some("Bash Grep"), true).tools.unwrap(), ["Bash"]);
        assert_eq!(check(Some("Bash(ls:*)"), Some("Bash"), None, true).tools.unwrap(), ["Bash(ls:*)"]);
        assert_eq!(check(Some("Bash"), Some("Bash(ls:*)"), None, true).tools, Some(vec![]));
    }
}
