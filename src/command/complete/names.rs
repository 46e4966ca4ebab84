//! The names that the configuration holds, and those of the living sessions, as candidates.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap_complete::CompletionCandidate;

use crate::config::agent::{Agent, samples};
use crate::config::{Config, Environment, Places, Profile, load, preset};
use crate::launch::live::{self, Live};
use crate::ledger::{Ledger, Session};
use crate::ui::visible;

/// Characters of what an agent or a preset is for.
const ABOUT: usize = 60;

/// Claude Code's own words for what an agent runs on.
const MODELS: [&str; 5] = ["fable", "haiku", "inherit", "opus", "sonnet"];

/// What a name can be of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Agent,
    Route,
    Provider,
    Profile,
    Preset,
    Sample,
    Theme,
    Budget,
    /// All that an agent can run on.
    Model,
    /// A session that lives.
    Session,
    /// A session that has ended.
    Ended,
}

/// Where the names are read from, at the moment when they are asked for.
#[derive(Debug, Clone)]
pub(super) struct Names {
    places: Places,
}

impl Kind {
    /// What an argument is that is called so in `--help`; `noun` is its option's name, or the command that it is below.
    pub(super) fn called(name: &str, noun: Option<&str>) -> Option<Self> {
        match (name, noun) {
            ("AGENT", _) | ("NAME", Some("agent")) => Some(Self::Agent),
            ("ROUTE" | "PROVIDER/MODEL", _) => Some(Self::Route),
            ("PROVIDER", _) | ("NAME", Some("provider")) => Some(Self::Provider),
            ("PROFILE", _) | ("NAME", Some("profile")) => Some(Self::Profile),
            ("BUDGET", _) => Some(Self::Budget),
            ("PRESET", _) => Some(Self::Preset),
            ("SAMPLE", _) => Some(Self::Sample),
            ("THEME", _) => Some(Self::Theme),
            ("MODEL", _) => Some(Self::Model),
            ("SESSION", Some("resume")) => Some(Self::Ended),
            ("SESSION", _) => Some(Self::Session),
            _ => None,
        }
    }
}

impl Names {
    /// `--config-dir` counts when it is typed already. `None` where no folder is known.
    pub(super) fn new(environment: &Environment, words: &[OsString]) -> Option<Self> {
        Some(Self { places: Places::resolve(environment, config_dir(words).as_deref()).ok()? })
    }

    /// All names of the kind, each once.
    pub(super) fn of(&self, kind: Kind) -> Vec<CompletionCandidate> {
        if kind == Kind::Preset {
            let presets = preset::all().into_iter();
            return presets.filter_map(|preset| candidate(&preset.name, &preset.about)).collect();
        }
        if kind == Kind::Sample {
            return agents(&samples());
        }
        match kind {
            Kind::Session => return sessions(&live::living(&self.places.live_dir())),
            Kind::Ended => return self.ended(),
            _ => {}
        }
        let (config, _) = load(&self.places.config_dir);
        if kind == Kind::Agent {
            return agents(&config.agents);
        }
        texts(kind, &config).iter().filter_map(|text| candidate(text, "")).collect()
    }

    /// `OLD=` with each name of the kind that begins with what is typed behind it; none before the `=` is there.
    pub(super) fn in_place_of(&self, kind: Kind, typed: &OsStr) -> Vec<CompletionCandidate> {
        let Some((old, new)) = typed.to_str().and_then(|typed| typed.split_once('=')) else {
            return Vec::new();
        };
        let names = self.of(kind).into_iter().map(|name| name.get_value().to_string_lossy().into_owned());
        let fitting = names.filter(|name| name.starts_with(new));
        fitting.map(|name| CompletionCandidate::new(format!("{old}={name}"))).collect()
    }

    /// Names and ids, the last first, and `latest`.
    fn ended(&self) -> Vec<CompletionCandidate> {
        let living = live::living(&self.places.live_dir());
        let sessions = Ledger::look(&self.places.ledger_file()).and_then(|ledger| ledger.sessions().ok());
        let mut sessions = sessions.unwrap_or_default();
        sessions.retain(|session| !living.iter().any(|live| live.session == session.id));
        let folder = |session: &Session| session.folder.display().to_string();
        let names =
            sessions.iter().filter_map(|session| candidate(session.name.as_deref()?, &folder(session)));
        let ids = sessions.iter().filter_map(|session| candidate(&session.id.to_string(), &folder(session)));
        let latest = sessions.first().and_then(|session| candidate("latest", &folder(session)));
        let mut seen = BTreeSet::new();
        latest
            .into_iter()
            .chain(names)
            .chain(ids)
            .filter(|found| seen.insert(found.get_value().to_owned()))
            .collect()
    }
}

fn agents(agents: &[Agent]) -> Vec<CompletionCandidate> {
    agents.iter().filter_map(|agent| candidate(&agent.name, &agent.description)).collect()
}

/// Names, and ids for those who know one: each says what the other is.
fn sessions(living: &[Live]) -> Vec<CompletionCandidate> {
    let names = living.iter().filter_map(|live| candidate(&live.name, &live.folder.to_string_lossy()));
    let ids = living.iter().filter_map(|live| candidate(&live.session.to_string(), &live.name));
    names.chain(ids).collect()
}

fn texts(kind: Kind, config: &Config) -> BTreeSet<String> {
    match kind {
        Kind::Provider => config.providers.keys().map(ToString::to_string).collect(),
        Kind::Profile => {
            let default = Profile::DEFAULT.to_owned();
            config.profiles.keys().cloned().chain([default]).collect()
        }
        Kind::Route => {
            let of_agents = config.agents.iter().filter_map(|agent| agent.model.route());
            let routes = config.routes.keys().chain(&config.policy.allowed).chain(&config.main.route);
            routes.chain(of_agents).map(ToString::to_string).collect()
        }
        Kind::Model => {
            let claude = MODELS.into_iter().map(str::to_owned);
            texts(Kind::Route, config).into_iter().chain(claude).collect()
        }
        Kind::Budget => config.budgets.iter().map(|budget| budget.name.clone()).collect(),
        Kind::Theme => config.themes.choices().map(str::to_owned).collect(),
        Kind::Agent | Kind::Preset | Kind::Sample | Kind::Session | Kind::Ended => BTreeSet::new(),
    }
}

/// A name that would do something to the terminal is left out.
fn candidate(name: &str, about: &str) -> Option<CompletionCandidate> {
    if visible(name) != name {
        return None;
    }
    let about: String = visible(about.lines().next().unwrap_or_default()).chars().take(ABOUT).collect();
    let help = (!about.is_empty()).then(|| about.into());
    Some(CompletionCandidate::new(name).help(help))
}

fn config_dir(words: &[OsString]) -> Option<PathBuf> {
    let mut words = words.iter().filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        match word.strip_prefix("--config-dir") {
            Some("") => return words.next().filter(|folder| !folder.is_empty()).map(PathBuf::from),
            Some(rest) => return rest.strip_prefix('=').map(Path::new).map(Path::to_owned),
            None => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_typed_already_counts() {
        for (line, expect) in [
            (&["subagents", "run"][..], None),
            (&["subagents", "--config-dir", "/c", "run"], Some("/c")),
            (&["subagents", "--config-dir=/c"], Some("/c")),
            (&["subagents", "--config-dir"], None),
            (&["subagents", "--config-dir", ""], None),
        ] {
            let words: Vec<OsString> = line.iter().map(OsString::from).collect();
            assert_eq!(config_dir(&words), expect.map(PathBuf::from), "{line:?}");
        }
    }

    #[test]
    fn a_name_that_would_move_the_cursor_is_left_out_and_a_description_is_made_visible() {
        assert!(candidate("a\u{1b}[2J", "x").is_none());
        let help = candidate("a", "b\u{1b}c\nsecond").unwrap().get_help().unwrap().to_string();
        assert_eq!(help, "b\\u{1b}c");
    }
}
