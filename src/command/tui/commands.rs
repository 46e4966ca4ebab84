//! Our own commands, as processes of their own.

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgrp, getpid, kill_current_process_group, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::Sender;
use tokio::time::timeout;

use super::driver::Heard;
use crate::command::Context;
use crate::ui::app::event::{Done, Task};

/// How long a command may take to end.
const FAREWELL: Duration = Duration::from_secs(2);

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
    let output = async { begin(command, &task).await?.wait_with_output().await }.await;
    done(output, task)
}

/// Ends a command that has the terminal. It may have started an editor, which has the terminal by being in our group.
pub(super) async fn end(mut child: Child) {
    let id = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?));
    let told = match id {
        // Else the group is somebody else's, who started us.
        Some(_) if getpgrp() == getpid() => kill_current_process_group(Signal::TERM),
        Some(id) => kill_process(id, Signal::TERM),
        None => Ok(()),
    };
    if let Err(error) = told {
        tracing::warn!(%error, "the command that has the terminal isn't ended");
    }
    // One that doesn't end by that is left behind.
    _ = timeout(FAREWELL, child.wait()).await;
}

/// As [`run`], and each line on its stderr is told as it comes.
pub(super) async fn follow(command: Command, task: Task, told: &Sender<Heard>) -> Done {
    let output = async {
        let mut child = begin(command, &task).await?;
        let stderr = child.stderr.take();
        // Together, so that neither pipe holds the child up.
        let (output, stderr) = tokio::join!(child.wait_with_output(), told_lines(stderr, &task, told));
        Ok(Output { stderr: stderr.into_bytes(), ..output? })
    };
    let output = output.await;
    done(output, task)
}

async fn told_lines(from: Option<impl AsyncRead + Unpin>, task: &Task, told: &Sender<Heard>) -> String {
    let mut all = String::new();
    let Some(from) = from else { return all };
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        all.push_str(&line);
        all.push('\n');
        _ = told.send(Heard::Said(task.clone(), line)).await;
    }
    all
}

fn done(output: std::io::Result<Output>, task: Task) -> Done {
    match output {
        Ok(output) => Done {
            code: output.status.code().and_then(|code| u8::try_from(code).ok()),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            task,
        },
        Err(error) => Done { task, code: None, stdout: String::new(), stderr: error.to_string() },
    }
}

async fn begin(mut command: Command, task: &Task) -> std::io::Result<Child> {
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
    Ok(child)
}
