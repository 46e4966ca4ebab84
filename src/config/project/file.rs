//! A project's file, read once: what is shown, what is trusted and what is used are the same bytes.
//!
//! Never follows a link, never waits for a pipe, never reads more than a profile can need.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::PROJECT_FILE;
use crate::config::meaning::profile::read_shared;
use crate::config::report::Report;
use crate::config::{Problem, Profile};

/// Bytes. A profile is some lines.
const LIMIT: u64 = 64 * 1024;

/// Group and others may write.
const WRITABLE: u32 = 0o022;

/// A file that nobody but the person (or root) can have written, as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    path: PathBuf,
    text: String,
}

/// Why a project's file can't be trusted, whatever it says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("{0} is a symbolic link, and what it leads to can be exchanged")]
    Link(PathBuf),
    #[error("{0} belongs to another user (id {1})")]
    Owner(PathBuf, u32),
    #[error("{0} may be written by others (mode {1:04o})")]
    Writable(PathBuf, u32),
    #[error("{0} is no file")]
    NoFile(PathBuf),
    #[error("{0} is larger than 64 KiB")]
    Large(PathBuf),
    #[error("{0} can't be read: {1}")]
    Unreadable(PathBuf, String),
}

impl Unfit {
    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Link(path) => format!("put a real file or folder in the place of {}", path.display()),
            Self::Owner(path, _) => format!("look at it, then `chown` {} to you", path.display()),
            Self::Writable(path, _) => format!("chmod go-w {}", path.display()),
            Self::NoFile(_) | Self::Large(_) | Self::Unreadable(..) => {
                "put a file of some lines there, or remove it".to_owned()
            }
        }
    }
}

impl ProjectFile {
    /// Reads `path`, a `.subagents/profile.toml`.
    ///
    /// # Errors
    /// See [`Unfit`]: the folder and the file must be real, the person's own (or root's), and not writable by
    /// others.
    pub fn read(path: &Path) -> Result<Self, Unfit> {
        let unreadable = |error: io::Error| Unfit::Unreadable(path.to_owned(), error.to_string());
        if let Some(folder) = path.parent() {
            fit(folder, &folder.symlink_metadata().map_err(unreadable)?)?;
        }
        let metadata = path.symlink_metadata().map_err(unreadable)?;
        if metadata.is_symlink() {
            return Err(Unfit::Link(path.to_owned()));
        }
        let file = open(path).map_err(unreadable)?;
        // Asked of the open file: the name may lead to another one by now.
        let metadata = file.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(Unfit::NoFile(path.to_owned()));
        }
        fit(path, &metadata)?;
        let mut text = String::new();
        file.take(LIMIT + 1).read_to_string(&mut text).map_err(unreadable)?;
        if text.len() as u64 > LIMIT {
            return Err(Unfit::Large(path.to_owned()));
        }
        Ok(Self { path: path.to_owned(), text })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says, byte for byte. Somebody else wrote it: show it by `ui::visible`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 of what it says, in hexadecimal digits.
    pub fn digest(&self) -> String {
        crate::config::digest::sha256(self.text.as_bytes())
    }

    /// What it means.
    ///
    /// # Errors
    /// Anything at all that isn't understood: a file of somebody else's is used whole or not at all.
    pub fn profile(&self) -> Result<Profile, Vec<Problem>> {
        let mut report = Report::new(&self.path);
        let profile = read_shared(&self.text, PROJECT_FILE, &mut report);
        let problems = report.into_problems();
        if problems.is_empty() { Ok(profile) } else { Err(problems) }
    }
}

/// `O_NONBLOCK`, because opening a pipe would wait for whoever writes into it.
fn open(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path)
}

fn fit(path: &Path, metadata: &Metadata) -> Result<(), Unfit> {
    if metadata.is_symlink() {
        return Err(Unfit::Link(path.to_owned()));
    }
    let own = rustix::process::geteuid().as_raw();
    suspicion(path, metadata.uid(), metadata.mode(), own).map_or(Ok(()), Err)
}

/// Root can write anything anyway.
fn suspicion(path: &Path, owner: u32, mode: u32, own: u32) -> Option<Unfit> {
    if owner != own && owner != 0 {
        return Some(Unfit::Owner(path.to_owned(), owner));
    }
    (mode & WRITABLE != 0).then(|| Unfit::Writable(path.to_owned(), mode & 0o7777))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_user_could_have_written_is_suspicious() {
        let path = Path::new("/p/.subagents/profile.toml");
        let at = path.to_owned();
        for (owner, mode, expect) in [
            (1000, 0o100_644, None),
            (1000, 0o100_600, None),
            (0, 0o100_644, None),
            (1001, 0o100_600, Some(Unfit::Owner(at.clone(), 1001))),
            (1000, 0o100_664, Some(Unfit::Writable(at.clone(), 0o664))),
            (1000, 0o100_646, Some(Unfit::Writable(at.clone(), 0o646))),
        ] {
            assert_eq!(suspicion(path, owner, mode, 1000), expect, "{owner} {mode:o}");
        }
        assert_eq!(
            suspicion(path, 1000, 0o644, 0),
            Some(Unfit::Owner(at, 1000)),
            "root trusts nobody's file"
        );
    }
}
