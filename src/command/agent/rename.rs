//! `subagents agent rename OLD NEW`.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure};
use crate::config::agent;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents agent rename reviewer critic")]
pub(super) struct Rename {
    /// The agent's name.
    #[arg(value_name = "NAME")]
    old: String,
    /// Its new name.
    new: String,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Rename {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        context.tell_namesakes(&self.old);
        let store = context.store();
        let mut transaction = store.begin()?;
        agent::rename(&mut transaction, &context.places, &self.old, &self.new)?;
        let what = format!("rename agent {} to {}", self.old, self.new);
        tell(&what, &transaction.commit(&what)?, self.json);
        Ok(ExitCode::SUCCESS)
    }
}
