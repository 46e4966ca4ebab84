//! The `subagents` binary: hands the process's arguments and environment to the command layer.

use std::process::ExitCode;

fn main() -> ExitCode {
    subagents::command::run()
}
