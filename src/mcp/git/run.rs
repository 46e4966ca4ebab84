//! Runs git with limits, and with nothing of an environment that could make it do more than look.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::time::timeout;

use super::arguments::Look;
use super::harmless;
use crate::config::Environment;

/// Bytes of what git prints that are handed on.
const OUTPUT: usize = 200 * 1024;

/// Bytes of what it complains about, and of the keys that a repository's settings may have.
const COMPLAINT: u64 = 4 * 1024;
const KEYS: usize = 1024 * 1024;

/// For both runs.
const TIME: Duration = Duration::from_secs(30);

/// What git gets of the environment: where it is, and where the person's own settings are.
const KEPT: [&str; 5] = ["PATH", "HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME"];

/// No lock, no question, no program, no network.
const SET: [(&str, &str); 8] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_PAGER", "cat"),
    ("GIT_ASKPASS", "false"),
    ("LC_ALL", "C.UTF-8"),
];

/// Why nothing is shown, for the model.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("git can't be started: {0}")]
    Start(#[from] io::Error),
    #[error("git took longer than {} s: ask for less (paths, max_count, a revision)", TIME.as_secs())]
    Time,
    #[error("git says: {0}")]
    Git(String),
    #[error("this repository's settings are too many, or no text")]
    Settings,
}

/// What git has printed.
struct Printed {
    bytes: Vec<u8>,
    is_cut: bool,
}

/// Looks at the repository that the folder is in.
///
/// # Errors
/// See [`Failure`].
pub async fn look(look: &Look, folder: &Path, environment: &Environment) -> Result<String, Failure> {
    let both = async {
        let list = ["config", "--includes", "--list", "--name-only", "-z"].map(str::to_owned);
        let keys = printed(&list, &[], folder, environment, KEYS).await?;
        if keys.is_cut || std::str::from_utf8(&keys.bytes).is_err() {
            return Err(Failure::Settings);
        }
        printed(&look.words, &harmless::settings(&keys.bytes), folder, environment, OUTPUT).await
    };
    timeout(TIME, both).await.map_err(|_| Failure::Time)?.map(|printed| text(&printed))
}

fn text(printed: &Printed) -> String {
    let mut text = String::from_utf8_lossy(&printed.bytes).trim_end_matches('\n').to_owned();
    if text.is_empty() {
        "(nothing)".clone_into(&mut text);
    }
    if printed.is_cut {
        text.push_str("\n[cut after 200 KiB: ask for less (paths, max_count, a revision)]");
    }
    text
}

/// Its own group, so that nothing of it goes on after a limit.
struct Group(Option<Pid>);

impl Group {
    fn end(&self) {
        if let Some(leader) = self.0 {
            // Nobody may be left in it.
            kill_process_group(leader, Signal::KILL).ok();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

async fn printed(
    words: &[String],
    settings: &[(String, String)],
    folder: &Path,
    environment: &Environment,
    most: usize,
) -> Result<Printed, Failure> {
    let mut git = spawn(words, settings, folder, environment)?;
    let group = Group(git.id().and_then(|id| Pid::from_raw(id.cast_signed())));
    let (stdout, stderr) = (git.stdout.take(), git.stderr.take());
    let printing = async {
        let printed = read(stdout, most).await;
        if printed.as_ref().is_ok_and(|printed| printed.is_cut) {
            // It waits for somebody to read on.
            group.end();
        }
        printed
    };
    let (printed, complaint) = tokio::join!(printing, complaints(stderr));
    let (printed, ended) = (printed?, git.wait().await?);
    if printed.is_cut || ended.success() {
        return Ok(printed);
    }
    Err(Failure::Git(complaint?))
}

fn spawn(
    words: &[String],
    settings: &[(String, String)],
    folder: &Path,
    environment: &Environment,
) -> io::Result<Child> {
    let kept = KEPT.into_iter().filter_map(|name| Some((name, environment.path(name)?)));
    Command::new("git")
        .args(words)
        .current_dir(folder)
        .env_clear()
        .envs(kept)
        .envs(SET)
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

/// As much of it as may be; the rest isn't waited for.
async fn read(stream: Option<ChildStdout>, most: usize) -> io::Result<Printed> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(most as u64 + 1).read_to_end(&mut bytes).await?;
    }
    let is_cut = bytes.len() > most;
    bytes.truncate(most);
    Ok(Printed { bytes, is_cut })
}

/// The beginning of it. All is read, because warnings may be many and nobody is to wait for a reader.
async fn complaints(stream: Option<ChildStderr>) -> io::Result<String> {
    let Some(mut stream) = stream else { return Ok(String::new()) };
    let mut bytes = Vec::new();
    (&mut stream).take(COMPLAINT).read_to_end(&mut bytes).await?;
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}
