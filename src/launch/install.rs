//! Installs Claude Code by npm into a folder of ours, for people who have none.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::claude::{Claude, ClaudeError};
use crate::config::Environment;

/// The version that everything here was tried with.
pub const VERSION: &str = "2.1.332";

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error(
        "npm isn't installed, so Claude Code can't be installed by it. Install Node.js (https://nodejs.org), or \
         Claude Code in another way (https://code.claude.com/docs), and try again"
    )]
    NoNpm,
    #[error("npm failed ({0}); what it said stands above")]
    Npm(std::process::ExitStatus),
    #[error("npm can't be run: {0}")]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Claude(#[from] ClaudeError),
}

/// A folder in the cache that holds one version of Claude Code, installed or not.
#[derive(Debug)]
pub struct Installation {
    folder: PathBuf,
}

impl Installation {
    /// Below `$XDG_CACHE_HOME/subagents`, else `~/.cache/subagents`.
    pub fn of(environment: &Environment) -> Self {
        let cache = environment.path("XDG_CACHE_HOME");
        let cache =
            cache.or_else(|| Some(environment.home()?.join(".cache"))).unwrap_or_else(std::env::temp_dir);
        Self { folder: cache.join("subagents").join(format!("claude-code-{VERSION}")) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Claude Code, if it has been installed here.
    ///
    /// # Errors
    /// It hasn't.
    pub fn find(&self, environment: &Environment) -> Result<Claude, ClaudeError> {
        Claude::find(Some(&self.folder.join("node_modules/.bin/claude")), environment)
    }

    /// Installs it. npm's own words go to stderr, where they show how far it is.
    ///
    /// # Errors
    /// There is no npm, or it fails.
    pub fn install(&self, environment: &Environment) -> Result<Claude, InstallError> {
        std::fs::create_dir_all(&self.folder)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-fund", "--no-audit", "--loglevel=http", "--prefix"]);
        npm.arg(&self.folder).arg(format!("@anthropic-ai/claude-code@{VERSION}"));
        npm.stdin(Stdio::null()).stdout(std::io::stderr());
        let status = npm.status().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => InstallError::NoNpm,
            _ => InstallError::Io(error),
        })?;
        if !status.success() {
            return Err(InstallError::Npm(status));
        }
        Ok(self.find(environment)?)
    }
}
