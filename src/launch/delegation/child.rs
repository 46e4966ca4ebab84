//! A headless Claude Code at work, from its start to the end of everything that it has started.

use std::io;
use std::path::Path;
use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command as Process};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::stream::{Run, Step};
use crate::config::Environment;
use crate::launch::background::is_daemon;
use crate::launch::command::Command;
use crate::launch::pty;

/// Tells the processes of one delegation: its id.
pub const MARK: &str = "SUBAGENTS_DELEGATION";

/// Bytes of what it complains about that are kept: the end says why.
const COMPLAINT: usize = 4 * 1024;

/// How long whatever is left of the output may take after the child's end: others may hold it open.
const DRAIN: Duration = Duration::from_millis(500);

/// What a child is to do, and for how long.
pub struct Job<'a> {
    /// Its files are written.
    pub command: &'a Command,
    pub environment: &'a Environment,
    /// Where it works.
    pub folder: &'a Path,
    /// Goes to its input: an argument could be read by everyone on the machine.
    pub prompt: &'a str,
    /// The mark that its processes carry.
    pub id: &'a str,
    /// `None`: as long as it takes.
    pub time: Option<Duration>,
    /// How long it has to end by itself once it is told to.
    pub grace: Duration,
    pub cancel: CancellationToken,
    pub steps: &'a UnboundedSender<Step>,
}

/// What became of it.
#[derive(Debug)]
pub struct Worked {
    pub run: Run,
    /// `None`: a signal ended it.
    pub code: Option<i32>,
    /// The end of what it wrote to stderr.
    pub complaint: String,
    /// Why it was ended by us.
    pub cut: Option<Cut>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    Time,
    Cancelled,
}

/// Whatever becomes of us, the child's group doesn't go on without us.
struct Group(Option<Pid>);

impl Group {
    fn send(&self, signal: Signal) {
        if let Some(leader) = self.0 {
            // Nobody may be left in it.
            kill_process_group(leader, signal).ok();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.send(Signal::KILL);
    }
}

impl Job<'_> {
    /// Runs it to its end, and ends whatever it leaves behind.
    ///
    /// # Errors
    /// It can't be started.
    pub async fn work(self) -> io::Result<Worked> {
        let mut child = self.spawn()?;
        let mut group = Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let over = CancellationToken::new();
        let mut run = Run::default();
        let mut cut = None;
        let end = async {
            let ended = self.wait(&mut child, &group, &mut cut).await;
            // Before its pipes are at their end: what has left the group may hold them open for as long as it likes.
            group.send(Signal::KILL);
            // From now on its number may be another's.
            group.0 = None;
            self.sweep().await;
            over.cancel();
            ended
        };
        let ((), (), complaint, ended) = tokio::join!(
            speak(stdin, self.prompt, &over),
            listen(stdout, &mut run, self.steps, &over),
            complaints(stderr, &over),
            end,
        );
        Ok(Worked { run, code: ended?.code(), complaint, cut })
    }

    fn spawn(&self) -> io::Result<Child> {
        let command = self.command;
        let mut process = Process::new(&command.program);
        process.args(&command.args).current_dir(self.folder).env_clear().envs(self.environment.iter());
        command.env_remove.iter().for_each(|name| _ = process.env_remove(name));
        process.envs(command.env_set.iter().map(|(name, value)| (name, value)));
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own: what ends it ends what it has started.
        process.process_group(0).kill_on_drop(true).spawn()
    }

    /// Until its end, which its time or a cancellation may bring about.
    async fn wait(
        &self,
        child: &mut Child,
        group: &Group,
        cut: &mut Option<Cut>,
    ) -> io::Result<std::process::ExitStatus> {
        let deadline = self.time.map(|time| Instant::now() + time);
        let due = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        *cut = tokio::select! {
            ended = child.wait() => return ended,
            () = due => Some(Cut::Time),
            () = self.cancel.cancelled() => Some(Cut::Cancelled),
        };
        group.send(Signal::TERM);
        if let Ok(ended) = timeout(self.grace, child.wait()).await {
            return ended;
        }
        group.send(Signal::KILL);
        child.wait().await
    }

    /// Ends what has left the group.
    async fn sweep(&self) {
        let variable = format!("{MARK}={}", self.id);
        let kill = move || pty::with_variable(&variable, &[], is_daemon).iter().for_each(pty::kill);
        // It reads all of /proc.
        tokio::task::spawn_blocking(kill).await.ok();
    }
}

/// A little after the child's end, whoever holds its pipes open.
async fn drained(over: &CancellationToken) {
    over.cancelled().await;
    sleep(DRAIN).await;
}

/// Tells it its task. One that ends before it has read everything says so by its code.
async fn speak(stdin: Option<ChildStdin>, prompt: &str, over: &CancellationToken) {
    let Some(mut stdin) = stdin else { return };
    tokio::select! {
        _ = stdin.write_all(prompt.as_bytes()) => {}
        () = drained(over) => {}
    }
}

/// Takes what it says.
async fn listen(
    stdout: Option<ChildStdout>,
    run: &mut Run,
    steps: &UnboundedSender<Step>,
    over: &CancellationToken,
) {
    let Some(stdout) = stdout else { return };
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    let mut drained = pin!(drained(over));
    loop {
        let read = tokio::select! {
            read = reader.read_until(b'\n', &mut line) => read,
            () = &mut drained => return,
        };
        if !matches!(read, Ok(1..)) {
            return;
        }
        for step in run.line(&line) {
            // Nobody may be watching.
            steps.send(step).ok();
        }
        line.clear();
    }
}

async fn complaints(stderr: Option<ChildStderr>, over: &CancellationToken) -> String {
    let Some(mut stderr) = stderr else { return String::new() };
    let mut kept = Vec::new();
    let mut buffer = [0; 1024];
    let mut drained = pin!(drained(over));
    loop {
        let read = tokio::select! {
            read = stderr.read(&mut buffer) => read,
            () = &mut drained => break,
        };
        let Ok(count @ 1..) = read else { break };
        kept.extend_from_slice(&buffer[..count]);
        let surplus = kept.len().saturating_sub(COMPLAINT);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
