//! What the user owns: agents, providers, routes, policy, profiles and references to secrets.
//!
//! Everything is read in two steps: what the file says (`raw`), then what it means. Mistakes come back as
//! [`Problem`]s with file, line and remedy, and never keep the rest from loading. This module does no IO
//! other than files, and holds no secret's value in a type that prints.

pub mod agent;
mod binding;
mod budget;
pub mod changes;
mod chat;
mod delegation;
pub mod digest;
pub mod edit;
pub mod environment;
pub mod exchange;
mod leader;
mod load;
mod meaning;
pub mod places;
pub mod policy;
pub mod preset;
pub mod problem;
pub mod profile;
pub mod project;
pub mod provider;
mod raw;
pub mod repair;
mod report;
mod retention;
pub mod route;
pub mod schema;
pub mod secret;
mod similar;
pub mod theme;
mod tui;
mod view;
pub mod write;

use std::collections::BTreeMap;

pub use agent::{Agent, Model, Visibility};
pub use binding::RouteRefusal;
pub use budget::{Budget, Period, Routes};
pub use chat::{ChatOptions, Effort, LimitField, ThinkingField};
pub use delegation::{DelegationSettings, Sandbox};
pub use environment::Environment;
pub use leader::{Leader, LeaderError};
pub use load::load;
pub use places::{Places, PlacesError};
pub use policy::{Policy, StrayRule};
pub use preset::Preset;
pub use problem::{Problem, Severity};
pub use profile::{NoFolder, Profile};
pub use project::{Choice, Project, Standing, Trust};
pub use provider::{Auth, Dialect, Provider, ProviderName, Timeouts, Tls};
pub use repair::{Repair, Repairs};
pub use retention::Retention;
pub use route::{Price, RouteId, RouteSettings, WireId};
pub use schema::{CONFIG_SCHEMA, CONFIG_SCHEMA_FILE, DEFAULT_CONFIG};
pub use secret::{Secret, SecretError, SecretRef, SecretRefError};
pub use tui::{Motion, Mouse, Signs, ThemeChoice, Tui};

/// The file in the configuration folder that holds everything but agents.
pub const CONFIG_FILE: &str = "config.toml";

/// The folder in the configuration folder that holds the agents' files.
pub const AGENTS_FOLDER: &str = "agents";

/// The folder in the configuration folder that holds a person's own themes.
pub const THEMES_FOLDER: &str = "themes";

/// Everything that the configuration folder means, after all checks.
#[derive(Debug, Clone, Default)]
pub struct Config {
    pub main: MainSession,
    pub policy: Policy,
    pub providers: BTreeMap<ProviderName, Provider>,
    /// Settings of single routes; a route needs no entry here to be used.
    pub routes: BTreeMap<RouteId, RouteSettings>,
    /// In the order of their names.
    pub budgets: Vec<Budget>,
    pub profiles: BTreeMap<String, Profile>,
    /// Agents in the order of their file names.
    pub agents: Vec<Agent>,
    pub claude: ClaudeSettings,
    /// `command` of `[notify]`: what a shell runs when a session begins to wait for the person.
    pub notify_command: Option<String>,
    pub retention: Retention,
    /// `leader` of `[attach]`.
    pub leader: Leader,
    pub delegation: DelegationSettings,
    pub tui: Tui,
    /// All that `theme` of `[tui]` can name.
    pub themes: theme::Themes,
}

/// `[main]`: where the main session's own requests go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MainSession {
    /// `upstream`: the default upstream's base URL, before settings.json and the environment.
    pub upstream: Option<String>,
    /// `route`: the main session runs on a route too.
    pub route: Option<RouteId>,
}

/// `[claude]`: which Claude Code is launched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaudeSettings {
    /// `path`: an executable; wins over `PATH`.
    pub path: Option<std::path::PathBuf>,
}
