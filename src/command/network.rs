//! What asking a provider takes: the way out that a launch would take, and a word of progress.

use std::fmt::Display;
use std::io::IsTerminal;

use super::{Context, Failure, print};
use crate::catalogue::{Cache, Catalogue};
use crate::launch::surroundings::Surroundings;
use crate::router::Shared;

impl Context {
    /// Connections as the router would make them: by the proxies that Claude Code's settings and the environment
    /// name.
    pub(super) fn shared(&self) -> Result<Shared, Failure> {
        let project = super::here()?;
        Ok(Shared::new(&Surroundings::of(&project, &self.environment).proxies))
    }

    /// What asks providers for their models.
    pub(super) fn catalogue<'a>(&'a self, shared: &'a Shared) -> Catalogue<'a> {
        Catalogue { environment: &self.environment, shared, cache: Cache::new(&self.places) }
    }
}

/// Tells somebody at a terminal what is being waited for.
pub(super) fn progress(what: impl Display) {
    if std::io::stderr().is_terminal() {
        print::line_to_stderr(&format!("… {what}"));
    }
}
