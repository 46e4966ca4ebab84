//! A child on a terminal of its own, in a session and process group of its own.
//!
//! [`spawn`] starts it; [`Terminal`] is where its output is read and its input written, [`Child`] its life. Both
//! are used by one task each, or by one together. Dropping the child ends it and all that descends from it.

mod child;
mod environment;
mod processes;
mod terminal;

use std::path::Path;

use super::command::Command;
use super::screen::Size;
use crate::config::Environment;

pub use child::{Child, Exit, Patience, Step, Stopped};
pub use environment::{MARK, variables};
pub use processes::{IsShared, Process};
pub(super) use processes::{kill, with_variable};
pub use terminal::{Full, Terminal};

/// Why a child didn't start.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("no terminal can be had: {0}; the system's limit of terminals may be reached")]
    Terminal(#[source] pty_process::Error),
    #[error("{program} can't be started: {source}; check `[claude] path`, or reinstall Claude Code")]
    Program { program: String, source: pty_process::Error },
}

/// Starts the command on a new terminal of this size, in `folder`, with `environment` as [`variables`] changes it.
/// Must be called within a tokio runtime; the command's files must have been written.
pub fn spawn(
    command: &Command,
    environment: &Environment,
    folder: &Path,
    size: Size,
) -> Result<(Terminal, Child), SpawnError> {
    let (pty, pts) = pty_process::open().map_err(SpawnError::Terminal)?;
    // Before the child is there, so that it never sees another size.
    pty.resize(terminal::window(size)).map_err(SpawnError::Terminal)?;
    let mark = uuid::Uuid::new_v4().to_string();
    let process = pty_process::Command::new(&command.program)
        .args(&command.args)
        .current_dir(folder)
        .env_clear()
        .envs(variables(command, environment, &mark))
        .kill_on_drop(true);
    let child = process.spawn(pts).map_err(|source| {
        let program = command.program.display().to_string();
        SpawnError::Program { program, source }
    })?;
    Ok((Terminal::new(pty, size), Child::new(child, mark)))
}
