//! What an import would do with each candidate: a preview, and what is then done. Pure.
//!
//! Nothing that is there is written over unless the person said so, and no name is ever changed here.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::Candidate;

/// Bytes of a file's stem. File systems take 255 for the whole name; a number and `.md` come after it.
const STEM: usize = 200;

/// An agent that is there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Existing {
    pub name: String,
    pub file: PathBuf,
    pub text: String,
}

/// What happens where a name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// Nothing is imported until the person decides.
    #[default]
    Refuse,
    /// What is there stays.
    Skip,
    /// The newcomer takes its place. Of two newcomers the first counts.
    Replace,
}

/// One candidate and what becomes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    pub candidate: Candidate,
    pub step: Step,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A new file.
    Add { file: PathBuf },
    /// Its text takes the place of this file's.
    Replace { file: PathBuf },
    /// The same is there already, or comes in already: from here.
    Same { with: String },
    /// The name is taken, by this; what is there stays.
    Skip { taken_by: String },
    /// The name is taken, by this, and nobody decided.
    Clash { taken_by: String },
    /// It is no usable agent.
    Refuse,
}

impl Planned {
    /// The file that is written.
    pub fn file(&self) -> Option<&Path> {
        match &self.step {
            Step::Add { file } | Step::Replace { file } => Some(file),
            Step::Same { .. } | Step::Skip { .. } | Step::Clash { .. } | Step::Refuse => None,
        }
    }
}

/// Decides on every candidate, in their order.
pub fn plan(
    candidates: Vec<Candidate>,
    existing: &[Existing],
    folder: &Path,
    choice: Choice,
) -> Vec<Planned> {
    let mut shelf = Shelf::new(existing, folder);
    let planned = |candidate: Candidate| {
        let step = shelf.step(&candidate, choice);
        Planned { candidate, step }
    };
    candidates.into_iter().map(planned).collect()
}

/// Names and files that are taken, before and during the import.
struct Shelf<'e> {
    existing: &'e [Existing],
    folder: &'e Path,
    /// The origin and the text of each newcomer, by name.
    newcomers: BTreeMap<String, (String, String)>,
    /// In lower case, as some disks don't tell cases apart.
    files: HashSet<String>,
}

impl<'e> Shelf<'e> {
    fn new(existing: &'e [Existing], folder: &'e Path) -> Self {
        let files = existing.iter().map(|agent| lower(&agent.file)).collect();
        Self { existing, folder, newcomers: BTreeMap::new(), files }
    }

    fn step(&mut self, candidate: &Candidate, choice: Choice) -> Step {
        if candidate.agent.is_none() {
            return Step::Refuse;
        }
        if let Some((origin, text)) = self.newcomers.get(&candidate.name) {
            return taken(origin, text, candidate, choice);
        }
        let newcomer = (candidate.origin.clone(), candidate.text.clone());
        let step = match self.existing.iter().find(|agent| agent.name == candidate.name) {
            None => Step::Add { file: self.free_file(&candidate.name) },
            Some(there) if choice == Choice::Replace && there.text != candidate.text => {
                Step::Replace { file: there.file.clone() }
            }
            Some(there) => taken(&there.file.display().to_string(), &there.text, candidate, choice),
        };
        if matches!(step, Step::Add { .. } | Step::Replace { .. }) {
            self.newcomers.insert(candidate.name.clone(), newcomer);
        }
        step
    }

    fn free_file(&mut self, name: &str) -> PathBuf {
        let plain = file_stem(name);
        let numbered = (2..).map(|number| format!("{plain}-{number}.md"));
        let mut all =
            std::iter::once(format!("{plain}.md")).chain(numbered).map(|file| self.folder.join(file));
        let free = all.find(|file| !self.files.contains(&lower(file)));
        let free = free.unwrap_or_else(|| self.folder.join(format!("{plain}.md")));
        self.files.insert(lower(&free));
        free
    }
}

/// A name as the stem of a file's: no part of a path, not hidden, and not too long.
pub(in crate::config) fn file_stem(name: &str) -> String {
    let plain = |c: char| if c == '/' || c == '\\' || c.is_control() { '-' } else { c };
    let stem: String = name[..name.floor_char_boundary(STEM)].chars().map(plain).collect();
    if stem.starts_with('.') { format!("-{stem}") } else { stem }
}

fn taken(by: &str, text: &str, candidate: &Candidate, choice: Choice) -> Step {
    if text == candidate.text {
        return Step::Same { with: by.to_owned() };
    }
    match choice {
        Choice::Refuse => Step::Clash { taken_by: by.to_owned() },
        Choice::Skip | Choice::Replace => Step::Skip { taken_by: by.to_owned() },
    }
}

fn lower(file: &Path) -> String {
    file.display().to_string().to_lowercase()
}
