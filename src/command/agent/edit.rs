//! `subagents agent edit NAME`.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure};
use crate::config::agent;

#[derive(Debug, Args)]
#[command(
    after_help = "The editor is $VISUAL, else $EDITOR, else vi. What is wrong is never saved, and never lost.\n\nExample:\n  \
                        subagents agent edit reviewer"
)]
pub(super) struct Edit {
    /// The agent's name; a file that is no usable agent goes by its own.
    name: String,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Edit {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let files = agent::shelf(&context.places.agents_dir());
        let file = agent::find(&files, &self.name)?;
        let what = format!("edit agent {}", self.name);
        let changes = context.edit_file(&file.file, "", &what)?;
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }
}
