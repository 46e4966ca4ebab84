//! `subagents route …`: exact models of providers.

mod add;
pub(super) mod allow;
mod limits;
mod list;
mod remove;
mod show;
mod test;
pub(super) mod trying;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{Context, Failure};

/// Exact models of providers: what is known of them, who may use them, whether they work.
#[derive(Debug, Args)]
pub(super) struct Route {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Every route in use: by whom, and what is known of it.
    List(list::List),
    /// One route: what is known of it, and what is changed for its provider, with the reasons.
    Show(show::Show),
    /// Write down what is known of a route, how much it takes, and what takes its place.
    Add(Box<add::Add>),
    /// Take what is written of a route out of config.toml.
    Rm(remove::Remove),
    /// Let models choose these routes for themselves, while the policy is on.
    Allow(allow::Allow),
    /// Let models choose these routes no more.
    Deny(allow::Deny),
    /// Try a route for real: one tiny completion with a tool.
    Test(test::Test),
}

impl Route {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self.verb {
            Verb::List(list) => Ok(list.run(context)),
            Verb::Show(show) => show.run(context),
            Verb::Add(add) => add.run(context).await,
            Verb::Rm(remove) => remove.run(context),
            Verb::Allow(allow) => allow.run(context),
            Verb::Deny(deny) => deny.run(context),
            Verb::Test(test) => test.run(context).await,
        }
    }
}
