//! `subagents stop`: ends sessions, and tells what it took.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::sessions::refusal;
use super::{Context, Failure, print};
use crate::launch::live::{self, Live};
use crate::launch::sessions::{How, StopError, Stopped, choose, interrupted, stop};
use crate::ledger::Ledger;
use crate::ui::visible;

#[derive(Debug, Args)]
#[command(
    after_help = "Claude Code is asked to end, and after some seconds made to; what it left running is ended \
                        too, also that of a session that was interrupted.\n\nExamples:\n  subagents stop shop\n  subagents stop --all"
)]
pub(super) struct Stop {
    /// Their names, ids or the beginnings of those; not needed where only one lives.
    #[arg(value_name = "SESSION", conflicts_with = "all")]
    sessions: Vec<String>,
    /// All that live.
    #[arg(long)]
    all: bool,
    /// Print `{"version":1,"stopped":[…],"failed":[…]}`.
    #[arg(long)]
    json: bool,
}

impl Stop {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let folder = context.places.live_dir();
        let meant = self.meant(&live::living(&folder), context)?;
        let mut ending = JoinSet::new();
        for (at, live) in meant.into_iter().enumerate() {
            let folder = folder.clone();
            if !self.json && print::is_watched() {
                print::line_to_stderr(&format!("stopping {} …", visible(&live.name)));
            }
            ending.spawn(async move {
                let stopped = stop(&live, &folder).await;
                (at, live, stopped)
            });
        }
        let mut results = Vec::new();
        while let Some(result) = ending.join_next().await {
            let (at, live, stopped) = result.map_err(Failure::failed)?;
            if !self.json {
                tell(&live, &stopped);
            }
            results.push((at, live, stopped));
        }
        results.sort_by_key(|(at, ..)| *at);
        if self.json {
            print::json(&document(&results));
        }
        let is_done = results.iter().all(|(.., stopped)| stopped.is_ok());
        Ok(if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Each once.
    fn meant(&self, living: &[Live], context: &Context) -> Result<Vec<Live>, Failure> {
        if self.all {
            return Ok(living.to_vec());
        }
        let given: Vec<Option<&str>> = if self.sessions.is_empty() {
            vec![None]
        } else {
            self.sessions.iter().map(|given| Some(given.as_str())).collect()
        };
        let mut meant: Vec<Live> = Vec::new();
        for given in given {
            let live = match choose(living, given) {
                Ok(live) => live.clone(),
                Err(error) => dead(living, given, context).ok_or_else(|| refusal(error))?,
            };
            if !meant.contains(&live) {
                meant.push(live);
            }
        }
        Ok(meant)
    }
}

/// A session that was interrupted: what it has left running can still be ended.
fn dead(living: &[Live], given: Option<&str>, context: &Context) -> Option<Live> {
    let file = context.places.ledger_file();
    let ledger = file.exists().then(|| Ledger::open(&file).ok()).flatten()?;
    interrupted(ledger.sessions().ok()?, living, given?)
}

type Outcome = (usize, Live, Result<Stopped, StopError>);

fn tell(live: &Live, stopped: &Result<Stopped, StopError>) {
    let stopped = match stopped {
        Ok(stopped) => stopped,
        Err(error) => return print::line_to_stderr(&format!("subagents: {}", visible(&error.to_string()))),
    };
    print::line(&format!("{}: {}", visible(&live.name), took(stopped)));
    for process in &stopped.swept {
        print::line(&format!("  ended too: {}", visible(process)));
    }
}

/// What it took, in words.
fn took(stopped: &Stopped) -> String {
    let by = match stopped.how {
        How::Asked if stopped.steps.is_empty() => "by itself".to_owned(),
        How::Asked => stopped.steps.join(", then "),
        How::Signalled => "SIGTERM to its process".to_owned(),
        How::Killed => "its process was killed, because it heeded nothing else".to_owned(),
        How::Gone => "before it was asked".to_owned(),
    };
    let code = stopped.code.map(|code| format!(" with exit code {code}")).unwrap_or_default();
    format!("ended{code} ({by})")
}

fn document(results: &[Outcome]) -> Value {
    let stopped = results.iter().filter_map(|(_, live, stopped)| Some((live, stopped.as_ref().ok()?)));
    let failed = results.iter().filter_map(|(_, live, stopped)| Some((live, stopped.as_ref().err()?)));
    json!({
        "version": 1,
        "stopped": stopped.map(|(live, stopped)| one(live, stopped)).collect::<Vec<_>>(),
        "failed": failed.map(|(live, error)| json!({
            "session": live.session, "name": live.name, "reason": error.to_string(),
        })).collect::<Vec<_>>(),
    })
}

fn one(live: &Live, stopped: &Stopped) -> Value {
    let how = match stopped.how {
        How::Asked => "asked",
        How::Signalled => "signalled",
        How::Killed => "killed",
        How::Gone => "gone",
    };
    json!({
        "session": live.session,
        "name": live.name,
        "how": how,
        "exit_code": stopped.code,
        "steps": stopped.steps,
        "swept": stopped.swept,
    })
}
