//! `subagents agent export [NAME]…`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::command::{Context, Failure, print};
use crate::config::Model;
use crate::config::agent::{Agent, find, shelf, value_of};
use crate::config::exchange::{Delivery, Effect, Note, Stand, deliver, export_files, export_json, hand_over};
use crate::launch::roster::Roster;
use crate::ui::visible;

#[derive(Debug, Args)]
#[command(
    after_help = "Claude Code alone knows no routes: an agent on one runs on the caller's model there, or on --model. What is \
                        lost is told.\n\nExamples:\n  subagents agent export --to .claude/agents\n  \
                        subagents agent export reviewer --format json --model sonnet"
)]
pub(super) struct Export {
    /// The agents' names; all that can be used if nothing is named.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The folder that the files go to.
    #[arg(long, value_name = "DIR", required_unless_present = "format", conflicts_with = "format")]
    to: Option<PathBuf>,
    /// Print all of them in one piece: `json` is what Claude Code's `--agents` takes.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The Claude model that stands in for a route.
    #[arg(long, value_name = "CLAUDE_MODEL")]
    model: Option<String>,
    /// Write over files that say something else.
    #[arg(long)]
    replace: bool,
    /// Show what would be written, and write nothing.
    #[arg(long = "dry-run")]
    preview: bool,
    /// With --to: print what was written as JSON.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
}

/// An agent and its file's text.
type Owned = (Agent, String);

impl Export {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let stand = self.stand()?;
        let agents = self.agents(context)?;
        if self.to.is_some() {
            return self.write(context, &agents, &stand);
        }
        print_json(&agents, &stand);
        Ok(ExitCode::SUCCESS)
    }

    fn stand(&self) -> Result<Stand, Failure> {
        let Some(model) = &self.model else { return Ok(Stand::Inherit) };
        value_of("model", model)?;
        match model.as_str() {
            "inherit" => Ok(Stand::Inherit),
            route if route.contains('/') => Err(Failure::usage(format!(
                "`{route}` is a route, and Claude Code alone has none: give a Claude model"
            ))),
            _ => Ok(Stand::Claude(model.clone())),
        }
    }

    fn agents(&self, context: &Context) -> Result<Vec<Owned>, Failure> {
        let files = shelf(&context.places.agents_dir());
        let mut agents = Vec::new();
        let all: Vec<String> =
            files.iter().filter(|file| file.agent.is_some()).map(|file| file.name().to_owned()).collect();
        for name in if self.names.is_empty() { &all } else { &self.names } {
            let file = find(&files, name)?;
            let (Some(agent), Some(text)) = (&file.agent, &file.text) else {
                let remedy = format!("`subagents agent show {name}` tells what is wrong");
                return Err(Failure::configuration(format!("agent `{name}` can't be exported: {remedy}")));
            };
            agents.push((agent.clone(), text.clone()));
        }
        if agents.is_empty() {
            Err(Failure::configuration("there are no agents to export"))
        } else {
            Ok(agents)
        }
    }

    fn write(&self, context: &Context, agents: &[Owned], stand: &Stand) -> Result<ExitCode, Failure> {
        let folder = self.to.as_deref().unwrap_or(Path::new("."));
        let pairs: Vec<(&Agent, &str)> = agents.iter().map(|(agent, text)| (agent, text.as_str())).collect();
        let files = export_files(&pairs, stand)
            .map_err(|(agent, error)| Failure::configuration(format!("agent `{agent}`: {error}")))?;
        let store = context.store();
        let mut transaction = store.begin()?;
        let deliveries = deliver(files, folder, &mut transaction)?;
        let in_the_way = self.in_the_way(&deliveries);
        match &in_the_way {
            Some(files) if !self.preview => {
                return Err(Failure::failed(format!("nothing was written, as {files}")));
            }
            None if !self.preview => hand_over(&deliveries, folder, transaction)?,
            _ => {}
        }
        self.tell(&deliveries);
        if let Some(files) = in_the_way {
            print::line_to_stderr(&format!(
                "subagents: without --dry-run nothing would be written, as {files}"
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Files that would be written over, where nobody said that they may be.
    fn in_the_way(&self, deliveries: &[Delivery]) -> Option<String> {
        let replaced = deliveries.iter().filter(|delivery| delivery.effect == Effect::Replace);
        let replaced: Vec<String> = replaced.map(|delivery| delivery.file.display().to_string()).collect();
        let files = replaced.join(", ");
        (!replaced.is_empty() && !self.replace)
            .then(|| format!("these files say something else: {files}; --replace writes over them"))
    }

    fn tell(&self, deliveries: &[Delivery]) {
        if self.json {
            let files: Vec<Value> = deliveries.iter().map(object).collect();
            print::json(&json!({"version": 1, "dry_run": self.preview, "files": files}));
            return;
        }
        for delivery in deliveries {
            print::line(&format!("{} {}", word(delivery.effect), delivery.file.display()));
            for note in &delivery.exported.notes {
                warn(&delivery.exported.agent, note);
            }
        }
    }
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Add => "add",
        Effect::Same => "same",
        Effect::Replace => "replace",
    }
}

fn object(delivery: &Delivery) -> Value {
    let Delivery { exported, file, effect } = delivery;
    json!({"step": effect, "name": exported.agent, "file": file, "notes": exported.notes})
}

fn print_json(agents: &[Owned], stand: &Stand) {
    let agents: Vec<&Agent> = agents.iter().map(|(agent, _)| agent).collect();
    let (definitions, notes) = export_json(&agents, stand);
    print::json(&definitions);
    let bytes = serde_json::Value::Object(definitions).to_string().len();
    if bytes > Roster::LIMIT {
        print::line_to_stderr(&format!(
            "subagents: {bytes} bytes are more than one argument may hold: give Claude Code a file with -p, or use --to"
        ));
    }
    for (agent, note) in &notes {
        warn(agent, note);
    }
    if agents.iter().any(|agent| matches!(agent.model, Model::Route(_))) {
        print::line_to_stderr("subagents: with their routes they run by `subagents run`");
    }
}

fn warn(agent: &str, note: &Note) {
    print::line_to_stderr(&format!(
        "subagents: agent `{}`: {}: {}",
        visible(agent),
        note.kind.name(),
        visible(&note.text)
    ));
}
