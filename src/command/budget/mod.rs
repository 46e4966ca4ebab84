//! `subagents budget …`: how much may be used of routes.

mod list;
mod remove;
mod set;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{Context, Failure};

/// How much may be used of routes, and how much was.
#[derive(Debug, Args)]
pub(super) struct Budgets {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// All budgets, and what is used of each.
    List(list::List),
    /// Create one, or change it.
    Set(set::Set),
    /// Remove one.
    #[command(name = "rm")]
    Remove(remove::Remove),
}

impl Budgets {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self.verb {
            Verb::List(list) => list.run(context),
            Verb::Set(set) => set.run(context),
            Verb::Remove(remove) => remove.run(context),
        }
    }
}
