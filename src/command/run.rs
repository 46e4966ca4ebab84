//! `subagents run`: Claude Code in this terminal, with its sub-agents on their routes.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use uuid::Uuid;

use super::profile::{chosen, tell_unused};
use super::{Context, Failure, print};
use crate::config::{Config, Profile, Severity};
use crate::launch::bind::{Bound, bind};
use crate::launch::claude::Claude;
use crate::launch::dry_run;
use crate::launch::session::{Launch, LaunchError};
use crate::launch::stats::Stats;
use crate::ledger::Place;
use crate::ui::{Summary, summary};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    subagents run\n  \
    subagents run --agent reviewer -- --permission-mode acceptEdits\n  \
    subagents run --dry-run -- -p \"please use reviewer\"")]
pub(super) struct Run {
    /// The profile of config.toml that says which agents and arguments are taken, and where the session starts
    /// (else the project's, if it is trusted, else `default`).
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// Take this agent only; may be given several times.
    #[arg(long, value_name = "AGENT")]
    agent: Vec<String>,
    /// Show what would run, and run nothing.
    #[arg(long = "dry-run")]
    preview: bool,
    /// With --dry-run: as JSON.
    #[arg(long, requires = "preview")]
    json: bool,
    /// Write the figures here at the end, and on SIGUSR1.
    #[arg(long, value_name = "FILE")]
    stats_file: Option<PathBuf>,
    /// The session's id.
    #[arg(long, value_name = "UUID")]
    session: Option<Uuid>,
    /// Arguments for Claude Code.
    #[arg(last = true, value_name = "CLAUDE_ARGS")]
    claude_args: Vec<String>,
}

impl Run {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (config, problems) = context.config();
        for problem in problems.iter().filter(|problem| problem.severity > Severity::Info) {
            print::line_to_stderr(&format!("subagents: {problem}"));
        }
        let here = super::here()?;
        let choice = chosen(context, self.profile.as_deref(), &config, &here)?;
        tell_unused(&choice);
        let profile = choice.profile;
        let project = profile.start(&here).map_err(Failure::configuration)?;
        let agents = self.agents(&config, &profile)?;
        let claude =
            Claude::find(config.claude.path.as_deref(), &context.environment).map_err(Failure::no_claude)?;
        let session = self.session.unwrap_or_else(Uuid::new_v4);
        let launch = Launch {
            config: &config,
            environment: &context.environment,
            claude: &claude,
            agents: &agents,
            words: &[profile.args.as_slice(), &self.claude_args].concat(),
            project: &project,
            folder: context.places.runtime_dir.join(session.to_string()),
            session,
            counted: self.stats_file.is_some(),
            ledger: Some(Place { file: context.places.ledger_file(), retention: config.retention }),
        };
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

    /// The agents that are taken. One that is asked for by name must be usable; others are left out with a word.
    fn agents<'c>(&self, config: &'c Config, profile: &Profile) -> Result<Vec<Bound<'c>>, Failure> {
        let (bound, refused) = bind(config);
        for name in &self.agent {
            if !bound.iter().any(|bound| bound.agent.name == *name) {
                let known: Vec<&str> = bound.iter().map(|bound| bound.agent.name.as_str()).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(Failure::configuration(format!(
                    "there is no usable agent `{name}` (there is: {known})"
                )));
            }
        }
        for error in refused {
            print::line_to_stderr(&format!("subagents: left out: {error}"));
        }
        let taken = |name: &String| {
            if self.agent.is_empty() { profile.takes(name) } else { self.agent.contains(name) }
        };
        Ok(bound.into_iter().filter(|bound| taken(&bound.agent.name)).collect())
    }
}

/// Launches, waits, and tells what was counted.
pub(super) async fn perform(
    launch: &Launch<'_>,
    stats_file: Option<&std::path::Path>,
) -> Result<ExitCode, Failure> {
    let warn = |warnings: &[String]| {
        for warning in warnings {
            print::line_to_stderr(&format!("subagents: {warning}"));
        }
    };
    let session = launch.start(warn).await.map_err(failure)?;
    let ended = session.wait(stats_file).await.map_err(Failure::failed)?;
    if let Some(stats) = &ended.stats {
        print::line_to_stderr(tell(stats).trim_end());
    }
    if let Err(error) = &ended.written {
        print::line_to_stderr(&format!("subagents: the figures can't be written: {error}"));
    }
    if ended.unkept > 0 {
        print::line_to_stderr(&format!(
            "subagents: {} requests could not be kept in the ledger",
            ended.unkept
        ));
    }
    Ok(ExitCode::from(ended.code))
}

fn tell(stats: &Stats) -> String {
    summary(&Summary { figures: &stats.figures, hooks: stats.hooks, bypass: stats.bypass.as_deref() })
}

fn failure(error: LaunchError) -> Failure {
    match error {
        LaunchError::Agents(_) | LaunchError::Command(_) | LaunchError::Router(_) => {
            Failure::configuration(error)
        }
        _ => Failure::failed(error),
    }
}
