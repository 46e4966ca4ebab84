//! Agents that come from elsewhere, and ours that go there.
//!
//! [`find`] reads definitions, [`definitions`] brings each into Claude Code's own format, [`settle`] applies what the
//! person wishes and checks, [`plan`] says what an import would do, [`import`] does it. [`export_files`] and
//! [`export_json`] are the way back. [`inspect`] only looks at a file. What reads the disk is `find` and `apply` only.
//! Nothing here ever widens what an agent may do, renames or overwrites in silence, or forgets to say what was lost.

mod apply;
mod chatcli;
mod definition;
mod export;
mod find;
mod granite;
mod inspect;
mod json;
mod mapping;
mod opencode;
mod plan;
mod power;
mod prompt_file;
mod readable;
mod settle;
#[cfg(test)]
mod tests;

pub use apply::{Delivery, Effect, deliver, hand_over, import, prepare};
pub use definition::{Definition, NoDefinition, definitions};
pub use export::{ExportedFile, Stand, export_files, export_json};
pub use find::{Content, FindError, Source, find, from_text};
pub use inspect::inspect;
pub(super) use plan::file_stem;
pub use plan::{Choice, Existing, Planned, Step, plan};
pub use settle::{Candidate, Form, Wishes, settle};

/// The program whose format a definition was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// An agent file of Claude Code's.
    ClaudeCode,
    /// The JSON of Claude Code's `--agents`.
    AgentsJson,
    #[serde(rename = "opencode")]
    OpenCode,
    #[serde(rename = "chatcli")]
    ChatCli,
    Granite,
}

impl Format {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::AgentsJson => "--agents JSON",
            Self::OpenCode => "opencode",
            Self::ChatCli => "ChatCLI",
            Self::Granite => "granite",
        }
    }
}

/// One thing to know about a definition that changes hands.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Note {
    pub kind: NoteKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// Says the same in other words, or was mended.
    Changed,
    /// What the agent runs on becomes something else.
    Model,
    /// A tool that Claude Code doesn't have.
    UnresolvedTool,
    /// Has no counterpart.
    Lost,
    /// Runs something, or lets the agent do more than its tools say.
    Power,
}

impl Note {
    fn new(kind: NoteKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

impl NoteKind {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Model => "model",
            Self::UnresolvedTool => "no such tool",
            Self::Lost => "lost",
            Self::Power => "look at this",
        }
    }
}
