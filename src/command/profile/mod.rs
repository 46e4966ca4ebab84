//! `subagents profile …`, and the profile that a launch takes.

mod list;
mod remove;
mod set;
mod show;

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{Context, Failure, print};
use crate::config::project::{Choice, Project, Trust, choose};
use crate::config::{Config, Problem, Profile};
use crate::ui::visible;

/// What a launch takes: agents, arguments, a folder.
#[derive(Debug, Args)]
pub(super) struct Profiles {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// All profiles, and which one a launch here would take.
    List(list::List),
    /// One profile.
    Show(show::Show),
    /// Create one, or change it.
    Set(set::Set),
    /// Remove one.
    #[command(name = "rm")]
    Remove(remove::Remove),
}

impl Profiles {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self.verb {
            Verb::List(list) => list.run(context),
            Verb::Show(show) => show.run(context),
            Verb::Set(set) => set.run(context),
            Verb::Remove(remove) => remove.run(context),
        }
    }
}

/// The profile of a launch that is begun in `here`.
pub(super) fn chosen(
    context: &Context,
    named: Option<&str>,
    config: &Config,
    here: &Path,
) -> Result<Choice, Failure> {
    let project = Project::above(here, &Trust::new(&context.places));
    choose(named, config, project).map_err(Failure::configuration)
}

/// One line about a project's profile that isn't used: what goes on goes on without it.
pub(super) fn tell_unused(choice: &Choice) {
    if let Some(Problem { file, message, remedy, .. }) = &choice.problem {
        print::line_to_stderr(&visible(&format!("subagents: {}: {message}; {remedy}", file.display())));
    }
}

/// A profile in `--json`.
fn shown(name: &str, profile: &Profile) -> Value {
    let folder = profile.folder.as_ref().map(|folder| folder.to_string_lossy());
    json!({"name": name, "agents": profile.agents, "args": profile.args, "folder": folder})
}

/// Arguments as a shell would take them.
fn words(args: &[String]) -> String {
    shlex::try_join(args.iter().map(String::as_str)).unwrap_or_else(|_| args.join(" "))
}
