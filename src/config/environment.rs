//! The process's environment as a value, read once and handed on.
//!
//! Nothing below `main` asks the process itself, so that a test (or a child's view) is only another value.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Environment variables. An empty one counts as unset.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// The environment that this process was started with.
    pub fn of_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// A variable's text; `None` where it is missing, empty or not UTF-8.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.os(name)?.to_str()
    }

    /// A variable's value as a path; `None` where it is missing or empty.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.os(name).map(PathBuf::from)
    }

    /// `HOME`, else what the system's user database says.
    pub fn home(&self) -> Option<PathBuf> {
        self.path("HOME").or_else(|| etcetera::home_dir().ok())
    }

    /// All variables in the order of their names, empty ones too: what a child inherits.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    fn os(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }
}

/// Names only: values hold keys.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_is_unset() {
        let environment = Environment::from_iter([("A", "1"), ("B", "")]);
        assert_eq!((environment.get("A"), environment.get("B")), (Some("1"), None));
        assert_eq!(environment.iter().count(), 2);
    }

    #[test]
    fn debug_shows_no_value() {
        let shown = format!("{:?}", Environment::from_iter([("KEY", "canary-value")]));
        assert!(shown.contains("KEY") && !shown.contains("canary"), "{shown}");
    }
}
