//! Our own commands, as processes of their own.

use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::command::Context;
use crate::ui::app::event::{Done, Task};

/// This program, with this configuration.
pub(super) struct Program {
    path: PathBuf,
    config_dir: PathBuf,
}

impl Program {
    /// To be asked for at the start: once the file is replaced by a newer one, the system doesn't know its name any more.
    pub(super) fn find(context: &Context) -> std::io::Result<Self> {
        Ok(Self { path: std::env::current_exe()?, config_dir: context.places.config_dir.clone() })
    }

    pub(super) fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(&self.path);
        command.arg("--config-dir").arg(&self.config_dir).args(arguments);
        command
    }
}

/// Runs it to its end. Nothing of it reaches the terminal.
pub(super) async fn run(command: Command, task: Task) -> Done {
    match perform(command, &task).await {
        Ok(output) => Done {
            code: output.status.code().and_then(|code| u8::try_from(code).ok()),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            task,
        },
        Err(error) => Done { task, code: None, stdout: String::new(), stderr: error.to_string() },
    }
}

async fn perform(mut command: Command, task: &Task) -> std::io::Result<std::process::Output> {
    if let Some(folder) = &task.folder {
        if !folder.is_dir() {
            return Err(std::io::Error::other(format!("there is no folder {}", folder.display())));
        }
        command.current_dir(folder);
    }
    let mut child = command
        .env("NO_COLOR", "1")
        .stdin(if task.input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), &task.input) {
        // A command that doesn't read it says why.
        _ = stdin.write_all(input.as_bytes()).await;
    }
    child.wait_with_output().await
}
