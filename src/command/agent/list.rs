//! `subagents agent list`.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::view;
use crate::command::{Context, Failure, print};
use crate::config::exchange::inspect;
use crate::config::{Config, Severity};
use crate::launch::roster::{Entry, Roster};
use crate::launch::scopes::OtherAgent;
use crate::ui::{table, visible};

/// More agents of one name than these would hide what else there is to tell.
const OVERLAPS: usize = 5;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  subagents agent list\n  subagents agent list --all --json")]
pub(super) struct List {
    /// Those too that Claude Code finds by itself, in this folder and in ~/.claude.
    #[arg(long)]
    all: bool,
    /// Print `{"version":1,"agents":[…],"others":[…],"bytes":N,"limit":N}`.
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let roster = context.roster()?;
        if self.json {
            print::json(&self.object(&roster, &context.config().0));
            return Ok(ExitCode::SUCCESS);
        }
        let rows = self.rows(&roster);
        if rows.is_empty() {
            print::line_to_stderr(
                "There are no agents yet: `subagents agent import`, or `subagents agent new NAME --from reviewer`.",
            );
        } else {
            let heads = ["name", "model", "tools", "visibility", "state", "file"];
            print::line(&table(&heads, &rows, print::colour(&context.environment)));
        }
        tell(&roster);
        Ok(ExitCode::SUCCESS)
    }

    fn rows(&self, roster: &Roster) -> Vec<Vec<String>> {
        let mut rows: Vec<Vec<String>> = roster.entries.iter().map(row).collect();
        if self.all {
            rows.extend(roster.others.iter().map(|other| {
                let state = format!("Claude Code's own ({})", view::scope(other.scope));
                vec![
                    other.name.clone(),
                    other.model.clone(),
                    String::new(),
                    String::new(),
                    state,
                    other.file.display().to_string(),
                ]
            }));
        }
        rows
    }

    fn object(&self, roster: &Roster, config: &Config) -> Value {
        let other = |other: &OtherAgent| {
            let mut told = view::other(other);
            told["problems"] = json!(inspect(&other.file, config));
            told
        };
        let agents: Vec<Value> = roster.entries.iter().map(|entry| view::json(entry, roster)).collect();
        let others: Vec<Value> = roster.others.iter().filter(|_| self.all).map(other).collect();
        json!({"version": 1, "agents": agents, "others": others, "bytes": roster.bytes, "limit": Roster::LIMIT})
    }
}

fn row(entry: &Entry) -> Vec<String> {
    let agent = entry.file.agent.as_ref();
    vec![
        entry.file.name().to_owned(),
        view::model(agent),
        view::tools(agent),
        agent.map(|agent| view::visibility(agent).to_owned()).unwrap_or_default(),
        if entry.usable { "ok" } else { "not used" }.to_owned(),
        entry.file.file.display().to_string(),
    ]
}

/// The first few; `show` tells each.
fn tell_overlaps(roster: &Roster) {
    let overlaps: Vec<String> =
        roster.entries.iter().flat_map(|entry| view::overlaps(entry, roster)).collect();
    for overlap in overlaps.iter().take(OVERLAPS) {
        print::line_to_stderr(&format!("subagents: {}", visible(overlap)));
    }
    if overlaps.len() > OVERLAPS {
        let more = overlaps.len() - OVERLAPS;
        print::line_to_stderr(&format!(
            "subagents: {more} more share a name: `subagents agent show NAME` tells which wins"
        ));
    }
}

fn tell(roster: &Roster) {
    for entry in &roster.entries {
        for problem in entry.problems.iter().filter(|problem| problem.severity > Severity::Info) {
            print::line_to_stderr(&problem.to_string());
        }
    }
    tell_overlaps(roster);
    view::tell_room(roster);
}
