//! What a launch takes when nothing is said: which agents, which arguments, and where it starts.

mod change;

use std::path::{Path, PathBuf};

pub use change::{FolderChange, ProfileChange, ProfileNameError, check_profile_name, remove_profile};

/// `[profiles.NAME]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Names of agents; `*` stands for all of them.
    pub agents: Vec<String>,
    /// Arguments for Claude Code, before the ones given on the command line.
    pub args: Vec<String>,
    /// Where the session starts, absolute; `None`: where the person is.
    pub folder: Option<PathBuf>,
}

/// The profile's folder is no place to start in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the profile's folder {0} is no folder: make it, or correct `folder` in config.toml")]
pub struct NoFolder(pub PathBuf);

impl Default for Profile {
    fn default() -> Self {
        Self { agents: vec!["*".to_owned()], args: Vec::new(), folder: None }
    }
}

impl Profile {
    /// The profile that is taken when none is named.
    pub const DEFAULT: &'static str = "default";

    pub fn takes(&self, agent: &str) -> bool {
        self.agents.iter().any(|a| a == "*" || a == agent)
    }

    /// Where the session starts: the profile's folder, else `here`.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn start(&self, here: &Path) -> Result<PathBuf, NoFolder> {
        match &self.folder {
            Some(folder) if !folder.is_dir() => Err(NoFolder(folder.clone())),
            Some(folder) => Ok(folder.clone()),
            None => Ok(here.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_starts_in_the_profiles_folder_if_there_is_one() {
        let root = tempfile::tempdir().unwrap();
        let here = Path::new("/here");
        let start = |folder: Option<PathBuf>| Profile { folder, ..Profile::default() }.start(here);
        assert_eq!(start(None), Ok(here.to_owned()));
        assert_eq!(start(Some(root.path().to_owned())), Ok(root.path().to_owned()));
        let missing = root.path().join("missing");
        assert_eq!(start(Some(missing.clone())), Err(NoFolder(missing)));
    }
}
