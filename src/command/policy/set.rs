//! `subagents policy set`: the switch and what comes to and goes from the list, in one write.

use std::process::ExitCode;

use clap::{ArgGroup, Args};

use crate::command::change::tell;
use crate::command::route::allow::none_is_named_twice;
use crate::command::{Context, Failure};
use crate::config::RouteId;
use crate::config::edit::policy;

#[derive(Debug, Args)]
#[command(
    after_help = "All of it is written at once, or nothing: the list may be emptied in the same step that \
    switches the policy off. A change counts for sessions that are started after it.\n\n\
    Example:\n  subagents policy set --enabled true --allow ollama/qwen3-coder:30b --deny glm/glm-5"
)]
#[command(group = ArgGroup::new("change").args(["enabled", "allow", "deny"]).required(true).multiple(true))]
pub(super) struct Set {
    /// Whether models may choose among the authorised routes at all.
    #[arg(long, value_name = "BOOL")]
    enabled: Option<bool>,
    /// A route that is to be authorised; may be given several times.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    allow: Vec<RouteId>,
    /// A route that is to be authorised no more; may be given several times.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    deny: Vec<RouteId>,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Set {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let routes: Vec<RouteId> = self.allow.iter().chain(&self.deny).cloned().collect();
        none_is_named_twice(&routes)?;
        let changes = context.change_config("policy set", |document| {
            policy::deny(document, &self.deny)?;
            policy::allow(document, &self.allow)?;
            self.enabled.map_or(Ok(()), |enabled| policy::switch(document, enabled))
        })?;
        tell("policy set", &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }
}
