//! `subagents doctor`: what would go wrong at the next launch, each with its fix.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::profile::chosen;
use super::{Context, Failure, print};
use crate::config::{NoFolder, Problem, Severity as Weight};
use crate::launch::doctor::{Ground, Severity, examine, gather};
use crate::ui::checkup;

#[derive(Debug, Args)]
#[command(
    after_help = "Exits with 1 if something would break a launch.\n\nExample:\n  subagents doctor --json"
)]
pub(super) struct Doctor {
    /// The profile that would be launched (else the project's, if it is trusted, else `default`).
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// Print `{"version":1,"findings":[…],"breaks":N}`.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let environment = &context.environment;
        let here = super::here()?;
        let (config, mut problems) = context.config();
        let choice = chosen(context, self.profile.as_deref(), &config, &here)?;
        problems.extend(choice.problem);
        let profile = choice.profile;
        let project = profile.start(&here).unwrap_or_else(|error| {
            problems.push(missing(&error, context));
            here
        });
        let ground = Ground { environment, profile: &profile, project: &project };
        let findings = examine(&gather(&ground, config, problems).await);
        let breaks = findings.iter().filter(|finding| finding.severity == Severity::Breaks).count();
        if self.json {
            print::json(&json!({"version": 1, "findings": findings, "breaks": breaks}));
        } else {
            print::line(&checkup(&findings, print::colour(environment)));
        }
        Ok(if breaks == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// The launch would be refused.
fn missing(error: &NoFolder, context: &Context) -> Problem {
    Problem {
        severity: Weight::Error,
        file: context.places.config_file(),
        line: None,
        message: error.to_string(),
        remedy: String::new(),
    }
}
