//! Where the user's files, the state and the sockets are.
//!
//! Pure but for one look: whether `~/.config/subagents` exists. Creates nothing.

use std::path::{Path, PathBuf};

use super::environment::Environment;

const NAME: &str = "subagents";

/// The four folders that everything else is found under. None of them need exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// `config.toml`, `agents/` and `themes/`.
    pub config_dir: PathBuf,
    /// The ledger and whatever else outlives a session.
    pub data_dir: PathBuf,
    /// The log.
    pub state_dir: PathBuf,
    /// Sockets and files of live sessions.
    pub runtime_dir: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlacesError {
    #[error("no home folder is known: set HOME, or give --config-dir and set XDG_DATA_HOME")]
    NoHome,
}

impl Places {
    /// `explicit` is `--config-dir`, and wins over the environment.
    pub fn resolve(environment: &Environment, explicit: Option<&Path>) -> Result<Self, PlacesError> {
        let config_dir = match explicit {
            Some(folder) => folder.to_owned(),
            None => config_dir(environment)?,
        };
        let data_dir = match xdg(environment, "XDG_DATA_HOME") {
            Some(folder) => folder,
            None => home(environment)?.join(".local/share").join(NAME),
        };
        let state_dir = xdg(environment, "XDG_STATE_HOME")
            .or_else(|| Some(environment.home()?.join(".local/state").join(NAME)))
            .unwrap_or_else(|| data_dir.clone());
        let runtime_dir = xdg(environment, "XDG_RUNTIME_DIR").unwrap_or_else(|| data_dir.join("run"));
        Ok(Self { config_dir, data_dir, state_dir, runtime_dir })
    }

    /// `config.toml`
    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join(super::CONFIG_FILE)
    }

    /// The last changes by commands.
    pub fn history_dir(&self) -> PathBuf {
        self.state_dir.join("history")
    }

    /// What somebody wrote in an editor and could not be taken over.
    pub fn drafts_dir(&self) -> PathBuf {
        self.state_dir.join("drafts")
    }

    /// What is logged where somebody asks for it.
    pub fn log_file(&self) -> PathBuf {
        self.state_dir.join("subagents.log")
    }

    /// What was trusted of projects, one file each.
    pub fn trust_dir(&self) -> PathBuf {
        self.data_dir.join("trust")
    }

    /// Keys that `--key-stdin` stored.
    pub fn keys_dir(&self) -> PathBuf {
        self.data_dir.join("secrets")
    }

    /// Sessions and their requests.
    pub fn ledger_file(&self) -> PathBuf {
        self.data_dir.join("ledger.db")
    }

    /// Delegations that can be gone on with.
    pub fn delegations_dir(&self) -> PathBuf {
        self.data_dir.join("delegations")
    }

    /// Sessions that live: where each is, and that it does.
    pub fn live_dir(&self) -> PathBuf {
        self.data_dir.join("live")
    }

    /// `themes/`
    pub fn themes_dir(&self) -> PathBuf {
        self.config_dir.join(super::THEMES_FOLDER)
    }

    /// `agents/`
    pub fn agents_dir(&self) -> PathBuf {
        self.config_dir.join(super::AGENTS_FOLDER)
    }
}

fn config_dir(environment: &Environment) -> Result<PathBuf, PlacesError> {
    let named = environment.path("SUBAGENTS_CONFIG_DIR");
    if let Some(folder) = named.or_else(|| xdg(environment, "XDG_CONFIG_HOME")) {
        return Ok(folder);
    }
    Ok(home(environment)?.join(".config").join(NAME))
}

/// The XDG rules say that a relative path is to be ignored.
fn xdg(environment: &Environment, variable: &str) -> Option<PathBuf> {
    environment.path(variable).filter(|folder| folder.is_absolute()).map(|folder| folder.join(NAME))
}

fn home(environment: &Environment) -> Result<PathBuf, PlacesError> {
    environment.home().ok_or(PlacesError::NoHome)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], explicit: Option<&str>, expect: [&str; 3]) {
        let environment = variables.iter().copied().collect();
        let places = Places::resolve(&environment, explicit.map(Path::new)).unwrap();
        let found = [&places.config_dir, &places.data_dir, &places.runtime_dir];
        assert_eq!(found.map(|p| p.to_str().unwrap()), expect, "{variables:?}");
    }

    #[test]
    fn the_log_is_state() {
        for (variables, expect) in [
            (&[("HOME", "/h")][..], "/h/.local/state/subagents/subagents.log"),
            (&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")], "/s/subagents/subagents.log"),
        ] {
            let places = Places::resolve(&variables.iter().copied().collect(), None).unwrap();
            assert_eq!(places.log_file(), Path::new(expect));
        }
    }

    #[test]
    fn each_folder_comes_from_the_first_that_names_it() {
        let home = ("HOME", "/h");
        let data = "/h/.local/share/subagents";
        let run = "/h/.local/share/subagents/run";
        check(&[home], None, ["/h/.config/subagents", data, run]);
        check(&[home, ("XDG_CONFIG_HOME", "/x")], None, ["/x/subagents", data, run]);
        check(&[home, ("XDG_CONFIG_HOME", "/x"), ("SUBAGENTS_CONFIG_DIR", "/s")], None, ["/s", data, run]);
        check(&[home, ("SUBAGENTS_CONFIG_DIR", "/s")], Some("/e"), ["/e", data, run]);
        check(
            &[home, ("XDG_CONFIG_HOME", ""), ("XDG_DATA_HOME", "rel")],
            None,
            ["/h/.config/subagents", data, run],
        );
        check(
            &[home, ("XDG_DATA_HOME", "/d"), ("XDG_RUNTIME_DIR", "/r")],
            None,
            ["/h/.config/subagents", "/d/subagents", "/r/subagents"],
        );
    }
}
