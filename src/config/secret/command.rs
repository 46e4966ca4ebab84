//! `cmd:`: a command line whose first line of output is the secret.
//!
//! Bounded in time and memory; what the command says on stdout or stderr is never shown.

use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::config::Environment;

const LINE_LIMIT: u64 = 64 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("it can't be started: {0}")]
    Start(#[source] io::Error),
    #[error("it ended with {0}; run it in a terminal to see why")]
    Exit(ExitStatus),
    #[error("its output can't be read: {0}")]
    Read(#[source] io::Error),
    #[error("it took longer than {} s", .0.as_secs())]
    Slow(Duration),
}

/// What the two watching threads tell. One thread waits for the line and one for the end, because something
/// that the command left running may hold its output open.
enum Told {
    Line(io::Result<String>),
    End(io::Result<ExitStatus>),
}

/// Runs the line by `sh -c` and waits for its end, `limit` at most.
pub(super) fn first_line(
    line: &str,
    environment: &Environment,
    limit: Duration,
) -> Result<String, CommandError> {
    let mut child = start(line, environment).map_err(CommandError::Start)?;
    let group = rustix::process::Pid::from_child(&child);
    let (sender, told) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        watch_output(output, sender.clone());
    }
    watch_end(child, sender);
    let outcome = outcome(&told, limit);
    if matches!(outcome, Err(CommandError::Slow(_))) {
        // Already gone is just as good.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    outcome
}

fn start(line: &str, environment: &Environment) -> io::Result<Child> {
    Command::new("sh")
        .args(["-c", line])
        .env_clear()
        .envs(environment.iter())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

fn watch_output(output: ChildStdout, sender: Sender<Told>) {
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        let read = output.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line);
        let text = read.and_then(|_| String::from_utf8(line).map_err(|_| io::ErrorKind::InvalidData.into()));
        // Nobody listens any more once the limit has passed.
        let _ = sender.send(Told::Line(text));
        // A command whose output is shut early would end by SIGPIPE, as if it had failed.
        let _ = io::copy(&mut output, &mut io::sink());
    });
}

fn watch_end(mut child: Child, sender: Sender<Told>) {
    thread::spawn(move || {
        let _ = sender.send(Told::End(child.wait()));
    });
}

fn outcome(told: &Receiver<Told>, limit: Duration) -> Result<String, CommandError> {
    let deadline = Instant::now() + limit;
    let mut line = None;
    let mut ended = false;
    loop {
        match told.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Told::Line(text)) => line = Some(text.map_err(CommandError::Read)?),
            Ok(Told::End(status)) => {
                let status = status.map_err(CommandError::Read)?;
                ended = status.success().then_some(true).ok_or(CommandError::Exit(status))?;
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                return Err(CommandError::Slow(limit));
            }
        }
        if ended && let Some(line) = line.take() {
            return Ok(line.trim_end_matches(['\r', '\n']).to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str, limit: Duration) -> Result<String, CommandError> {
        first_line(line, &Environment::of_process(), limit)
    }

    #[test]
    fn a_command_that_hangs_is_ended_at_the_limit() {
        let error = run("exec sleep 600", Duration::from_millis(20)).unwrap_err();
        assert!(matches!(error, CommandError::Slow(_)), "{error}");
    }

    #[test]
    fn output_held_open_by_something_left_running_is_not_waited_for() {
        let line = run("echo key; sleep 5 &", Duration::from_secs(4)).unwrap();
        assert_eq!(line, "key");
    }

    #[test]
    fn much_output_after_the_line_does_no_harm() {
        let line = run("echo key; head -c 300000 /dev/zero", Duration::from_secs(20)).unwrap();
        assert_eq!(line, "key");
    }
}
