//! Claude Code's own settings, read to know what a launch meets. Nothing here writes.
//!
//! A file that can't be read or understood is a [`Problem`] and never a failure: Claude Code itself will
//! say so, and the launch goes on without that layer.

pub mod findings;
mod trust;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::arguments::Arguments;
use super::json_merge::merge;
use crate::config::environment::Environment;
use crate::config::{Problem, Severity};

/// Where settings come from, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The organisation's, which nothing beats.
    Managed,
    /// The user's own `--settings`.
    Arguments,
    /// The project's `.claude/settings.local.json`.
    Local,
    /// The project's `.claude/settings.json`.
    Project,
    /// `~/.claude/settings.json`.
    User,
}

impl Layer {
    /// The name that a message calls it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed settings",
            Self::Arguments => "--settings",
            Self::Local => ".claude/settings.local.json",
            Self::Project => ".claude/settings.json",
            Self::User => "your settings.json",
        }
    }
}

/// Where the files are; injected, so that tests never see the real ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// What is above it belongs to no project.
    pub home: PathBuf,
    /// Folder of `managed-settings.json` and `managed-settings.d`.
    pub managed: PathBuf,
    /// Folder of the user's `settings.json`: `CLAUDE_CONFIG_DIR` or `~/.claude`.
    pub user: PathBuf,
    /// `.claude.json`, which knows the trusted folders.
    pub state: PathBuf,
    /// The folder that Claude Code is started in.
    pub project: PathBuf,
}

impl Places {
    /// The real places, for a launch in `project`.
    pub fn of(environment: &Environment, project: &Path) -> Self {
        let managed = if cfg!(target_os = "macos") {
            "/Library/Application Support/ClaudeCode"
        } else {
            "/etc/claude-code"
        };
        let home = PathBuf::from(environment.get("HOME").unwrap_or("/"));
        let own = environment.get("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        Self {
            managed: managed.into(),
            user: own.clone().unwrap_or_else(|| home.join(".claude")),
            state: own.unwrap_or_else(|| home.clone()).join(".claude.json"),
            project: project.to_owned(),
            home,
        }
    }

    /// Whether the user has said that the project's folder, or one above it, may be trusted.
    pub fn is_trusted(&self) -> bool {
        trust::trusted(&self.state, &self.project)
    }
}

/// All layers that Claude Code will obey, and what was wrong with the others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// The strongest first; a missing layer has no entry.
    layers: Vec<(Layer, Map<String, Value>)>,
    pub problems: Vec<Problem>,
}

impl Settings {
    /// Reads every layer that counts for a launch with these arguments.
    ///
    /// A project's files count once its folder is trusted, and under `-p` at once, as with Claude Code.
    pub fn read(places: &Places, arguments: &Arguments, environment: &Environment) -> Self {
        let mut settings = Self::default();
        settings.read_managed(&places.managed);
        if let Some(own) = arguments.last("settings") {
            settings.read_own(own, &places.project);
        }
        let trusted =
            arguments.headless() || environment.get("CLAUDE_CODE_SANDBOXED").is_some() || places.is_trusted();
        let project = places.project.join(".claude");
        for (layer, path) in [
            (Layer::Local, project.join("settings.local.json")),
            (Layer::Project, project.join("settings.json")),
            (Layer::User, places.user.join("settings.json")),
        ] {
            if loaded(layer, arguments) && (trusted || layer == Layer::User) {
                settings.read_file(layer, &path);
            }
        }
        settings
    }

    /// One layer, whole.
    pub fn layer(&self, layer: Layer) -> Option<&Map<String, Value>> {
        self.layers.iter().find(|(own, _)| *own == layer).map(|(_, map)| map)
    }

    /// The values of a key, the strongest layer first.
    pub fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (Layer, &'a Value)> + 'a {
        self.layers.iter().filter_map(move |(layer, map)| Some((*layer, map.get(key)?)))
    }

    /// What the settings make of an environment variable, and who says so. An empty value counts: it hides
    /// all that stands below it, the process's environment too.
    pub fn variable(&self, name: &str) -> Option<(Layer, String)> {
        self.values("env").find_map(|(layer, env)| Some((layer, text(env.get(name)?)?)))
    }

    /// The value of a variable as Claude Code will see it; `None` when unset or empty.
    pub fn effective(&self, name: &str, environment: &Environment) -> Option<String> {
        match self.variable(name) {
            Some((_, value)) => Some(value).filter(|value| !value.is_empty()),
            None => environment.get(name).map(str::to_owned),
        }
    }

    fn read_managed(&mut self, folder: &Path) {
        let mut files = vec![folder.join("managed-settings.json")];
        files.extend(drop_ins(&folder.join("managed-settings.d")));
        for file in files {
            self.read_file(Layer::Managed, &file);
        }
    }

    fn read_file(&mut self, layer: Layer, path: &Path) {
        match std::fs::read_to_string(path) {
            Ok(text) => self.add(layer, path, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => self.problem(path, format!("can't be read: {error}")),
        }
    }

    /// `--settings` takes JSON text or a file; a file that isn't there is worth a word, unlike elsewhere.
    fn read_own(&mut self, own: &str, folder: &Path) {
        if own.trim_start().starts_with('{') {
            return self.add(Layer::Arguments, Path::new("--settings"), own);
        }
        let path = folder.join(own);
        match std::fs::read_to_string(&path) {
            Ok(text) => self.add(Layer::Arguments, &path, &text),
            Err(error) => self.problem(&path, format!("named by --settings, can't be read: {error}")),
        }
    }

    fn add(&mut self, layer: Layer, path: &Path, text: &str) {
        let text = text.trim_start_matches('\u{feff}');
        match serde_json::from_str::<Map<String, Value>>(text) {
            Ok(map) => match self.layers.iter_mut().find(|(own, _)| *own == layer) {
                Some((_, below)) => merge(below, map),
                None => self.layers.push((layer, map)),
            },
            // serde_json's own message may quote the file, and the file may hold a key.
            Err(error) => {
                self.problem(path, format!("is no JSON object (line {}): it is left out", error.line()));
            }
        }
    }

    fn problem(&mut self, file: &Path, message: String) {
        self.problems.push(Problem {
            severity: Severity::Warning,
            file: file.to_owned(),
            line: None,
            message,
            remedy: "Claude Code's settings are a JSON object; `claude doctor` checks them".to_owned(),
        });
    }
}

/// `--setting-sources` and `--restricted` leave layers out.
fn loaded(layer: Layer, arguments: &Arguments) -> bool {
    let name = match layer {
        Layer::Managed | Layer::Arguments => return true,
        Layer::Local => "local",
        Layer::Project => "project",
        Layer::User => "user",
    };
    let listed = |list: &str| list.split(',').any(|source| source.trim() == name);
    !arguments.has("restricted") && arguments.last("setting-sources").is_none_or(listed)
}

fn drop_ins(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
    files.sort();
    files
}

/// A variable's value as text; Claude Code takes numbers and booleans too.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
pub(crate) mod tests;
