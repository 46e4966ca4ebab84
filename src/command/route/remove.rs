//! `subagents route rm`.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure, print};
use crate::config::RouteId;
use crate::config::changes::remove_route;

#[derive(Debug, Args)]
#[command(
    after_help = "This takes away what is written of the route, not the agents that run on it: a route needs \
    no entry to be used. Nobody is asked: `subagents config undo` takes it back.\n\nExample:\n  subagents route rm glm/glm-5"
)]
pub(super) struct Remove {
    /// The route.
    #[arg(value_name = "PROVIDER/MODEL")]
    route: RouteId,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Remove {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let route = &self.route;
        let what = format!("route rm {route}");
        let changes = context.change_config(&what, |document| {
            if remove_route(document, &route.to_string())? {
                return Ok(());
            }
            Err(Failure::failed(format!(
                "config.toml says nothing of the route `{route}`: nothing was changed"
            )))
        })?;
        tell(&what, &changes, self.json);
        let (config, _) = context.config();
        let agents = config.agents.iter().filter(|agent| agent.model.route() == Some(route));
        let agents: Vec<String> = agents.map(|agent| format!("`{}`", agent.name)).collect();
        if !agents.is_empty() {
            print::line_to_stderr(&format!("These agents still run on it: {}", agents.join(", ")));
        }
        if config.policy.allowed.contains(route) {
            print::line_to_stderr(&format!(
                "It is still authorised: `subagents route deny {route}` ends that."
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
