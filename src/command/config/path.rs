//! `subagents config path`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::command::{Context, print};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents config path")]
pub(super) struct Path {
    /// Print `{"version":1,"config":"…","agents":"…","exists":…}`.
    #[arg(long)]
    json: bool,
}

impl Path {
    pub(super) fn run(self, context: &Context) -> ExitCode {
        let (config, agents) = (context.places.config_file(), context.places.agents_dir());
        if self.json {
            let (text, folder) = (config.to_string_lossy(), agents.to_string_lossy());
            print::json(&json!({"version": 1, "config": text, "agents": folder, "exists": config.exists()}));
        } else {
            print::line(&config.display().to_string());
        }
        ExitCode::SUCCESS
    }
}
