//! `subagents agent show NAME`.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::view;
use crate::command::{Context, Failure, print};
use crate::config::agent::{Agent, find};
use crate::config::digest::sha256;
use crate::launch::roster::{Entry, Roster};
use crate::ui::{Colour, table, visible};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  subagents agent show reviewer\n  subagents agent show reviewer --json")]
pub(super) struct Show {
    /// The agent's name; a file that is no usable agent goes by its own.
    name: String,
    /// Print `{"version":1,"agent":{…},"scopes":[…],"prompt":"…","fields":{…},"unknown":{…},"text":"…","digest":"…"}`.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let roster = context.roster()?;
        let files: Vec<_> = roster.entries.iter().map(|entry| entry.file.clone()).collect();
        let found = find(&files, &self.name)?;
        let Some(entry) = roster.entries.iter().find(|entry| entry.file.file == found.file) else {
            return Ok(ExitCode::FAILURE);
        };
        if self.json {
            print::json(&object(entry, &roster));
        } else {
            print::line(&text(entry, &roster, print::colour(&context.environment)));
            for problem in &entry.problems {
                print::line_to_stderr(&problem.to_string());
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn object(entry: &Entry, roster: &Roster) -> Value {
    let agent = entry.file.agent.as_ref();
    json!({
        "version": 1,
        "agent": view::json(entry, roster),
        "scopes": roster.claims(entry.file.name()).iter().map(view::claim_json).collect::<Vec<_>>(),
        "prompt": agent.map(|agent| &agent.prompt),
        "fields": agent.map(|agent| &agent.fields),
        "unknown": agent.map(|agent| &agent.unknown),
        "text": entry.file.text,
        "digest": entry.file.text.as_ref().map(|text| sha256(text.as_bytes())),
    })
}

fn text(entry: &Entry, roster: &Roster, colour: Colour) -> String {
    let mut lines = vec![
        fact("name", entry.file.name()),
        fact("file", &entry.file.file.display().to_string()),
        fact("state", if entry.usable { "ok" } else { "not used" }),
    ];
    if let Some(agent) = &entry.file.agent {
        lines.extend(facts(agent));
    }
    lines.push(fact(
        "size",
        &format!("{} bytes; all together {} of {}", entry.bytes, roster.bytes, Roster::LIMIT),
    ));
    let rows: Vec<_> = roster.claims(entry.file.name()).iter().map(view::claim_row).collect();
    let heads = ["scope", "called", "model", "in a launch", "file"];
    lines.extend([String::new(), table(&heads, &rows, colour)]);
    if let Some(agent) = &entry.file.agent {
        lines.push(String::new());
        lines.extend(agent.prompt.lines().map(visible));
    }
    lines.join("\n")
}

fn facts(agent: &Agent) -> Vec<String> {
    let tools = match agent.tools.as_deref() {
        None => "all".to_owned(),
        Some([]) => "none".to_owned(),
        Some(tools) => tools.join(", "),
    };
    let mut facts = vec![
        fact("description", &agent.description),
        fact("model", &agent.model.to_string()),
        fact("tools", &tools),
        fact("visibility", view::visibility(agent)),
        fact("read only", if agent.read_only { "yes" } else { "no" }),
    ];
    for (key, value) in agent.fields.iter().chain(&agent.unknown) {
        facts.push(fact(key, &value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    }
    facts
}

fn fact(key: &str, value: &str) -> String {
    format!("{:<16} {}", visible(key), visible(value.trim_end()))
}
