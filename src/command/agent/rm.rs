//! `subagents agent rm NAME…`.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure, print, prompt};
use crate::config::agent;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents agent rm reviewer --yes")]
pub(super) struct Rm {
    /// The agents' names.
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Don't ask.
    #[arg(long, short)]
    yes: bool,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Rm {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        // Asked before the lock is taken: nobody waits for an answer.
        agent_names_exist(&self.names, context)?;
        for name in &self.names {
            context.tell_namesakes(name);
        }
        let names = self.names.join(", ");
        if !self.yes && !prompt::confirm(&format!("Remove {names}?"), "--yes")? {
            return Err(Failure::failed("nothing was removed"));
        }
        let store = context.store();
        let mut transaction = store.begin()?;
        for name in &self.names {
            for profile in agent::remove(&mut transaction, &context.places, name)? {
                print::line_to_stderr(&format!(
                    "subagents: profile `{profile}` still names `{}`",
                    name.escape_debug()
                ));
            }
        }
        let what = format!("remove agent {names}");
        tell(&what, &transaction.commit(&what)?, self.json);
        Ok(ExitCode::SUCCESS)
    }
}

fn agent_names_exist(names: &[String], context: &Context) -> Result<(), Failure> {
    let files = agent::shelf(&context.places.agents_dir());
    names.iter().try_for_each(|name| agent::find(&files, name).map(|_| ()).map_err(Failure::from))
}
