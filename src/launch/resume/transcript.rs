//! Where Claude Code keeps what was said, and whether it still does.

use std::fs;
use std::path::{Path, PathBuf};

use crate::config::Environment;
use crate::launch::settings::Places;

/// The folder that has one folder for each project.
pub(super) fn folder(environment: &Environment, project: &Path) -> PathBuf {
    Places::of(environment, project).user.join("projects")
}

/// Looked for in all projects, because Claude Code finds a conversation by its id wherever it began.
pub(super) fn has_transcript(folder: &Path, conversation: &str) -> bool {
    let file = format!("{conversation}.jsonl");
    fs::read_dir(folder).into_iter().flatten().flatten().any(|project| project.path().join(&file).is_file())
}
