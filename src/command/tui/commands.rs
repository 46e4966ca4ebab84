//! Our own commands, as processes of their own.

use std::process::Stdio;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::command::Context;
use crate::ui::app::event::{Done, Task};

/// This program, with this configuration.
pub(super) fn ours(context: &Context, arguments: &[String]) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--config-dir").arg(&context.places.config_dir).args(arguments);
    Ok(command)
}

/// Runs it to its end. Nothing of it reaches the terminal.
pub(super) async fn run(command: std::io::Result<Command>, task: Task) -> Done {
    match perform(command, &task).await {
        Ok(output) => Done {
            code: output.status.code().and_then(|code| u8::try_from(code).ok()),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            task,
        },
        Err(error) => {
            Done { task, code: None, stdout: String::new(), stderr: format!("it can't be run: {error}") }
        }
    }
}

async fn perform(command: std::io::Result<Command>, task: &Task) -> std::io::Result<std::process::Output> {
    let mut child = command?
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
