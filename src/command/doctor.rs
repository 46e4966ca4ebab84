//! `subagents doctor`: what would go wrong at the next launch, each with its fix.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{Context, Failure, print};
use crate::config::{Config, Profile};
use crate::launch::doctor::{Ground, Severity, examine, gather};
use crate::ui::checkup;

#[derive(Debug, Args)]
#[command(
    after_help = "Exits with 1 if something would break a launch.\n\nExample:\n  subagents doctor --json"
)]
pub(super) struct Doctor {
    /// The profile that would be launched.
    #[arg(long, default_value = Profile::DEFAULT, value_name = "NAME")]
    profile: String,
    /// Print `{"version":1,"findings":[…],"breaks":N}`.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let environment = &context.environment;
        let project = std::env::current_dir().map_err(Failure::failed)?;
        let (config, problems) = context.config();
        let profile = self.profile(&config)?;
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

    fn profile(&self, config: &Config) -> Result<Profile, Failure> {
        match config.profiles.get(&self.profile) {
            Some(profile) => Ok(profile.clone()),
            None if self.profile == Profile::DEFAULT => Ok(Profile::default()),
            None => Err(Failure::configuration(format!(
                "there is no profile `{0}`: add `[profiles.{0}]` to config.toml, or leave --profile out",
                self.profile
            ))),
        }
    }
}
