//! The command line of a child, and what it is told beside its task. Pure.

use std::path::Path;

use super::grant::PermissionMode;
use super::tools::Toolbox;

/// Who does a task for which no agent is named.
pub const WORKER: &str = "worker";

/// What a plain worker is told of itself.
pub const WORKER_PROMPT: &str = "You are given one task and nothing else: you see nothing of the conversation that it \
    comes from. Do it with the tools that you have. Your last message is the only thing that comes back, so let it hold \
    all that was asked for, in as few words as that takes, and in the form that was asked for.";

/// Tools that a person who lets a task write lets it use unasked, where no list says which.
const WRITING: [&str; 5] = ["Edit", "Write", "NotebookEdit", "Bash", "WebFetch"];

/// One run of Claude Code.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    pub agent: &'a str,
    /// Claude Code's name of the conversation.
    pub conversation: &'a str,
    /// It goes on with an earlier one.
    pub resumes: bool,
    pub toolbox: &'a Toolbox,
    pub writes: bool,
    pub permission: PermissionMode,
    pub turns: u64,
    pub effort: Option<&'a str>,
    /// A model's name on the default upstream.
    pub model: Option<&'a str>,
    /// Shared with whoever asked.
    pub scratch: &'a Path,
    pub schema: Option<&'a str>,
}

impl Words<'_> {
    /// In an order in which no option that takes many values stands last.
    pub fn list(&self) -> Vec<String> {
        let mut words: Vec<String> =
            ["-p", "--output-format", "stream-json", "--verbose"].map(str::to_owned).to_vec();
        words.extend(["--add-dir".to_owned(), self.scratch.display().to_string()]);
        if self.is_strict() {
            words.push("--strict-mcp-config".to_owned());
        }
        let allowed = self.allowed();
        if !allowed.is_empty() {
            words.push("--allowedTools".to_owned());
            words.extend(allowed);
        }
        let mut option = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
        option(if self.resumes { "--resume" } else { "--session-id" }, self.conversation);
        option("--agent", self.agent);
        option("--permission-mode", self.mode());
        option("--append-system-prompt", &self.note());
        self.effort.into_iter().for_each(|effort| option("--effort", effort));
        self.model.into_iter().for_each(|model| option("--model", model));
        self.schema.into_iter().for_each(|schema| option("--json-schema", schema));
        option("--max-turns", &self.turns.to_string());
        words
    }

    /// The person's own MCP servers aren't started for a child that has no tool of theirs.
    fn is_strict(&self) -> bool {
        let is_theirs = |tool: &String| tool.starts_with("mcp__") && !tool.starts_with("mcp__subagents__");
        self.toolbox.tools.as_ref().is_some_and(|tools| !tools.iter().any(is_theirs))
    }

    fn allowed(&self) -> Vec<String> {
        match &self.toolbox.tools {
            Some(tools) => tools.clone(),
            None if self.writes => WRITING.map(str::to_owned).to_vec(),
            None => Vec::new(),
        }
    }

    /// Nothing that only reads needs a looser one.
    fn mode(&self) -> &'static str {
        if self.writes {
            self.permission.of_child()
        } else {
            self.permission.min(PermissionMode::DontAsk).of_child()
        }
    }

    fn note(&self) -> String {
        format!(
            "You work by yourself: nobody can answer a question. A folder that you share with whoever gave you the \
             task, for anything large: {}",
            self.scratch.display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Arguments;

    fn words(toolbox: &Toolbox) -> Words<'_> {
        Words {
            agent: "reviewer",
            conversation: "c1",
            resumes: false,
            toolbox,
            writes: false,
            permission: PermissionMode::BypassPermissions,
            turns: 15,
            effort: Some("high"),
            model: None,
            scratch: Path::new("/run/scratch"),
            schema: None,
        }
    }

    #[test]
    fn a_child_that_reads_is_asked_nothing_and_may_nothing_else() {
        let toolbox = Toolbox { tools: Some(vec!["Read".into(), "Grep".into()]), ..Toolbox::default() };
        let list = words(&toolbox).list();
        let line = list.join(" ");
        assert!(line.contains("--strict-mcp-config --allowedTools Read Grep --session-id c1"), "{line}");
        assert!(line.contains("--permission-mode dontAsk") && line.ends_with("--effort high --max-turns 15"));
        let read = Arguments::parse(&list);
        assert!(read.headless() && read.names_session() && read.opens_session());
        assert_eq!((read.last("agent"), read.last("max-turns")), (Some("reviewer"), Some("15")));
    }

    #[test]
    fn a_child_that_writes_has_its_callers_mode() {
        let all = Toolbox::default();
        let line = Words { writes: true, ..words(&all) }.list().join(" ");
        assert!(line.contains("--permission-mode bypassPermissions") && !line.contains("--strict"), "{line}");
        let line =
            Words { writes: true, permission: PermissionMode::Default, ..words(&all) }.list().join(" ");
        assert!(
            line.contains("--permission-mode dontAsk") && line.contains("--allowedTools Edit Write"),
            "{line}"
        );
    }

    #[test]
    fn d7_a_continuation_goes_on_with_the_same_conversation() {
        let toolbox = Toolbox::default();
        let line = Words { resumes: true, ..words(&toolbox) }.list().join(" ");
        assert!(line.contains("--resume c1") && !line.contains("--session-id"), "{line}");
    }
}
