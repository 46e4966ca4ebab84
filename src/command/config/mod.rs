//! `subagents config …`: the configuration's files themselves.

mod check;
mod edit;
mod init;
mod path;
mod schema;
mod theme;
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
    /// Write a config.toml with every setting as a comment.
    Init(init::Init),
    /// Where config.toml and the agents are.
    Path(path::Path),
    /// Everything that is wrong with them, with file, line and remedy.
    Check(check::Check),
    /// Edit config.toml in your editor; it is checked before it is taken over.
    Edit(edit::Edit),
    /// The JSON schema of config.toml, for editors.
    Schema(schema::Schema),
    /// The themes of the terminal app, or the one that it takes.
    Theme(theme::Theme),
    /// Take the last change by a command back, or do it again.
    Undo(undo::Undo),
}

impl Files {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self.verb {
            Verb::Init(init) => init.run(context),
            Verb::Schema(schema::Schema {}) => Ok(schema::show()),
            Verb::Path(path) => Ok(path.run(context)),
            Verb::Check(check) => Ok(check.run(context)),
            Verb::Edit(edit) => edit.run(context),
            Verb::Theme(theme) => theme.run(context),
            Verb::Undo(undo) => undo.run(context),
        }
    }
}
