//! `subagents route allow` and `deny`: the list of routes that a model may choose for itself.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure, print};
use crate::config::RouteId;
use crate::config::edit::policy;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents route allow ollama/qwen3-coder:30b")]
pub(super) struct Allow {
    /// The routes.
    #[arg(value_name = "PROVIDER/MODEL", required = true)]
    routes: Vec<RouteId>,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "The last route of a policy that is on can't be taken away: switch it off first.\n\n\
    Example:\n  subagents route deny ollama/qwen3-coder:30b")]
pub(super) struct Deny {
    /// The routes.
    #[arg(value_name = "PROVIDER/MODEL", required = true)]
    routes: Vec<RouteId>,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Allow {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        none_is_named_twice(&self.routes)?;
        let what = format!("route allow {}", listed(&self.routes));
        let changes =
            context.change_config(&what, |document| policy::allow(document, &self.routes).map(drop))?;
        tell(&what, &changes, self.json);
        if !context.config().0.policy.enabled {
            print::line_to_stderr("The policy is off, so no model chooses yet: `subagents policy on`.");
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Deny {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        none_is_named_twice(&self.routes)?;
        let what = format!("route deny {}", listed(&self.routes));
        let changes = context.change_config(&what, |document| policy::deny(document, &self.routes).map(drop));
        let changes = changes.map_err(|failure| self.explained(failure, context))?;
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }

    /// A policy that is on needs a route.
    fn explained(&self, failure: Failure, context: &Context) -> Failure {
        let policy = context.config().0.policy;
        let last = policy.enabled && policy.allowed.iter().all(|route| self.routes.contains(route));
        if !last {
            return failure;
        }
        Failure::configuration(format!(
            "{failure}\nThe policy is on, and this would be its last route: `subagents policy off` first"
        ))
    }
}

/// What is repeated was meant to be another route.
pub(in crate::command) fn none_is_named_twice(routes: &[RouteId]) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    match routes.iter().find(|route| !seen.insert(*route)) {
        Some(twice) => Err(Failure::usage(format!("`{twice}` is named twice: take one of them out"))),
        None => Ok(()),
    }
}

fn listed(routes: &[RouteId]) -> String {
    routes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
