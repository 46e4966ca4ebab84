//! Sessions that Claude Code has moved into its own background (`/bg`, `←` on an empty prompt).
//!
//! They go on without the child that was launched, under a daemon that serves all sessions of the user, with the
//! settings file and the base URL of the launch: the router and the file must outlive the child.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};
use serde::Deserialize;
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use super::claude::Claude;
use super::pty::Process;
use super::settings::Places;
use crate::config::Environment;

/// How often it is looked whether a session's process lives.
const PAUSE: Duration = Duration::from_secs(1);

/// How often it is asked for a session that Claude Code has noted and doesn't list yet.
const TRIES: usize = 5;

/// How long Claude Code may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where one launch's sessions in the background are found.
#[derive(Debug, Clone)]
pub struct Background {
    claude: PathBuf,
    environment: Environment,
    project: PathBuf,
    /// Where Claude Code notes what runs in its background, a folder each.
    notes: PathBuf,
    /// The launch's own folder, which those notes name.
    folder: PathBuf,
}

/// A session in the background.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Job {
    /// Claude Code's short id, as `claude attach` takes it.
    #[serde(default)]
    pub id: String,
    /// `None`: it has no process yet.
    pub pid: Option<i32>,
}

/// What Claude Code notes of one.
#[derive(Deserialize)]
struct Note {
    state: String,
}

impl Background {
    /// Of the launch with this folder.
    pub fn of(claude: &Claude, environment: &Environment, project: &Path, folder: &Path) -> Self {
        Self {
            claude: claude.path().to_owned(),
            environment: environment.clone(),
            project: project.to_owned(),
            notes: Places::of(environment, project).user.join("jobs"),
            folder: folder.to_owned(),
        }
    }

    /// The launch's sessions in the background that live. Where none was ever noted, nothing is run to find out.
    pub async fn jobs(&self) -> Vec<Job> {
        for attempt in 0..TRIES {
            let noted = self.noted();
            if noted.is_empty() {
                break;
            }
            if attempt > 0 {
                sleep(PAUSE).await;
            }
            let listed = self.listed().await.into_iter();
            let jobs: Vec<Job> = listed.filter(|job| noted.contains(&job.id)).collect();
            if !jobs.is_empty() {
                return jobs;
            }
        }
        Vec::new()
    }

    /// Waits until others live than these; those.
    pub async fn changed(&self, known: &[Job]) -> Vec<Job> {
        loop {
            sleep(PAUSE).await;
            let is_living =
                |job: &Job| job.pid.and_then(Pid::from_raw).is_some_and(|pid| test_kill_process(pid).is_ok());
            // Claude Code starts some of them anew, so an end is only a reason to ask again.
            while known.iter().any(is_living) {
                sleep(PAUSE).await;
            }
            let jobs = self.jobs().await;
            if jobs != known {
                return jobs;
            }
        }
    }

    /// Ends all of them.
    pub async fn stop(&self) {
        for job in self.jobs().await {
            if self.run(&["stop", &job.id]).await.is_none() {
                tracing::warn!(job.id, "Claude Code doesn't end its session in the background");
            }
        }
    }

    /// The ids of those that Claude Code has noted with our folder and not as stopped.
    fn noted(&self) -> Vec<String> {
        let folders = fs::read_dir(&self.notes).into_iter().flatten().flatten();
        let ours = folders.filter(|folder| {
            let text = fs::read_to_string(folder.path().join("state.json")).unwrap_or_default();
            is_noted(&text, &self.folder)
        });
        ours.filter_map(|folder| folder.file_name().into_string().ok()).collect()
    }

    async fn listed(&self) -> Vec<Job> {
        let text = self.run(&["agents", "--json"]).await.unwrap_or_default();
        listed(&text)
    }

    /// What Claude Code answers; `None`: it doesn't.
    async fn run(&self, words: &[&str]) -> Option<Vec<u8>> {
        let mut command = Command::new(&self.claude);
        command.args(words).current_dir(&self.project).env_clear().envs(self.environment.iter());
        command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let output = timeout(PATIENCE, command.output()).await.ok()?.ok()?;
        output.status.success().then_some(output.stdout)
    }
}

/// Whether a process is Claude Code's daemon, or one that it has started for later: they serve all of its sessions.
pub fn is_daemon(process: &Process) -> bool {
    is_daemons(&process.command)
}

fn is_daemons(line: &str) -> bool {
    let mut words = line.split(' ');
    let is_claude = words.next().is_some_and(|program| program.contains("claude"));
    let command = (words.next(), words.next());
    is_claude && matches!(command, (Some("daemon"), Some("run")) | (Some("bg-pty-host" | "bg-spare"), _))
}

fn is_noted(note: &str, folder: &Path) -> bool {
    let is_ours = folder.to_str().is_some_and(|folder| note.contains(folder));
    is_ours && serde_json::from_str::<Note>(note).is_ok_and(|note| note.state != "stopped")
}

/// Sessions of other kinds have no short id.
fn listed(text: &[u8]) -> Vec<Job> {
    let mut jobs: Vec<Job> = serde_json::from_slice(text).unwrap_or_default();
    jobs.retain(|job| !job.id.is_empty());
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h05_what_is_noted_with_our_folder_is_ours_until_it_is_stopped() {
        let folder = Path::new("/run/subagents/0001");
        let note = |state: &str, flag: &str| {
            format!(r#"{{"state":"{state}","respawnFlags":["--settings","{flag}"]}}"#)
        };
        for (note, expect) in [
            (note("working", "/run/subagents/0001/settings.json"), true),
            (note("blocked", "/run/subagents/0001/settings.json"), true),
            (note("stopped", "/run/subagents/0001/settings.json"), false),
            (note("working", "/run/subagents/0002/settings.json"), false),
            ("/run/subagents/0001 and no JSON".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(is_noted(&note, folder), expect, "{note}");
        }
    }

    #[test]
    fn h05_only_sessions_in_the_background_are_taken_from_the_list() {
        let text = br#"[{"pid":7,"id":"8ba49977","kind":"background"},{"pid":8,"kind":"interactive"},{"id":"850c5dd2"}]"#;
        let job = |id: &str, pid| Job { id: id.to_owned(), pid };
        assert_eq!(listed(text), [job("8ba49977", Some(7)), job("850c5dd2", None)]);
        assert_eq!(listed(b"error: no such command"), []);
    }

    #[test]
    fn h05_the_daemon_is_known() {
        for (command, expect) in [
            ("/usr/lib/claude-code/bin/claude.exe daemon run --origin transient", true),
            ("claude bg-pty-host --bg-pty-host /tmp/a.sock 200 50 -- claude.exe --bg-spare", true),
            ("claude bg-spare --bg-spare /tmp/a.sock", true),
            ("/usr/bin/claude --session-id 1 --settings /run/a", false),
            ("sh -c claude daemon run", false),
            ("/usr/bin/node server.js", false),
        ] {
            assert_eq!(is_daemons(command), expect, "{command}");
        }
    }
}
