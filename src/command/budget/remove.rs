//! `subagents budget rm`.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure};
use crate::config::changes::remove_budget;

#[derive(Debug, Args)]
#[command(
    after_help = "Sessions that run keep it. `subagents config undo` takes it back.\n\nExample:\n  subagents budget rm night"
)]
pub(super) struct Remove {
    /// Its name.
    #[arg(value_name = "BUDGET")]
    name: String,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Remove {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let name = self.name.escape_debug().to_string();
        let what = format!("budget rm {name}");
        let changes = context.change_config(&what, |document| {
            if remove_budget(document, &self.name)? {
                return Ok(());
            }
            Err(Failure::failed(format!("there is no budget `{name}`: nothing was changed")))
        })?;
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }
}
