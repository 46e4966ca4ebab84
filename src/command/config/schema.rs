//! `subagents config schema`.

use std::process::ExitCode;

use clap::Args;

use crate::command::print;
use crate::config::CONFIG_SCHEMA;

#[derive(Debug, Args)]
#[command(after_help = "`config init` puts it beside config.toml.\n\nExample:\n  subagents config schema")]
pub(super) struct Schema {}

/// Prints the schema, which is JSON already.
pub(super) fn show() -> ExitCode {
    print::line(CONFIG_SCHEMA.trim_end());
    ExitCode::SUCCESS
}
