//! `subagents config …`: the configuration's files themselves.

mod check;
mod edit;
mod path;
mod undo;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{Context, Failure};

/// The configuration's files.
#[derive(Debug, Args)]
pub(super) struct Files {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Where config.toml and the agents are.
    Path(path::Path),
    /// Everything that is wrong with them, with file, line and remedy.
    Check(check::Check),
    /// Edit config.toml in your editor; it is checked before it is taken over.
    Edit(edit::Edit),
    /// Take the last change by a command back, or do it again.
    Undo(undo::Undo),
}

impl Files {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self.verb {
            Verb::Path(path) => Ok(path.run(context)),
            Verb::Check(check) => Ok(check.run(context)),
            Verb::Edit(edit) => edit.run(context),
            Verb::Undo(undo) => undo.run(context),
        }
    }
}
