//! The person's own command for notices, run beside the session.
//!
//! What the notice says goes into the command's environment, never into its text: a shell would run what an agent's name
//! says.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::Notice;
use crate::config::Environment;

/// Commands that may run at the same time. What comes on top isn't told by a command.
const AT_ONCE: usize = 4;

/// How long one may run.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the command for each notice.
#[derive(Debug)]
pub struct NoticeCommand {
    command: String,
    environment: Environment,
    places: Arc<Semaphore>,
    tasks: TaskTracker,
    patience: Duration,
}

/// Why a notice isn't told by the command.
#[derive(Debug, thiserror::Error)]
pub enum NoticeError {
    #[error(
        "{AT_ONCE} of `[notify] command` run already, so none is started for this notice; make it end sooner"
    )]
    TooMany,
    #[error("`[notify] command` can't be started: {0}; it is run by `sh -c`")]
    Start(#[from] std::io::Error),
}

impl NoticeCommand {
    /// `command` is what `sh -c` runs, with this environment and what the notice adds to it.
    pub fn new(command: String, environment: Environment) -> Self {
        let places = Arc::new(Semaphore::new(AT_ONCE));
        Self { command, environment, places, tasks: TaskTracker::new(), patience: PATIENCE }
    }

    /// Starts the command and waits for nothing. After 30 seconds it is killed, with all that it started in its process
    /// group. Must be called within a tokio runtime.
    pub fn tell(&self, notice: &Notice) -> Result<(), NoticeError> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| NoticeError::TooMany)?;
        let child = self.start(notice)?;
        let patience = self.patience;
        self.tasks.spawn(async move {
            wait(child, patience).await;
            drop(place);
        });
        Ok(())
    }

    fn start(&self, notice: &Notice) -> Result<Child, NoticeError> {
        let mut command = Command::new("sh");
        command.arg("-c").arg(&self.command);
        command.env_clear().envs(self.environment.iter()).envs(variables(notice));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(command.process_group(0).spawn()?)
    }
}

/// What the notice says, whole and in its parts; empty where there is none.
fn variables(notice: &Notice) -> [(&'static str, String); 4] {
    let text = |part: &Option<String>| part.clone().unwrap_or_default();
    [
        ("SUBAGENTS_NOTICE", notice.text()),
        ("SUBAGENTS_SESSION", notice.session.clone()),
        ("SUBAGENTS_AGENT", text(&notice.agent)),
        ("SUBAGENTS_TOOL", text(&notice.tool)),
    ]
}

/// Waits for its end, or makes it end.
async fn wait(mut child: Child, patience: Duration) {
    if timeout(patience, child.wait()).await.is_ok() {
        return;
    }
    // Its group is its own id, and nobody else's until its end has been waited for.
    if let Some(group) = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)) {
        kill_process_group(group, Signal::KILL).ok();
    }
    child.wait().await.ok();
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use tempfile::TempDir;

    use super::*;

    fn notice(session: &str) -> Notice {
        Notice { session: session.into(), agent: Some("reviewer".into()), tool: Some("Bash".into()) }
    }

    /// A command that runs in a folder of its own.
    fn command(text: &str, folder: &Path) -> NoticeCommand {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let variables = [("PATH", path), ("OUT", folder.join("out").into_os_string())];
        NoticeCommand::new(text.to_owned(), variables.into_iter().collect())
    }

    async fn end(command: NoticeCommand) {
        command.tasks.close();
        timeout(Duration::from_secs(20), command.tasks.wait()).await.unwrap();
    }

    #[tokio::test]
    async fn the_text_is_in_the_environment_and_is_never_run() {
        let folder = TempDir::new().unwrap();
        let command =
            command("printf '%s|%s' \"$SUBAGENTS_NOTICE\" \"$SUBAGENTS_AGENT\" > \"$OUT\"", folder.path());
        command.tell(&notice("blue\"; touch x; $(touch y)")).unwrap();
        end(command).await;
        let want = "blue\"; touch x; $(touch y): agent reviewer waits for you to decide about Bash|reviewer";
        assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap(), want);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn what_doesnt_end_is_killed_with_what_it_started_and_no_more_than_a_few_run() {
        let folder = TempDir::new().unwrap();
        let pipe = folder.path().join("out");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut command = command("exec > \"$OUT\"; sleep 600 & sleep 600", folder.path());
        command.patience = Duration::from_millis(300);
        for _ in 0..AT_ONCE {
            command.tell(&notice("blue")).unwrap();
        }
        assert!(matches!(command.tell(&notice("blue")), Err(NoticeError::TooMany)));
        // Its end is there when nobody can write to it any more.
        let read = tokio::task::spawn_blocking(move || fs::read(pipe).unwrap());
        assert!(timeout(Duration::from_secs(20), read).await.unwrap().unwrap().is_empty());
        end(command).await;
    }
}
