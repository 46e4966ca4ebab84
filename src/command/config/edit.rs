//! `subagents config edit`.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure};

#[derive(Debug, Args)]
#[command(
    after_help = "Opens $VISUAL, else $EDITOR, else vi. A text with mistakes isn't taken over, and is kept.\n\n\
                  Example:\n  subagents config edit"
)]
pub(super) struct Edit {
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Edit {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let changes = context.edit_file(&context.places.config_file(), "", "config edit")?;
        tell("config edit", &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }
}
