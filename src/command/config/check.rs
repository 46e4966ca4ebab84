//! `subagents config check`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::command::{Context, Failure, print};
use crate::config::Severity;

#[derive(Debug, Args)]
#[command(
    after_help = "Exits with 3 if something can't be used. What a launch would meet beside that, `subagents doctor` \
                  tells.\n\nExample:\n  subagents config check --json"
)]
pub(super) struct Check {
    /// Print `{"version":1,"problems":[…],"errors":N}`.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) fn run(self, context: &Context) -> ExitCode {
        let (config, problems) = context.config();
        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        if self.json {
            print::json(&json!({"version": 1, "problems": problems, "errors": errors}));
        } else {
            for problem in &problems {
                print::line(&problem.to_string());
            }
            let (agents, providers) = (config.agents.len(), config.providers.len());
            print::line(&format!("{agents} agents and {providers} providers can be used; {errors} errors"));
        }
        if errors == 0 { ExitCode::SUCCESS } else { ExitCode::from(Failure::CONFIGURATION) }
    }
}
