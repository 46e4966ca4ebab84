//! Agents that Claude Code finds by itself: the organisation's, the project's, the user's.
//!
//! Reads, within bounds; a file that can't be understood is Claude Code's own to tell.

use std::fs;
use std::path::{Path, PathBuf};

use crate::config::agent::parse;
use crate::launch::settings::Places;

/// A project's folder may hold anything: no more files than this are looked at, no deeper than that.
const FILES: usize = 500;
const DEPTH: usize = 6;

/// An agent of another scope than ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherAgent {
    pub name: String,
    /// As its file says it; `inherit` where it says nothing.
    pub model: String,
    pub file: PathBuf,
    pub scope: Scope,
}

/// The strongest first; ours stand below the first and above the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Managed,
    Project,
    User,
}

impl Scope {
    pub fn place(self) -> &'static str {
        match self {
            Self::Managed => "your organisation's managed settings",
            Self::Project => "the project's .claude/agents",
            Self::User => "your ~/.claude/agents",
        }
    }
}

/// All of them for a launch in `places.project`, the strongest scope first, the nearest folder first.
pub fn others(places: &Places) -> Vec<OtherAgent> {
    let user = places.user.join("agents");
    let upward = places.project.ancestors().map(|folder| folder.join(".claude/agents"));
    let project = upward.filter(|folder| *folder != user).map(|folder| (Scope::Project, folder));
    let folders = std::iter::once((Scope::Managed, places.managed.join(".claude/agents")))
        .chain(project)
        .chain([(Scope::User, user.clone())]);
    folders.flat_map(|(scope, folder)| agents(scope, &folder)).collect()
}

fn agents(scope: Scope, folder: &Path) -> Vec<OtherAgent> {
    let mut files = Vec::new();
    collect(folder, DEPTH, &mut files);
    files.sort();
    files.iter().filter_map(|file| read(scope, file)).collect()
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if files.len() >= FILES {
            return;
        }
        // A link to a folder could lead round in a circle.
        if path.is_dir() && !path.is_symlink() {
            if depth > 0 {
                collect(&path, depth - 1, files);
            }
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

fn read(scope: Scope, file: &Path) -> Option<OtherAgent> {
    let (agent, _) = parse(file, &fs::read(file).ok()?);
    let agent = agent?;
    Some(OtherAgent { model: agent.model.to_string(), name: agent.name, file: file.to_owned(), scope })
}
