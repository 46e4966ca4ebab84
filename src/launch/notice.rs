//! Tells the person that a session begins to wait, once for each wait.
//!
//! The text names the session, the agent and the tool, never what the tool would do: it goes to terminals and desktops,
//! where others may look.

mod command;

use super::hidden::is_hidden;
use super::state::Dialog;

pub use command::{NoticeCommand, NoticeError};

/// Characters of each name.
const NAME: usize = 60;

/// A wait that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// How people know the session.
    pub session: String,
    /// The agent that asks, by name; `None`: the main session.
    pub agent: Option<String>,
    /// `None`: it isn't known what is asked.
    pub tool: Option<String>,
}

impl Notice {
    pub fn new(session: &str, dialog: Option<&Dialog>) -> Self {
        Self {
            session: plain(session),
            agent: dialog.and_then(|dialog| dialog.agent.as_deref()).map(plain),
            tool: dialog.map(|dialog| plain(&dialog.tool)),
        }
    }

    /// One line, without anything that a terminal would take for a command.
    pub fn text(&self) -> String {
        let Self { session, agent, tool } = self;
        match (agent, tool) {
            (Some(agent), Some(tool)) => {
                format!("{session}: agent {agent} waits for you to decide about {tool}")
            }
            (None, Some(tool)) => format!("{session} waits for you to decide about {tool}"),
            (_, None) => format!("{session} waits for you"),
        }
    }
}

/// Somebody else wrote it.
fn plain(text: &str) -> String {
    text.chars().take(NAME).map(|c| if is_hidden(c) { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_names_who_waits_and_holds_nothing_that_a_terminal_obeys() {
        let notice = |agent: Option<&str>, tool: Option<&str>| Notice {
            session: plain("blue\u{7}\u{9b}31m\u{202e}"),
            agent: agent.map(plain),
            tool: tool.map(plain),
        };
        for (notice, want) in [
            (notice(None, None), "blue??31m? waits for you"),
            (notice(None, Some("Bash")), "blue??31m? waits for you to decide about Bash"),
            (
                notice(Some("r\u{1b}]0;x"), Some("Bash")),
                "blue??31m?: agent r?]0;x waits for you to decide about Bash",
            ),
        ] {
            assert_eq!(notice.text(), want);
        }
        assert_eq!(plain(&"x".repeat(5000)).len(), NAME);
    }
}
