//! Which profile a launch takes: the one that is named, else the project's if it is trusted, else the default. Pure.

use std::path::PathBuf;

use super::{Project, Standing};
use crate::config::{Config, Problem, Profile, Severity, similar};

/// The profile of a launch, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub profile: Profile,
    pub source: Source,
    /// A project's profile that is there and isn't used, with the reason.
    pub problem: Option<Problem>,
}

/// Where a profile comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// `--profile NAME`
    Named(String),
    /// The project's own file.
    Project(PathBuf),
    /// `[profiles.default]`, or what stands in for it.
    Default,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no profile `{name}` (`[profiles.{name}]` in config.toml): {known}")]
pub struct NoSuchProfile {
    pub name: String,
    /// "Did you mean", or all that there is.
    pub known: String,
}

/// Chooses for a launch; a profile that is named leaves the project out altogether.
///
/// # Errors
/// There is no profile of the name. `default` need not be in the file.
pub fn choose(
    named: Option<&str>,
    config: &Config,
    project: Option<Project>,
) -> Result<Choice, NoSuchProfile> {
    if let Some(name) = named {
        let source = Source::Named(name.to_owned());
        return Ok(Choice { profile: profile(name, config)?, source, problem: None });
    }
    let default = profile(Profile::DEFAULT, config).unwrap_or_default();
    let Some(project) = project else {
        return Ok(Choice { profile: default, source: Source::Default, problem: None });
    };
    if let Standing::Trusted(profile) = project.standing {
        return Ok(Choice { profile, source: Source::Project(project.file), problem: None });
    }
    Ok(Choice { profile: default, source: Source::Default, problem: unused(&project) })
}

/// The profile of this name; `default` is there even where config.toml doesn't name it.
///
/// # Errors
/// There is none.
pub fn profile(name: &str, config: &Config) -> Result<Profile, NoSuchProfile> {
    match config.profiles.get(name) {
        Some(profile) => Ok(profile.clone()),
        None if name == Profile::DEFAULT => Ok(Profile::default()),
        None => {
            let known = similar::suggestion(name, config.profiles.keys().map(String::as_str));
            Err(NoSuchProfile { name: name.to_owned(), known })
        }
    }
}

fn unused(project: &Project) -> Option<Problem> {
    let (reason, remedy) = project.standing.reason()?;
    Some(Problem {
        severity: Severity::Warning,
        file: project.file.clone(),
        line: None,
        message: format!("the project's profile is not used: {reason}"),
        remedy,
    })
}
