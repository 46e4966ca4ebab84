//! `subagents profile rm`.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure};
use crate::config::profile::remove_profile;
use crate::config::project::profile;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents profile rm fast")]
pub(super) struct Remove {
    /// Its name.
    #[arg(value_name = "PROFILE")]
    name: String,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Remove {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (config, _) = context.config();
        profile(&self.name, &config).map_err(Failure::configuration)?;
        let what = format!("profile rm {}", self.name);
        let changes =
            context.change_config(&what, |document| remove_profile(document, &self.name).map(drop))?;
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }
}
