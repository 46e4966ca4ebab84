//! `subagents agent …`: all that is done with agents' files. Reads arguments, calls the library, prints.

mod edit;
mod export;
mod import;
mod list;
mod new;
mod preview;
mod rename;
mod rm;
mod set;
mod show;
mod view;

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{Context, Failure, print};
use crate::config::agent::{self, ChangeError, NameError, NoSuchAgent, ValueError};
use crate::launch::roster::Roster;
use crate::launch::scopes::others;
use crate::launch::{Arguments, Places, Settings};
use crate::ui::visible;

/// Sub-agents: what there is, new ones, changes, and the way from and to other programs.
#[derive(Debug, Args)]
pub(super) struct Agent {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Every agent: what it runs on, its tools, who else goes by its name.
    List(list::List),
    /// One agent, with everything that is known of it.
    Show(show::Show),
    /// Make an agent, from a sample or from nothing.
    New(new::New),
    /// Open an agent's file in your editor, and check it before it is saved.
    Edit(edit::Edit),
    /// Give an agent another name, in its file and in every profile.
    Rename(rename::Rename),
    /// Remove agents.
    Rm(rm::Rm),
    /// Change one field of an agent, and nothing else in its file.
    Set(set::Set),
    /// Take agents over from Claude Code, a plugin, or another program.
    Import(import::Import),
    /// Hand agents over to Claude Code, as files or as JSON.
    Export(export::Export),
}

impl Agent {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self.verb {
            Verb::List(list) => list.run(context),
            Verb::Show(show) => show.run(context),
            Verb::New(new) => new.run(context),
            Verb::Edit(edit) => edit.run(context),
            Verb::Rename(rename) => rename.run(context),
            Verb::Rm(rm) => rm.run(context),
            Verb::Set(set) => set.run(context),
            Verb::Import(import) => import.run(context),
            Verb::Export(export) => export.run(context),
        }
    }
}

impl Context {
    /// Where Claude Code would look for agents of its own, if it were started here.
    fn claude_places(&self) -> Result<Places, Failure> {
        let project = std::env::current_dir().map_err(Failure::failed)?;
        Ok(Places::of(&self.environment, &project))
    }

    /// Tells when several files hold an agent of this name, as a change goes to one of them only.
    fn tell_namesakes(&self, name: &str) {
        let files = agent::shelf(&self.places.agents_dir());
        let mut held = agent::named(&files, name).map(|file| file.file.display().to_string());
        let first = held.next().unwrap_or_default();
        let others: Vec<String> = held.collect();
        if !others.is_empty() {
            print::line_to_stderr(&format!(
                "subagents: several files hold an agent `{}`: this goes to {first}; {} stays as it is",
                visible(name),
                others.join(", ")
            ));
        }
    }

    fn roster(&self) -> Result<Roster, Failure> {
        let (config, problems) = self.config();
        let claude = self.claude_places()?;
        let settings = Settings::read(&claude, &Arguments::parse(&[]), &self.environment);
        let mut others = others(&claude, &settings);
        // People look for a name; of two with one name in a scope the first still counts.
        others
            .chunk_by_mut(|one, next| one.scope == next.scope)
            .for_each(|scope| scope.sort_by(|one, other| one.name.cmp(&other.name)));
        Ok(Roster::read(&self.places, others, &config, &problems))
    }
}

/// The file's text, or stdin's for `-`.
fn text_of(file: &Path) -> Result<String, Failure> {
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin()
            .lock()
            .read_to_string(&mut text)
            .map_err(|error| Failure::failed(format!("stdin: {error}")))?;
        return Ok(text);
    }
    std::fs::read_to_string(file).map_err(|error| Failure::failed(format!("{}: {error}", file.display())))
}

/// `OLD=NEW`, both of them there.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok((old.to_owned(), new.to_owned())),
        _ => Err("write OLD=NEW".to_owned()),
    }
}

impl From<ChangeError> for Failure {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Edit(error) => error.into(),
            ChangeError::Value(error) => error.into(),
            ChangeError::Name(error) => error.into(),
            ChangeError::NoSuchAgent(_)
            | ChangeError::Taken { .. }
            | ChangeError::FileTaken { .. }
            | ChangeError::NotText { .. }
            | ChangeError::OtherName { .. }
            | ChangeError::Field { .. }
            | ChangeError::Document(_) => Self::configuration(error),
        }
    }
}

impl From<NoSuchAgent> for Failure {
    fn from(error: NoSuchAgent) -> Self {
        Self::configuration(error)
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Self {
        Self::usage(error)
    }
}

impl From<ValueError> for Failure {
    fn from(error: ValueError) -> Self {
        Self::usage(error)
    }
}
