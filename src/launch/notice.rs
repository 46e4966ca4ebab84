//! Tells the person that a session begins to wait, once for each wait.
//!
//! The text names the session, the agent and the tool, never what the tool would do: it goes to terminals and desktops,
//! where others may look.

use super::hidden::is_hidden;
use super::state::Dialog;

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
