//! `subagents profile show`.

use std::process::ExitCode;

use clap::Args;

use super::{shown, words};
use crate::command::{Context, Failure, print};
use crate::config::Profile;
use crate::config::project::profile;
use crate::ui::visible;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents profile show default")]
pub(super) struct Show {
    /// Its name.
    #[arg(default_value = Profile::DEFAULT, value_name = "PROFILE")]
    name: String,
    /// Print JSON (docs/json/profile-show.schema.json).
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (config, _) = context.config();
        let profile = profile(&self.name, &config).map_err(Failure::configuration)?;
        if self.json {
            let mut value = shown(&self.name, &profile);
            value["version"] = 1.into();
            print::json(&value);
        } else {
            print::line(&text(&profile));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn text(profile: &Profile) -> String {
    let folder = profile.folder.as_ref().map_or("(where you are)".to_owned(), |f| f.display().to_string());
    let args = if profile.args.is_empty() { "(none)".to_owned() } else { words(&profile.args) };
    let agents = if profile.agents.is_empty() { "(none)".to_owned() } else { profile.agents.join(",") };
    let lines = [("agents", agents), ("args", args), ("folder", folder)];
    lines.map(|(key, value)| format!("{key:<8}{}", visible(&value))).join("\n")
}
