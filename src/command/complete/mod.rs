//! Answers to a shell that asks what could stand where the cursor is.
//!
//! Comes before everything else in the process, and only when the variable says that a shell asks. Reads the
//! configuration, who lives and the ledger, and nothing else; runs nothing, logs nothing, and never says a word on stderr,
//! since what is printed there lands in the middle of what the person types.

mod bash;
mod names;
mod nushell;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::process::ExitCode;

use clap::{Command, CommandFactory, ValueHint};
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter};
use clap_complete::env::{EnvCompleter, Fish, Zsh};

use self::bash::Bash;
use self::names::{Kind, Names};
use self::nushell::Nushell;
use super::Cli;
use crate::config::Environment;

/// Names the shell that asks. What was typed stands after a `--` on the command line.
const VARIABLE: &str = "SUBAGENTS_COMPLETE";

/// The program that the scripts call: the one in `PATH`, so that a script that was saved stays right.
const PROGRAM: &str = "subagents";

/// Shells that completions are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Shell {
    Bash,
    Zsh,
    Fish,
    Nushell,
}

impl Shell {
    fn named(name: &str) -> Option<Self> {
        <Self as clap::ValueEnum>::from_str(name, false).ok()
    }

    fn completer(self) -> &'static dyn EnvCompleter {
        match self {
            Self::Bash => &Bash,
            Self::Zsh => &Zsh,
            Self::Fish => &Fish,
            Self::Nushell => &Nushell,
        }
    }

    /// What the shell has to read to ask us.
    ///
    /// # Errors
    /// Never: it is written to memory.
    pub(super) fn script(self) -> std::io::Result<Vec<u8>> {
        let mut script = Vec::new();
        self.completer().write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
        Ok(script)
    }

    /// The words that were typed, the last one up to the cursor (where the shell cuts it there).
    fn words(self, arguments: Vec<OsString>) -> Vec<OsString> {
        match self {
            Self::Bash => {
                arguments.first().map(|line| bash::words(&line.to_string_lossy())).unwrap_or_default()
            }
            Self::Zsh | Self::Fish | Self::Nushell => arguments,
        }
    }
}

/// A shell's script with the words that it is told put in their places.
fn registration(script: &str, variable: &str, name: &str, bin: &str, completer: &str) -> String {
    let script = script.replace("VARIABLE", variable).replace("NAME", name);
    script.replace("PROGRAM", completer).replace("BIN", bin)
}

/// The answer, if a shell asks; `None`: this is a run like any other.
pub(super) fn answer() -> Option<ExitCode> {
    let environment = Environment::of_process();
    let asked = environment.get(VARIABLE)?;
    // A panic is a mistake of ours that the person who types can't do anything about.
    std::panic::set_hook(Box::new(|_| {}));
    let arguments = std::env::args_os().skip_while(|argument| argument != "--").skip(1).collect();
    let candidates = Shell::named(asked).and_then(|shell| candidates(shell, arguments, &environment));
    let written = candidates.map(|candidates| std::io::stdout().write_all(&candidates));
    Some(if matches!(written, Some(Ok(()))) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// In the form that the shell reads; `None` where there is nothing to say.
fn candidates(shell: Shell, arguments: Vec<OsString>, environment: &Environment) -> Option<Vec<u8>> {
    let names = Names::new(environment, &shell.words(arguments.clone()))?;
    let here = std::env::current_dir().ok();
    let mut command = with_names(Cli::command(), &names, None);
    let mut answer = Vec::new();
    shell.completer().write_complete(&mut command, arguments, here.as_deref(), &mut answer).ok()?;
    Some(answer)
}

/// Every argument whose value's name says what it is knows what there is: names for `AGENT` (or `NAME` of
/// `--agent` or below `agent`), paths for `FILE`, models for the `NEW` of a model. One that makes something new knows no names.
fn with_names(command: Command, names: &Names, noun: Option<&str>) -> Command {
    let makes = matches!(command.get_name(), "new" | "add");
    let own = command.get_name().to_owned();
    let noun = if own == "resume" { Some("resume") } else { noun.filter(|_| !makes) };
    let command = command.mut_args(|argument| {
        let called = argument.get_value_names().and_then(|called| called.first()).map(ToString::to_string);
        match called.as_deref() {
            Some("DIR") => argument.value_hint(ValueHint::DirPath),
            Some("FILE" | "PATH") => argument.value_hint(ValueHint::AnyPath),
            Some("OLD=NEW") if argument.get_long() == Some("model") => {
                let names = names.clone();
                argument
                    .add(ArgValueCompleter::new(move |typed: &OsStr| names.in_place_of(Kind::Model, typed)))
            }
            called => match called.and_then(|called| Kind::called(called, argument.get_long().or(noun))) {
                Some(kind) => {
                    let names = names.clone();
                    argument.add(ArgValueCandidates::new(move || names.of(kind)))
                }
                None => argument,
            },
        }
    });
    command.mut_subcommands(|verb| with_names(verb, names, Some(&own)))
}
