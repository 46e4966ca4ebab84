//! `subagents sandbox`: a program that can write in a few folders only. Delegations that only read are started by it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use super::Failure;
use crate::launch::delegation::sandbox::{devices, restrict};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents sandbox --write . -- true")]
pub(super) struct SandboxCommand {
    /// A file or folder that may be written; several times for several.
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// The program, and what it is told.
    #[arg(required = true, last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

impl SandboxCommand {
    /// Turns into the program, so it comes back only where that fails: then nothing has been started.
    pub(super) fn run(self) -> Failure {
        if let Err(error) = restrict(self.write.into_iter().chain(devices())) {
            return Failure::failed(error);
        }
        let Some((program, args)) = self.program.split_first() else {
            return Failure::failed("no program is named");
        };
        let error = Command::new(program).args(args).exec();
        Failure::failed(format!("{} can't be started: {error}", program.display()))
    }
}
