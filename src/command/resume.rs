//! `subagents resume`: a session is taken up again, with what it was launched with or with today's configuration.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::host::{self, Started};
use super::launching::{Ingredients, Taken, configuration};
use super::profile::{chosen, tell_unused};
use super::run::perform;
use super::{Context, Failure, print};
use crate::config::{Choice, Config};
use crate::launch::claude::Claude;
use crate::launch::invocation::{invocation, lasting};
use crate::launch::live;
use crate::launch::resume::{ChoiceError, Difference, ResumeError, Resumption};
use crate::launch::snapshot::Restored;
use crate::ledger::{Invocation, Ledger};
use crate::ui::{differences, visible};

#[derive(Debug, Args)]
#[command(
    after_help = "The session runs again with the agents, routes and policy that it was launched with, in its folder, \
                  whatever has become of the files since. `--current` takes today's configuration, and tells what \
                  differs. Keys are looked up again where they were.\n\n\
                  Examples:\n  subagents resume latest -- -p \"Go on.\"\n  subagents resume shop --detach\n  \
                  subagents resume shop --current --detach --json"
)]
pub(super) struct Resume {
    /// Its name, its id, the beginning of its id, or `latest`.
    #[arg(value_name = "SESSION")]
    session: String,
    /// Take today's configuration instead of the recorded one, and tell what differs.
    #[arg(long)]
    current: bool,
    /// Leave the session alone in the background: `subagents attach` shows it.
    #[arg(long)]
    detach: bool,
    /// Print `{"version":1,"session":"…","name":"…","ended":…,"differences":[…]}`.
    #[arg(long, requires = "detach")]
    json: bool,
    /// More arguments for Claude Code, for this time only.
    #[arg(last = true, value_name = "CLAUDE_ARGS")]
    claude_args: Vec<String>,
}

/// What a session is launched with when it is taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// What it was launched with before.
    Recorded,
    /// Today's configuration.
    Current,
}

/// What is asked for.
pub(super) struct Wish<'a> {
    /// Its name, its id, the beginning of its id, or `latest`.
    pub(super) session: &'a str,
    pub(super) basis: Basis,
    pub(super) claude_args: &'a [String],
}

/// A session as it will be launched again.
pub(super) struct Found {
    pub(super) ingredients: Ingredients,
    resumption: Resumption,
    notes: Notes,
}

/// What the person should know of how it was put together.
enum Notes {
    /// What isn't recorded, because it may hold a key, and is today's.
    Filled(Vec<String>),
    /// Today's profile.
    Profile(Choice),
}

impl Basis {
    pub(super) fn of(current: bool) -> Self {
        if current { Self::Current } else { Self::Recorded }
    }
}

impl Resume {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let basis = Basis::of(self.current);
        let wish = Wish { session: &self.session, basis, claude_args: &self.claude_args };
        let found = find(context, configuration(context), &wish)?;
        let ingredients = &found.ingredients;
        let agents = ingredients.agents()?;
        let differences = || found.resumption.differences(&agents, &ingredients.config);
        let differences = (basis == Basis::Current).then(differences);
        tell(&found, differences.as_deref(), context);
        if self.detach {
            return self.leave_alone(ingredients, differences.as_deref(), context).await;
        }
        perform(&ingredients.launch(&agents, context), None).await
    }

    async fn leave_alone(
        &self,
        ingredients: &Ingredients,
        differences: Option<&[Difference]>,
        context: &Context,
    ) -> Result<ExitCode, Failure> {
        let mut options = vec![format!("--resume={}", ingredients.session)];
        options.extend(self.current.then(|| "--current".to_owned()));
        match host::start(&options, &self.claude_args, context).await? {
            Started::Refused(code) => Ok(code),
            Started::Begun(begun) if self.json => {
                let mut shown = host::shown(&begun);
                shown["differences"] = json!(differences);
                print::json(&shown);
                Ok(host::code(&begun))
            }
            Started::Begun(begun) => Ok(host::tell(&begun, false)),
        }
    }
}

/// Everything that has to be there for a session to be taken up again. `today` is today's configuration.
pub(super) fn find(context: &Context, today: Config, wish: &Wish<'_>) -> Result<Found, Failure> {
    let file = context.places.ledger_file();
    if !file.exists() {
        return Err(Failure::failed(ResumeError::NoLedger));
    }
    let ledger = Ledger::open(&file).map_err(Failure::failed)?;
    let living = live::living(&context.places.live_dir());
    let resumption = Resumption::find(&ledger, &living, wish.session, &context.environment);
    let resumption = resumption.map_err(refusal)?;
    let claude =
        Claude::find(today.claude.path.as_deref(), &context.environment).map_err(Failure::no_claude)?;
    let name = live::free_name(&living, &resumption.name());
    let Selection { config, taken, words, invocation, notes } = match wish.basis {
        Basis::Recorded => recorded(&resumption, &today, wish.claude_args)?,
        Basis::Current => current(&resumption, today, wish.claude_args, context)?,
    };
    let (project, session) = (resumption.session.folder.clone(), resumption.session.id);
    let counted = true;
    let ingredients =
        Ingredients { config, taken, claude, words, invocation, project, session, name, counted };
    Ok(Found { ingredients, resumption, notes })
}

/// What depends on the basis.
struct Selection {
    config: Config,
    taken: Taken,
    words: Vec<String>,
    invocation: Invocation,
    notes: Notes,
}

fn recorded(resumption: &Resumption, today: &Config, claude_args: &[String]) -> Result<Selection, Failure> {
    let Restored { config, wires, filled } = resumption.restored(today).map_err(refusal)?;
    let invocation = resumption.invocation();
    let words = resumption.words(&[&invocation.profile_words, &invocation.words], claude_args);
    let words = words.map_err(refusal)?;
    let (taken, notes) = (Taken::Recorded(wires), Notes::Filled(filled));
    Ok(Selection { config, taken, words, invocation, notes })
}

/// By the same profile and names of agents as before.
fn current(
    resumption: &Resumption,
    config: Config,
    claude_args: &[String],
    context: &Context,
) -> Result<Selection, Failure> {
    let before = resumption.invocation();
    let (profile, folder) = (before.profile.as_deref(), &resumption.session.folder);
    let choice = chosen(context, profile, &config, folder)?;
    let args = &choice.profile.args;
    let words = resumption.words(&[&lasting(args), &before.words], claude_args).map_err(refusal)?;
    let mut invocation = invocation(profile, &before.agents, args, &before.words);
    invocation.withheld.extend(before.withheld);
    invocation.withheld.sort();
    invocation.withheld.dedup();
    let taken = match before.agents.as_slice() {
        [] => Taken::By(choice.profile.clone()),
        // One that is gone is told as a difference.
        names => Taken::Named(names.iter().filter(|name| is_there(name, &config)).cloned().collect()),
    };
    Ok(Selection { config, taken, words, invocation, notes: Notes::Profile(choice) })
}

fn is_there(name: &str, config: &Config) -> bool {
    config.agents.iter().any(|agent| agent.name == name)
}

fn tell(found: &Found, differing: Option<&[Difference]>, context: &Context) {
    let Ingredients { name, session, project, .. } = &found.ingredients;
    let ending = if found.resumption.session.ending.is_none() { ", which was interrupted," } else { "" };
    let folder = project.display();
    print::line_to_stderr(&visible(&format!(
        "subagents: resuming session {name} ({session}){ending} in {folder}"
    )));
    match &found.notes {
        Notes::Profile(choice) => tell_unused(choice),
        Notes::Filled(places) => {
            for place in places {
                let line =
                    format!("subagents: {place} isn't recorded, because it may hold a key: today's is taken");
                print::line_to_stderr(&visible(&line));
            }
        }
    }
    found.ingredients.tell_left_out();
    if let Some(differing) = differing {
        print::line_to_stderr(differences(differing, print::colour(&context.environment)).trim_end());
    }
}

fn refusal(error: ResumeError) -> Failure {
    match error {
        ResumeError::Chosen(_) => Failure::usage(error),
        ResumeError::Restore { .. } | ResumeError::Withheld { .. } => Failure::configuration(error),
        ResumeError::Choice(ChoiceError::Unknown { .. } | ChoiceError::Ambiguous { .. }) => {
            Failure::usage(error)
        }
        _ => Failure::failed(error),
    }
}
