//! `subagents policy …`: may a model choose a route for itself, and which.

mod explain;
mod set;
mod show;
mod switch;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{Context, Failure};

/// Which routes a model may choose for itself.
#[derive(Debug, Args)]
pub(super) struct Policy {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Whether a model may choose, which routes, and what happens to strays.
    Show(show::Show),
    /// What would happen on a route or with an agent, and by which rule.
    Explain(explain::Explain),
    /// Let models choose among the authorised routes.
    On(switch::On),
    /// Let models choose nothing; the list of routes stays.
    Off(switch::Off),
    /// Change the switch and the list together.
    Set(set::Set),
}

impl Policy {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self.verb {
            Verb::Show(show) => Ok(show.run(context)),
            Verb::Explain(explain) => explain.run(context),
            Verb::On(on) => on.run(context),
            Verb::Off(off) => off.run(context),
            Verb::Set(set) => set.run(context),
        }
    }
}
