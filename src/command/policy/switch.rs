//! `subagents policy on` and `off`: the switch and the list in one write.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::route::allow::none_is_named_twice;
use crate::command::{Context, Failure};
use crate::config::RouteId;
use crate::config::edit::policy;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents policy on ollama/qwen3-coder:30b")]
pub(super) struct On {
    /// Routes that are authorised with it, beside those that are already.
    #[arg(value_name = "PROVIDER/MODEL")]
    routes: Vec<RouteId>,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl On {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        none_is_named_twice(&self.routes)?;
        let changes = context.change_config("policy on", |document| {
            policy::switch(document, true)?;
            policy::allow(document, &self.routes).map(|_| ())
        })?;
        tell("policy on", &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents policy off")]
pub(super) struct Off {
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Off {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let changes = context.change_config("policy off", |document| policy::switch(document, false))?;
        tell("policy off", &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }
}
