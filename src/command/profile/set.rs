//! `subagents profile set`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure, print};
use crate::config::profile::{FolderChange, ProfileChange, check_profile_name};

#[derive(Debug, Args)]
#[command(after_help = "What isn't given stays as it is.\n\nExamples:\n  \
    subagents profile set review --agents reviewer,scout --args \"--permission-mode plan\"\n  \
    subagents profile set default --agents \"*\"\n  \
    subagents profile set here --folder .")]
pub(super) struct Set {
    /// Its name: letters, digits, `.`, `_` and `-`.
    #[arg(value_name = "PROFILE")]
    name: String,
    /// The agents that a launch takes, with commas between; `*` takes all (as a new profile does), an empty text none.
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    agents: Option<Vec<String>>,
    /// Arguments for Claude Code, as they would be typed; an empty text takes them all away.
    #[arg(long, value_name = "ARGS", allow_hyphen_values = true)]
    args: Option<String>,
    /// Where a session starts; an empty text: where you are.
    #[arg(long, value_name = "DIR")]
    folder: Option<String>,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Set {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let change = ProfileChange {
            agents: self.agents.map(|names| names.into_iter().filter(|name| !name.is_empty()).collect()),
            args: self.args.as_deref().map(split).transpose()?,
            folder: self.folder.as_deref().map(folder).transpose()?,
        };
        check_profile_name(&self.name).map_err(Failure::usage)?;
        if change.is_empty() {
            return Err(Failure::usage("nothing is to be changed: give --agents, --args or --folder"));
        }
        let (config, _) = context.config();
        let known = |name: &&String| *name == "*" || config.agents.iter().any(|agent| agent.name == **name);
        for name in change.agents.iter().flatten().filter(|name| !known(name)) {
            print::line_to_stderr(&format!("subagents: there is no agent `{}` yet", name.escape_debug()));
        }
        let what = format!("profile set {}", self.name);
        let changes = context.change_config(&what, |document| change.write(&self.name, document))?;
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }
}

fn split(line: &str) -> Result<Vec<String>, Failure> {
    shlex::split(line).ok_or_else(|| Failure::usage("--args: a quote is open: close it"))
}

/// `~` stays as it is written; anything else is meant from where the person is.
fn folder(text: &str) -> Result<FolderChange, Failure> {
    if text.is_empty() {
        return Ok(FolderChange::Unset);
    }
    if text == "~" || text.starts_with("~/") {
        return Ok(FolderChange::Set(text.to_owned()));
    }
    let named = |error| Failure::usage(format!("--folder {text}: {error}"));
    let folder = Path::new(text).canonicalize().map_err(named)?;
    let text = folder.to_str().filter(|_| folder.is_dir());
    let text = text.ok_or_else(|| Failure::usage(format!("--folder {} is no folder", folder.display())))?;
    Ok(FolderChange::Set(text.to_owned()))
}
