//! The agents' files one by one: also those that can't be used, which a person wants to see and mend.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Agent, folder, parse};
use crate::config::view::View;
use crate::config::{Problem, similar};

/// One file of the agents' folder.
#[derive(Debug, Clone, PartialEq)]
pub struct ShelfFile {
    pub file: PathBuf,
    /// `None` where it can't be read; then the problems say why, as far as they are known here.
    pub text: Option<String>,
    /// `None` where the file is no usable agent.
    pub agent: Option<Agent>,
    pub problems: Vec<Problem>,
}

/// Nothing goes by that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent `{name}`: {known}")]
pub struct NoSuchAgent {
    pub name: String,
    /// What there is, or what was meant in all likelihood.
    known: String,
}

/// Every agent file of the folder, in the order of their names. A folder that isn't there, or can't be read, is empty.
pub fn shelf(folder: &Path) -> Vec<ShelfFile> {
    let files = folder::files(folder, View::of_disk()).unwrap_or_default();
    files.into_iter().map(read).collect()
}

/// The file of this agent. A file that is no usable agent goes by its own name.
///
/// # Errors
/// There is none.
pub fn find<'s>(shelf: &'s [ShelfFile], name: &str) -> Result<&'s ShelfFile, NoSuchAgent> {
    named(shelf, name).next().ok_or_else(|| {
        let names = shelf.iter().map(ShelfFile::name);
        NoSuchAgent { name: name.escape_debug().to_string(), known: similar::suggestion(name, names) }
    })
}

/// Every file that goes by this name: of several the first is the one that is shown and changed.
pub fn named<'s>(shelf: &'s [ShelfFile], name: &str) -> impl Iterator<Item = &'s ShelfFile> {
    shelf.iter().filter(move |file| file.name() == name)
}

impl ShelfFile {
    /// The agent's name, or the file's own where it holds none.
    pub fn name(&self) -> &str {
        let stem = || self.file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        self.agent.as_ref().map_or_else(stem, |agent| &agent.name)
    }
}

fn read(file: PathBuf) -> ShelfFile {
    let Ok(bytes) = fs::read(&file) else {
        return ShelfFile { file, text: None, agent: None, problems: Vec::new() };
    };
    let (agent, problems) = parse(&file, &bytes);
    ShelfFile { text: String::from_utf8(bytes).ok(), file, agent, problems }
}
