//! `subagents run`: Claude Code in this terminal, with its sub-agents on their routes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::host::Started;
use super::launching::{LaunchArguments, failure, warn};
use super::{Context, Failure, host, print};
use crate::launch::background::Job;
use crate::launch::claude::Claude;
use crate::launch::dry_run;
use crate::launch::session::{InTerminal, Launch};
use crate::launch::stats::Stats;
use crate::launch::unseen;
use crate::ui::{Summary, summary};

/// For Claude Code's `--version`, which is asked for where it may explain something.
const VERSION_LIMIT: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    subagents run\n  \
    subagents run --agent reviewer -- --permission-mode acceptEdits\n  \
    subagents run --detach --name shop\n  \
    subagents run --hide scout --dry-run\n  \
    subagents run --dry-run -- -p \"please use reviewer\"")]
pub(super) struct Run {
    #[command(flatten)]
    launch: LaunchArguments,
    /// Leave the session alone in the background: `subagents attach` shows it.
    #[arg(long, conflicts_with_all = ["preview", "stats_file"])]
    detach: bool,
    /// Show what would run, and run nothing.
    #[arg(long = "dry-run")]
    preview: bool,
    /// With --dry-run or --detach: as JSON (docs/json/dry-run.schema.json, docs/json/run-detach.schema.json).
    #[arg(long)]
    json: bool,
    /// Write the figures here at the end, and on SIGUSR1.
    #[arg(long, value_name = "FILE")]
    stats_file: Option<PathBuf>,
}

impl Run {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        if self.json && !(self.preview || self.detach) {
            return Err(Failure::usage(
                "--json goes with --dry-run or --detach: the terminal is Claude Code's",
            ));
        }
        if self.detach {
            let asked = host::of_launch(&self.launch);
            return match host::start(&asked, &self.launch.claude_args, context).await? {
                Started::Begun(begun) => Ok(host::tell(&begun, self.json)),
                Started::Refused(code) => Ok(code),
            };
        }
        let ingredients = self.launch.read(context)?;
        let agents = ingredients.agents()?;
        ingredients.tell_left_out();
        let launch = Launch { counted: self.stats_file.is_some(), ..ingredients.launch(&agents, context) };
        if self.preview {
            return self.show(&launch);
        }
        perform(&launch, self.stats_file.as_deref()).await
    }

    fn show(&self, launch: &Launch<'_>) -> Result<ExitCode, Failure> {
        let command = launch.dry_run().map_err(failure)?;
        if self.json {
            print::json(&dry_run::json(&command));
        } else {
            print::line(dry_run::text(&command).trim_end());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Launches, waits, and tells what was counted.
pub(super) async fn perform(launch: &Launch<'_>, stats_file: Option<&Path>) -> Result<ExitCode, Failure> {
    let session = InTerminal::start(launch, warn).await.map_err(failure)?;
    let ended = session.wait(stats_file, tell_background).await.map_err(Failure::failed)?;
    if let Some(stats) = &ended.stats {
        print::line_to_stderr(tell(stats, launch.claude).trim_end());
    }
    if let Err(error) = &ended.written {
        print::line_to_stderr(&format!("subagents: the figures can't be written: {error}"));
    }
    if ended.unkept.is_none() {
        print::line_to_stderr(
            "subagents: the disk is too slow to say whether all requests are in the ledger",
        );
    }
    if ended.unkept > Some(0) {
        print::line_to_stderr(&format!(
            "subagents: {} requests could not be kept in the ledger",
            ended.unkept.unwrap_or_default()
        ));
    }
    Ok(ExitCode::from(ended.code))
}

/// The router would die under it.
fn tell_background(jobs: &[Job]) {
    let ids: Vec<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
    let id = ids.join(", ");
    print::line_to_stderr(&format!(
        "subagents: the session goes on in Claude Code's background ({id}): see it by `claude attach {id}`. Its router \
         stays here until it ends; Ctrl-C ends both. (`subagents run --detach` needs no terminal for that.)"
    ));
}

fn tell(stats: &Stats, claude: &Claude) -> String {
    let version = || claude.version(VERSION_LIMIT).ok();
    let hint = stats.none_was_seen().then(version).flatten().and_then(unseen::hint);
    summary(&Summary {
        figures: &stats.figures,
        hooks: stats.hooks,
        bypass: stats.bypass.as_deref(),
        unseen: stats.unseen.as_deref().unwrap_or_default(),
        hint: hint.as_deref(),
    })
}
