//! A project's own profile: `.subagents/profile.toml`, the nearest one upwards from the working folder.
//!
//! Whoever can write into the project writes it, so nothing in it counts before the person has trusted this very
//! text in this very place ([`Trust`]). It may name agents and arguments, nothing else. Of several files above one
//! another the nearest counts alone: one that isn't trusted never lets a farther one through.

mod choice;
mod file;
mod trust;

use std::path::{Path, PathBuf};

pub use choice::{Choice, NoSuchProfile, Source, choose, profile};
pub use file::{ProjectFile, Unfit};
pub use trust::Trust;

use super::{Problem, Profile};

/// The folder of a project that holds its profile.
pub const PROJECT_FOLDER: &str = ".subagents";

/// The profile's file in that folder.
pub const PROJECT_FILE: &str = "profile.toml";

/// A project's profile, and whether it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub file: PathBuf,
    pub standing: Standing,
}

/// Whether a project's profile counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Trusted, and unchanged since.
    Trusted(Profile),
    /// Nobody has trusted it yet.
    Unknown,
    /// It was trusted, and says something else now.
    Changed,
    /// It can't be trusted: somebody else could have written it, or it can't be read.
    Unfit(Unfit),
    /// There is a mistake in it.
    Wrong(Vec<Problem>),
}

impl Project {
    /// The nearest project's profile at `folder` or above it, up to the root of the file system.
    pub fn above(folder: &Path, trust: &Trust) -> Option<Self> {
        let file = find(folder)?;
        let standing = Standing::of(&ProjectFile::read(&file), trust);
        Some(Self { file, standing })
    }
}

impl Standing {
    /// How a file that was read, or couldn't be, stands now.
    pub fn of(file: &Result<ProjectFile, Unfit>, trust: &Trust) -> Self {
        let file = match file {
            Ok(file) => file,
            Err(unfit) => return Self::Unfit(unfit.clone()),
        };
        let profile = match file.profile() {
            Ok(profile) => profile,
            Err(problems) => return Self::Wrong(problems),
        };
        match trust.digest_of(file.path()) {
            Some(digest) if digest == file.digest() => Self::Trusted(profile),
            Some(_) => Self::Changed,
            None => Self::Unknown,
        }
    }

    /// One word for it, as `--json` gives it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Trusted(_) => "trusted",
            Self::Unknown => "unknown",
            Self::Changed => "changed",
            Self::Unfit(_) => "unfit",
            Self::Wrong(_) => "wrong",
        }
    }

    /// Why the profile isn't used, and what to do about it; `None` for a trusted one.
    pub fn reason(&self) -> Option<(String, String)> {
        let ask = "`subagents trust` shows what it says and asks".to_owned();
        match self {
            Self::Trusted(_) => None,
            Self::Unknown => Some(("it isn't trusted yet".to_owned(), ask)),
            Self::Changed => Some(("it has changed since it was trusted".to_owned(), ask)),
            Self::Unfit(unfit) => Some((unfit.to_string(), unfit.remedy())),
            Self::Wrong(problems) => {
                let first = problems.first();
                let line = first.and_then(|problem| problem.line);
                let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
                let message = first.map_or("it is wrong", |problem| problem.message.as_str());
                let remedy = first.map(|problem| problem.remedy.clone()).unwrap_or_default();
                Some((format!("{line}{message}"), remedy))
            }
        }
    }
}

/// The nearest project's file at `folder` or above it; whether it is fit to be read is not asked here.
pub fn find(folder: &Path) -> Option<PathBuf> {
    let files = folder.ancestors().map(|folder| folder.join(PROJECT_FOLDER).join(PROJECT_FILE));
    // A link that leads nowhere is there too, and is told.
    files.into_iter().find(|file| file.symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests;
