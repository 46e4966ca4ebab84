//! `subagents profile list`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{shown, tell_unused, words};
use crate::command::{Context, Failure, print};
use crate::config::project::{Choice, Source, choose};
use crate::config::{Config, Profile, Project, Standing, Trust};
use crate::ui::table;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  subagents profile list\n  subagents profile list --json")]
pub(super) struct List {
    /// Print JSON (docs/json/profile-list.schema.json).
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let here = crate::command::here()?;
        let (config, _) = context.config();
        let project = Project::above(&here, &Trust::new(&context.places));
        let choice = choose(None, &config, project.clone()).map_err(Failure::configuration)?;
        if self.json {
            print::json(&json!({
                "version": 1,
                "profiles": all(&config).iter().map(|(name, profile)| shown(name, profile)).collect::<Vec<_>>(),
                "project": project.as_ref().map(shown_project),
                "taken": taken(&choice),
            }));
        } else {
            let rows = rows(&config, project.as_ref(), &choice);
            let heads = ["profile", "taken", "agents", "args", "folder"];
            print::line(&table(&heads, &rows, print::colour(&context.environment)));
            tell_unused(&choice);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// With `default`, which is there even where the file doesn't name it.
fn all(config: &Config) -> BTreeMap<String, Profile> {
    let default = (Profile::DEFAULT.to_owned(), Profile::default());
    std::iter::once(default).chain(config.profiles.clone()).collect()
}

fn shown_project(project: &Project) -> Value {
    let (agents, args) = match &project.standing {
        Standing::Trusted(profile) => (Some(&profile.agents), Some(&profile.args)),
        _ => (None, None),
    };
    json!({
        "file": project.file.to_string_lossy(),
        "standing": project.standing.word(),
        "reason": project.standing.reason().map(|(reason, _)| reason),
        "agents": agents,
        "args": args,
    })
}

/// `None`: the project's own.
fn taken(choice: &Choice) -> Option<&str> {
    match &choice.source {
        Source::Named(name) => Some(name),
        Source::Project(_) => None,
        Source::Default => Some(Profile::DEFAULT),
    }
}

fn rows(config: &Config, project: Option<&Project>, choice: &Choice) -> Vec<Vec<String>> {
    let mark = |takes: bool| if takes { "here".to_owned() } else { String::new() };
    let by_default = choice.source == Source::Default;
    let named = all(config).into_iter().map(|(name, profile)| {
        let mark = mark(by_default && name == Profile::DEFAULT);
        row(name, mark, &profile)
    });
    let project = project.map(|project| match &project.standing {
        Standing::Trusted(profile) => row("(project)".to_owned(), mark(true), profile),
        standing => vec!["(project)".to_owned(), standing.word().to_owned()],
    });
    named.chain(project).collect()
}

fn row(name: String, mark: String, profile: &Profile) -> Vec<String> {
    let folder = profile.folder.as_ref().map(|folder| folder.display().to_string());
    vec![name, mark, profile.agents.join(","), words(&profile.args), folder.unwrap_or_default()]
}
