//! `subagents profile rm`.

use std::process::ExitCode;

use clap::Args;

use super::{outcome, refused};
use crate::command::{Context, Failure};
use crate::config::profile::remove_profile;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents profile rm fast")]
pub(super) struct Remove {
    /// Its name.
    #[arg(value_name = "PROFILE")]
    name: String,
    /// Print what was changed as JSON (docs/json/profile-change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Remove {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let done = remove_profile(&context.places, &self.name).map_err(refused)?;
        outcome(&self.name, None, done, self.json);
        Ok(ExitCode::SUCCESS)
    }
}
