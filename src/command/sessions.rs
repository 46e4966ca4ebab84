//! `subagents sessions`: which sessions there are, and how each is.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::watch::{Watch, is_read};
use super::{Context, Failure, print};
use crate::launch::live;
use crate::launch::sessions::{Listed, Place, State, glance, living, remembered};
use crate::ledger::Ledger;
use crate::ui::{session_line, sessions, visible};

/// How often it is looked again.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  subagents sessions\n  subagents sessions --all --json")]
pub(super) struct Sessions {
    /// Those too that have ended or were interrupted.
    #[arg(long)]
    all: bool,
    /// Go on: show the list anew each second; without a terminal, a line for each change.
    #[arg(long)]
    watch: bool,
    /// Print `{"version":1,"sessions":[…]}`; with --watch, on a line of its own whenever it has changed.
    #[arg(long)]
    json: bool,
}

impl Sessions {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        if self.watch {
            return self.go_on(context).await;
        }
        let listed = self.list(context).await?;
        if self.json {
            print::json(&document(&listed));
        } else {
            print::line(&drawn(&listed, context));
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn go_on(&self, context: &Context) -> Result<ExitCode, Failure> {
        let mut watch = Watch::on_terminal().filter(|_| !self.json);
        let mut before = None;
        while is_read() {
            let listed = self.list(context).await?;
            match &mut watch {
                Some(watch) => watch.show(&drawn(&listed, context)),
                None if self.json && before.as_ref() != Some(&listed) => {
                    print::line(&document(&listed).to_string());
                }
                None if self.json => {}
                None => print_changes(before.as_deref().unwrap_or_default(), &listed),
            }
            before = Some(listed);
            tokio::time::sleep(PAUSE).await;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// A question makes no file: where no ledger is, nothing has been remembered.
    async fn list(&self, context: &Context) -> Result<Vec<Listed>, Failure> {
        let seen = glance(&live::living(&context.places.live_dir())).await;
        let file = context.places.ledger_file();
        let ledger = file.exists().then(|| Ledger::open(&file)).transpose().map_err(Failure::failed)?;
        let mut listed = living(seen, ledger.as_ref()).map_err(Failure::failed)?;
        if let Some(ledger) = ledger.filter(|_| self.all) {
            listed.extend(remembered(&ledger, &listed, usize::MAX).map_err(Failure::failed)?);
        }
        Ok(listed)
    }
}

fn drawn(listed: &[Listed], context: &Context) -> String {
    sessions(listed, Timestamp::now().as_millisecond(), print::colour(&context.environment))
}

/// A line for each that is new, other than before, or gone.
fn print_changes(before: &[Listed], now: &[Listed]) {
    let is_in = |all: &[Listed], one: &Listed| all.iter().any(|other| other.session == one.session);
    for one in now.iter().filter(|one| !before.contains(one)) {
        print::line(&session_line(&one.name, Some(one)));
    }
    for one in before.iter().filter(|one| !is_in(now, one)) {
        print::line(&session_line(&one.name, None));
    }
}

fn document(listed: &[Listed]) -> Value {
    json!({"version": 1, "sessions": listed.iter().map(one).collect::<Vec<_>>()})
}

fn one(listed: &Listed) -> Value {
    let (place, attached) = match listed.place {
        Some(Place::Host(attached)) => (Some("host"), attached),
        Some(Place::Terminal) => (Some("terminal"), None),
        None => (None, None),
    };
    let (exit_code, problem) = match &listed.state {
        State::Ended(code) => (Some(*code), None),
        State::Silent(reason) => (None, Some(reason)),
        State::Running | State::Live(_) | State::Background(_) | State::Interrupted => (None, None),
    };
    let (status, background) = match &listed.state {
        State::Live(status) => (Some(status), &[][..]),
        State::Background(jobs) => (None, &jobs[..]),
        _ => (None, &[][..]),
    };
    json!({
        "session": listed.session,
        "name": listed.name,
        "folder": listed.folder,
        "state": listed.state.word(),
        "exit_code": exit_code,
        "problem": problem,
        "status": status,
        "background": background,
        "place": place,
        "attached": attached,
        "started": Timestamp::from_millisecond(listed.started).ok(),
        "agents": listed.tally.agents,
        "routes": listed.tally.routes,
        "requests": listed.tally.requests,
        "in_flight": listed.tally.in_flight,
        "cost_usd": listed.tally.cost_usd,
    })
}

/// Why something can't be done to a session. Its name is somebody else's, who may have chosen it to do harm.
pub(super) fn refusal(error: impl std::fmt::Display) -> Failure {
    Failure::failed(visible(&error.to_string()))
}
