//! A sub-agent's definition: a Markdown file in Claude Code's own format.
//!
//! Reading is forgiving about form and never about power: what can't be understood may cost an agent, and
//! never gives it a tool, a visibility or a route that its file didn't.

mod blank;
mod block;
mod change;
mod fields;
mod folder;
mod front_matter;
mod heading;
mod keys;
mod lenient;
mod markdown;
mod name;
mod parse;
mod patch;
mod replace;
mod samples;
mod shelf;
#[cfg(test)]
mod tests;
pub(super) mod tools;
mod value;
mod weight;
mod yaml;

use std::fmt;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::route::RouteId;

pub use blank::Blank;
pub use change::{ChangeError, check_free, create, profiles_naming, remove, rename, set_value};
pub(super) use folder::{check_route, load_dir};
pub use front_matter::line_of;
pub use heading::{Heading, heading};
pub(super) use keys::meant_by;
pub use markdown::write_markdown;
pub(super) use markdown::{compose, tools_value};
pub use name::{NameError, check_name};
pub(super) use parse::{is_no_yaml, is_none};
pub use parse::{parse, sections};
pub use patch::{FieldError, set_field};
pub use replace::{create_whole, replace};
pub use samples::{sample_text, samples};
pub use shelf::{NoSuchAgent, ShelfFile, find, named, shelf};
pub use tools::{entries, resolves, spelled_right};
pub use value::{ValueError, check_key, value_of};
pub use weight::{DESCRIPTIONS_LIMIT, description_tokens};

/// One agent file, understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    pub name: String,
    pub description: String,
    /// The file's body: the agent's system prompt.
    pub prompt: String,
    /// `None`: no `tools` key, which means all tools. An empty list means none.
    pub tools: Option<Vec<String>>,
    pub model: Model,
    /// `subagents.visibility`
    pub visibility: Visibility,
    /// `subagents.read_only`
    pub read_only: bool,
    /// Every other key that Claude Code knows (`effort`, `maxTurns`, `disallowedTools`, …), as JSON, in the
    /// file's order. Unknown keys are kept in `unknown`.
    pub fields: Map<String, Value>,
    /// Keys that Claude Code doesn't know; kept, never sent.
    pub unknown: Map<String, Value>,
    pub file: PathBuf,
}

/// What an agent runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Model {
    /// No `model`, or `inherit`: the caller's model.
    Inherit,
    /// An alias (`sonnet`, `opus`, `haiku`, `fable`) or a Claude model's id, as written.
    Claude(String),
    /// One of the user's routes.
    Route(RouteId),
}

impl Model {
    /// The route, where there is one.
    pub fn route(&self) -> Option<&RouteId> {
        match self {
            Self::Route(route) => Some(route),
            Self::Inherit | Self::Claude(_) => None,
        }
    }
}

/// As an agent file says it.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inherit => f.write_str("inherit"),
            Self::Claude(id) => f.write_str(id),
            Self::Route(route) => route.fmt(f),
        }
    }
}

/// Who may call the agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// The main model sees it.
    #[default]
    Model,
    /// Callable by name only.
    Hidden,
    /// For nobody.
    Off,
}
