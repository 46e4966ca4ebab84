//! Agents that Claude Code finds by itself: the organisation's, the project's, the user's, those of plugins.
//!
//! As Claude Code 2.1.332 was seen to do it. Reads, within bounds; what can't be understood is Claude Code's own to
//! tell.

mod files;
mod plugins;
mod project;

use std::path::{Path, PathBuf};

pub use self::project::project_folders;

use self::files::{Links, markdown, read};
use super::settings::{Places, Settings};
use crate::config::agent::{Heading, heading};

/// An agent of another scope than ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherAgent {
    /// What it is called by: a plugin's name stands before its agents', `plugin:agent`.
    pub name: String,
    /// As its file says it; `inherit` where it says nothing.
    pub model: String,
    pub description: String,
    /// As its file says it; `None`: all.
    pub tools: Option<Vec<String>>,
    pub file: PathBuf,
    pub scope: Scope,
}

/// The strongest first; ours stand below the first and above the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Managed,
    Project,
    User,
    /// Beside all others, because of their longer names.
    Plugin,
}

impl Scope {
    pub fn place(self) -> &'static str {
        match self {
            Self::Managed => "your organisation's managed settings",
            Self::Project => "the project's .claude/agents",
            Self::User => "your ~/.claude/agents",
            Self::Plugin => "a plugin",
        }
    }
}

impl OtherAgent {
    /// The name without a plugin's.
    pub fn own_name(&self) -> &str {
        match self.scope {
            Scope::Plugin => self.name.rsplit(':').next().unwrap_or(&self.name),
            Scope::Managed | Scope::Project | Scope::User => &self.name,
        }
    }
}

/// All of them for a launch in `places.project`: of two with one name the first counts.
pub fn others(places: &Places, settings: &Settings) -> Vec<OtherAgent> {
    let mut found = folder(Scope::Managed, &places.managed.join(".claude/agents"));
    found.extend(project_folders(places).iter().flat_map(|place| folder(Scope::Project, place)));
    found.extend(folder(Scope::User, &places.user.join("agents")));
    found.extend(plugins::agents(places, settings));
    found
}

/// Of two files in one folder the one whose path is the greater counts.
fn folder(scope: Scope, place: &Path) -> Vec<OtherAgent> {
    let files = markdown(place, Links::Followed);
    files.into_iter().rev().filter_map(|file| agent(scope, file)).collect()
}

fn agent(scope: Scope, file: PathBuf) -> Option<OtherAgent> {
    let Heading { name, description, model, tools } = heading(&read(&file)?)?;
    let name = name.filter(|name| !name.starts_with('-') && !name.contains(':'))?;
    Some(OtherAgent { name, model, description: description?, tools, file, scope })
}

#[cfg(test)]
mod tests;
