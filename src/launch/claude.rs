//! Finds the Claude Code that is to be launched, and asks its version.
//!
//! It never installs, changes or downloads anything.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::str::FromStr;
use std::sync::mpsc;
use std::time::Duration;

use crate::config::environment::Environment;

/// An executable that is taken for Claude Code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claude {
    path: PathBuf,
}

/// Why there is no Claude Code to launch, or why it doesn't tell its version.
#[derive(Debug, thiserror::Error)]
pub enum ClaudeError {
    #[error(
        "Claude Code (`claude`) is not in PATH: install it with `npm install -g @anthropic-ai/claude-code`, \
         or say where it is with `[claude] path = \"…\"` in config.toml"
    )]
    NotInPath,
    #[error(
        "`[claude] path` in config.toml names {0}, which is no file: correct it, or remove it and install \
         Claude Code with `npm install -g @anthropic-ai/claude-code`"
    )]
    Missing(PathBuf),
    #[error(
        "{0} may not be executed: make it executable (`chmod +x`), reinstall Claude Code with \
         `npm install -g @anthropic-ai/claude-code`, or name another with `[claude] path` in config.toml"
    )]
    NotExecutable(PathBuf),
    #[error("{path} cannot be started: reinstall it with `npm install -g @anthropic-ai/claude-code`")]
    Start { path: PathBuf, source: std::io::Error },
    #[error("{0} --version gave no version in time: run it by hand to see what it waits for")]
    Silent(PathBuf),
    #[error("{path} --version said `{said}`, which is no version: does `[claude] path` name Claude Code?")]
    NoVersion { path: PathBuf, said: String },
}

impl Claude {
    /// The configured path if there is one, else the first executable `claude` in `PATH`. Opens no socket
    /// and runs nothing.
    pub fn find(configured: Option<&Path>, environment: &Environment) -> Result<Self, ClaudeError> {
        let path = match configured {
            Some(path) if !path.is_file() => return Err(ClaudeError::Missing(path.to_owned())),
            Some(path) if executable(path) => path.to_owned(),
            Some(path) => return Err(ClaudeError::NotExecutable(path.to_owned())),
            None => in_path(environment.get("PATH").unwrap_or_default())?,
        };
        Ok(Self { path: std::path::absolute(&path).unwrap_or(path) })
    }

    /// Absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What `--version` says within `limit`. Blocks; the process is ended in every case.
    pub fn version(&self, limit: Duration) -> Result<Version, ClaudeError> {
        let mut child = self.ask_version()?;
        let said = first_line(&mut child, limit);
        // Its answer is all we want of it; a process that has ended already refuses both, harmlessly.
        child.kill().ok();
        child.wait().ok();
        let said = said.ok_or_else(|| ClaudeError::Silent(self.path.clone()))?;
        said.parse().map_err(|NotAVersion| ClaudeError::NoVersion { path: self.path.clone(), said })
    }

    fn ask_version(&self) -> Result<Child, ClaudeError> {
        std::process::Command::new(&self.path)
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| ClaudeError::Start { path: self.path.clone(), source })
    }
}

/// The oldest version that everything here was seen to work with.
pub const TRIED: Version = Version { major: 2, minor: 1, patch: 332 };

/// `MAJOR.MINOR.PATCH`, in the order of release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// The text does not begin with three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAVersion;

impl FromStr for Version {
    type Err = NotAVersion;

    /// Reads the first word: `2.1.332 (Claude Code)`, `2.2.0-beta.1`.
    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let word = text.split_whitespace().next().ok_or(NotAVersion)?;
        let plain = word.split(['-', '+']).next().unwrap_or(word);
        let numbers: Vec<u32> = plain.split('.').map_while(|part| part.parse().ok()).collect();
        match numbers[..] {
            [major, minor, patch] => Ok(Self { major, minor, patch }),
            _ => Err(NotAVersion),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

fn in_path(path: &str) -> Result<PathBuf, ClaudeError> {
    // An empty entry would mean the current folder, which may be anybody's.
    let folders = std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty());
    let found: Vec<PathBuf> =
        folders.map(|folder| folder.join("claude")).filter(|file| file.is_file()).collect();
    match found.iter().find(|file| executable(file)) {
        Some(file) => Ok(file.clone()),
        None => Err(found.into_iter().next().map_or(ClaudeError::NotInPath, ClaudeError::NotExecutable)),
    }
}

fn executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// The first line of the child's output; `None` when the limit passes first or nothing is said.
fn first_line(child: &mut Child, limit: Duration) -> Option<String> {
    let output = child.stdout.take()?;
    let (send, receive) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let mut line = Vec::new();
        BufReader::new(output.take(1024)).read_until(b'\n', &mut line).ok();
        send.send(String::from_utf8_lossy(&line).trim().to_owned()).ok();
    });
    receive.recv_timeout(limit).ok().filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn script(folder: &Path, name: &str, mode: u32, text: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn path_of(folders: &[&Path]) -> Environment {
        let path = std::env::join_paths(folders).unwrap().into_string().unwrap();
        [("PATH".to_owned(), path)].into_iter().collect()
    }

    #[test]
    fn l9_a_configured_path_wins_over_path() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let in_path = script(folder.path(), "claude", 0o755, "");
        let named = script(other.path(), "my-claude", 0o755, "");
        let environment = path_of(&[folder.path()]);
        assert_eq!(Claude::find(Some(&named), &environment).unwrap().path(), named);
        assert_eq!(Claude::find(None, &environment).unwrap().path(), in_path);
    }

    #[test]
    fn l9_no_claude_code_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let plain = script(folder.path(), "claude", 0o644, "");
        let nowhere = folder.path().join("nowhere");
        let empty = Environment::default();
        for (configured, environment, part) in [
            (None, &empty, "not in PATH"),
            (None, &path_of(&[&nowhere]), "not in PATH"),
            (None, &path_of(&[folder.path()]), "may not be executed"),
            (Some(nowhere.as_path()), &empty, "is no file"),
            (Some(folder.path()), &empty, "is no file"),
            (Some(plain.as_path()), &empty, "may not be executed"),
        ] {
            let error = Claude::find(configured, environment).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
            assert!(error.contains("npm install -g @anthropic-ai/claude-code"), "{error}");
            assert!(error.contains("[claude] path"), "{error}");
        }
    }

    #[test]
    fn l9_a_file_that_cannot_run_is_passed_over_as_a_shell_does() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        script(first.path(), "claude", 0o644, "");
        let good = script(second.path(), "claude", 0o755, "");
        assert_eq!(Claude::find(None, &path_of(&[first.path(), second.path()])).unwrap().path(), good);
    }

    #[test]
    fn a_version_is_the_first_word() {
        let version = |major, minor, patch| Version { major, minor, patch };
        assert_eq!("2.1.332 (Claude Code)".parse(), Ok(version(2, 1, 332)));
        assert_eq!("2.2.0-beta.1".parse(), Ok(version(2, 2, 0)));
        for text in ["", "claude", "2.1", "2.x.1", "2.1.1.1"] {
            assert_eq!(text.parse::<Version>(), Err(NotAVersion), "{text}");
        }
        assert!(version(2, 1, 332) > version(2, 1, 99));
    }

    #[test]
    fn a_claude_that_hangs_or_talks_nonsense_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let ask = |name: &str, text: &str, limit| {
            let path = script(folder.path(), name, 0o755, text);
            let claude = Claude::find(Some(&path), &Environment::default()).unwrap();
            claude.version(limit).map(|v| v.to_string()).map_err(|e| e.to_string())
        };
        let long = Duration::from_secs(20);
        assert_eq!(ask("good", "echo '2.1.332 (Claude Code)'", long), Ok("2.1.332".to_owned()));
        assert!(ask("odd", "echo hello", long).unwrap_err().contains("said `hello`"));
        assert!(ask("mute", "exit 1", long).unwrap_err().contains("gave no version"));
        assert!(ask("slow", "exec cat /dev/zero >/dev/null", Duration::from_millis(50)).is_err());
    }
}
