//! Where everything is on this machine: for a person who looks for a file, and for a report of a mistake.
//!
//! Looks, and changes nothing; the only thing it runs is Claude Code's `--version`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::claude::Claude;
use super::delegation::sandbox;
use super::install::Installation;
use crate::config::{Config, Environment, Places, Project, Trust};

/// For Claude Code's `--version`, which is worth a moment and no more.
const VERSION_LIMIT: Duration = Duration::from_secs(3);

/// What there is. The JSON shape is an interface (`version`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Info {
    pub version: u32,
    /// Ours.
    pub subagents: &'static str,
    pub places: Vec<Place>,
    pub claude: ClaudeInfo,
    /// The project's own profile, where there is one.
    pub project: Option<ProjectInfo>,
    /// What can keep a delegation that only reads from writing: `landlock` or `none`.
    pub sandbox: &'static str,
}

/// A file or a folder of ours, there or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    pub name: &'static str,
    pub path: String,
    pub exists: bool,
}

/// The Claude Code that a launch would start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaudeInfo {
    pub path: Option<String>,
    pub version: Option<String>,
    /// Why there is no path, or no version.
    pub error: Option<String>,
}

/// A project's profile and how it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectInfo {
    pub file: String,
    pub standing: &'static str,
    /// Why it isn't used; `None` where it is.
    pub reason: Option<String>,
}

impl Info {
    /// For a launch in `here`. Takes as long as `claude --version`, three seconds at most.
    pub fn gather(places: &Places, environment: &Environment, config: &Config, here: &Path) -> Self {
        Self {
            version: 1,
            subagents: env!("CARGO_PKG_VERSION"),
            places: all(places, environment),
            claude: claude(config, environment),
            project: Project::above(here, &Trust::new(places)).as_ref().map(project),
            sandbox: sandbox::here(),
        }
    }
}

fn all(places: &Places, environment: &Environment) -> Vec<Place> {
    let cache = Installation::of(environment).folder().parent().map(Path::to_owned).unwrap_or_default();
    let named: [(&str, PathBuf); 13] = [
        ("config_dir", places.config_dir.clone()),
        ("config_file", places.config_file()),
        ("agents_dir", places.agents_dir()),
        ("data_dir", places.data_dir.clone()),
        ("trust_dir", places.trust_dir()),
        ("ledger_file", places.ledger_file()),
        ("keys_dir", places.keys_dir()),
        ("state_dir", places.state_dir.clone()),
        ("history_dir", places.history_dir()),
        ("drafts_dir", places.drafts_dir()),
        ("log_file", places.log_file()),
        ("runtime_dir", places.runtime_dir.clone()),
        ("cache_dir", cache),
    ];
    named.map(|(name, path)| Place { name, exists: path.exists(), path: shown(&path) }).into()
}

fn claude(config: &Config, environment: &Environment) -> ClaudeInfo {
    match Claude::find(config.claude.path.as_deref(), environment) {
        Err(error) => ClaudeInfo { path: None, version: None, error: Some(error.to_string()) },
        Ok(claude) => {
            let version = claude.version(VERSION_LIMIT);
            let error = version.as_ref().err().map(ToString::to_string);
            let version = version.ok().map(|version| version.to_string());
            ClaudeInfo { path: Some(shown(claude.path())), version, error }
        }
    }
}

fn project(project: &Project) -> ProjectInfo {
    let Project { file, standing } = project;
    ProjectInfo {
        file: shown(file),
        standing: standing.word(),
        reason: standing.reason().map(|(reason, _)| reason),
    }
}

/// JSON holds no bytes that aren't text.
fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
