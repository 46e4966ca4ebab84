//! All agents of all scopes, as `agent list --all --json` tells them.

use std::path::PathBuf;

use serde::Deserialize;

use crate::config::agent::description_tokens;
use crate::config::{Problem, Severity};
use crate::ui::app::world::World;

/// What was told.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Roster {
    agents: Vec<Ours>,
    others: Vec<Other>,
}

/// One of ours.
#[derive(Debug, Clone, Deserialize)]
struct Ours {
    name: String,
    description: Option<String>,
    file: PathBuf,
    usable: bool,
    model: Option<String>,
    tools: Option<Vec<String>>,
    visibility: Option<String>,
    read_only: Option<bool>,
    bytes: usize,
    wins: bool,
    problems: Vec<Problem>,
}

/// One that Claude Code finds by itself.
#[derive(Debug, Clone, Deserialize)]
struct Other {
    name: String,
    scope: Scope,
    model: String,
    description: String,
    tools: Option<Vec<String>>,
    file: PathBuf,
    problems: Vec<Problem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Scope {
    Managed,
    Project,
    User,
    Plugin,
}

/// Where an agent comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Ours,
    Managed,
    Project,
    User,
    Plugin,
}

impl Source {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Managed => "managed",
            Self::Project => "project",
            Self::User => "user",
            Self::Plugin => "plugin",
        }
    }
}

impl From<Scope> for Source {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Managed => Self::Managed,
            Scope::Project => Self::Project,
            Scope::User => Self::User,
            Scope::Plugin => Self::Plugin,
        }
    }
}

/// One agent, whoever's it is.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) description: String,
    /// `None`: its file is broken.
    pub(super) model: Option<String>,
    /// `None`: all, or a file that is broken.
    pub(super) tools: Option<Vec<String>>,
    pub(super) seen: Seen,
    pub(super) power: Power,
    pub(super) file: PathBuf,
    /// Its part of `--agents`; 0: it isn't handed over by us.
    pub(super) bytes: usize,
    /// Whether the main model is told of it.
    pub(super) counts: bool,
    pub(super) problems: Vec<Problem>,
}

/// Who may call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Model,
    Hidden,
    Off,
    /// Its file is broken, so that nobody can.
    Nobody,
    /// Another agent of its name takes its place.
    Overridden,
}

impl Seen {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Hidden => "hidden",
            Self::Off => "off",
            Self::Nobody => "not used",
            Self::Overridden => "covered",
        }
    }

    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Model => "the main model sees it and may call it",
            Self::Hidden => "hidden: the main model isn't told of it",
            Self::Off => "off: nobody can call it",
            Self::Nobody => "not used until its problems are mended",
            Self::Overridden => "covered: another agent of this name comes first",
        }
    }
}

/// What it may do with its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Power {
    ReadOnly,
    AsListed,
}

impl Row {
    /// Whether its file can be changed here.
    pub(super) fn is_ours(&self) -> bool {
        self.source == Source::Ours
    }

    /// Whether there is work on it that isn't saved.
    pub(super) fn is_unsaved(&self, world: &World) -> bool {
        self.is_ours() && world.is_unsaved(&self.name)
    }

    /// What its description costs in each session.
    pub(super) fn tokens(&self) -> usize {
        description_tokens(&self.name, &self.description)
    }

    pub(super) fn worst(&self) -> Option<Severity> {
        self.problems.iter().map(|problem| problem.severity).max()
    }

    /// `all`, `none`, or how many.
    pub(super) fn tools_in_short(&self) -> String {
        match self.tools.as_deref() {
            None if self.model.is_none() => String::new(),
            None => "all".to_owned(),
            Some([]) => "none".to_owned(),
            Some(tools) => tools.len().to_string(),
        }
    }
}

impl Roster {
    /// What `agent list --all --json` has printed; `None`: it is something else.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Ours first, then the others from the strongest on.
    pub(super) fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.agents.iter().map(ours).collect();
        for other in &self.others {
            let is_covered = rows.iter().any(|row| row.name == other.name && row.counts);
            rows.push(foreign(other, is_covered));
        }
        rows
    }
}

fn ours(agent: &Ours) -> Row {
    let seen = match agent.visibility.as_deref() {
        _ if !agent.usable => Seen::Nobody,
        Some("hidden") => Seen::Hidden,
        Some("off") => Seen::Off,
        _ if !agent.wins => Seen::Overridden,
        _ => Seen::Model,
    };
    Row {
        name: agent.name.clone(),
        source: Source::Ours,
        description: agent.description.clone().unwrap_or_default(),
        model: agent.model.clone(),
        tools: agent.tools.clone(),
        seen,
        power: if agent.read_only == Some(true) { Power::ReadOnly } else { Power::AsListed },
        file: agent.file.clone(),
        bytes: agent.bytes,
        counts: seen == Seen::Model,
        problems: agent.problems.clone(),
    }
}

fn foreign(other: &Other, is_covered: bool) -> Row {
    Row {
        name: other.name.clone(),
        source: other.scope.into(),
        description: other.description.clone(),
        model: Some(other.model.clone()),
        tools: other.tools.clone(),
        seen: if is_covered { Seen::Overridden } else { Seen::Model },
        power: Power::AsListed,
        file: other.file.clone(),
        bytes: 0,
        counts: !is_covered,
        problems: other.problems.clone(),
    }
}
