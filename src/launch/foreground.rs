//! Runs the child on the real terminal and waits for it as a shell waits for a foreground job.
//!
//! The child shares our process group, so Ctrl-C, Ctrl-\ and a resize are the child's business; we only take
//! care not to die of them. When it stops we stop, when it ends we tell its code, and a signal that is meant
//! to end us ends it first. The runtime's other tasks go on meanwhile.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{self, Pid, WaitId, WaitIdOptions};
use signal_hook::low_level::raise;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::Instant;

use super::command::Command;
use super::terminal_modes::TerminalModes;
use crate::config::Environment;

/// How long a child has to end by itself after SIGTERM or SIGHUP.
const GRACE: Duration = Duration::from_secs(10);

/// A child that has the terminal. Dropping it doesn't end the child.
pub struct Foreground {
    child: Child,
    pid: Pid,
    signals: Signals,
    modes: TerminalModes,
    grace: Duration,
}

/// Why the child didn't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{program} can't be started: {source}; check `[claude] path`, or reinstall Claude Code")]
    Program { program: String, source: io::Error },
    #[error("signals can't be received: {0}")]
    Signals(#[source] io::Error),
}

/// Starts the command in this process's group, with its terminal, in `folder` and on top of `environment`. Must
/// be called within a tokio runtime; the command's files must have been written.
pub fn spawn(command: &Command, environment: &Environment, folder: &Path) -> Result<Foreground, StartError> {
    // Before the child is there, so that no signal finds us unready.
    let signals = Signals::receive().map_err(StartError::Signals)?;
    let modes = TerminalModes::save();
    let mut process = std::process::Command::new(&command.program);
    process.args(&command.args).current_dir(folder).env_clear().envs(environment.iter());
    command.env_remove.iter().for_each(|name| _ = process.env_remove(name));
    process.envs(command.env_set.iter().map(|(name, value)| (name, value)));
    let child = process.spawn().map_err(|source| {
        let program = command.program.display().to_string();
        StartError::Program { program, source }
    })?;
    let pid = Pid::from_child(&child);
    Ok(Foreground { child, pid, signals, modes, grace: GRACE })
}

impl Foreground {
    /// Another time to end after SIGTERM or SIGHUP than ten seconds.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Waits for the child's end and returns its exit code; 128 + N where signal N ended it.
    pub async fn wait(mut self) -> io::Result<u8> {
        let mut deadline = None;
        let mut change = next_change(self.pid);
        loop {
            tokio::select! {
                biased;
                changed = &mut change => match changed?? {
                    Change::Ended => break,
                    Change::Stopped => {
                        self.stop()?;
                        change = next_change(self.pid);
                    }
                },
                ending = self.signals.next() => {
                    self.pass_on(ending);
                    deadline.get_or_insert(Instant::now() + self.grace);
                }
                () = until(deadline) => {
                    self.send(process::Signal::KILL);
                    deadline = None;
                }
            }
        }
        self.reap()
    }

    /// Stops this process as the child has stopped, until somebody lets it go on.
    fn stop(&self) -> io::Result<()> {
        let take = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        if process::waitid(WaitId::Pid(self.pid), take)?.is_none() {
            return Ok(()); // It goes on already.
        }
        // The kernel never stops an init process, so nobody would let it go on either.
        if process::getpid().is_init() {
            self.send(process::Signal::CONT);
            return Ok(());
        }
        // To this very thread, so that nothing below runs before the stop is over: any other may take its time.
        raise(process::Signal::STOP.as_raw())?;
        self.go_on();
        Ok(())
    }

    /// We go on: so must the child, where whoever let us go on left it out. A shell continues the whole job, and
    /// the child may by now have stopped anew, which must not be undone.
    fn go_on(&self) {
        let news = WaitIdOptions::STOPPED | WaitIdOptions::CONTINUED | WaitIdOptions::EXITED;
        let look = news | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if matches!(process::waitid(WaitId::Pid(self.pid), look), Ok(None)) {
            self.send(process::Signal::CONT);
        }
    }

    fn pass_on(&self, ending: process::Signal) {
        self.send(ending);
        // A stopped child would never notice.
        self.send(process::Signal::CONT);
    }

    /// The child is reaped in `reap` only, so its id can't be another process's yet.
    fn send(&self, signal: process::Signal) {
        process::kill_process(self.pid, signal).ok();
    }

    fn reap(&mut self) -> io::Result<u8> {
        let status = self.child.wait()?;
        if status.signal().is_some() {
            self.modes.restore();
        }
        Ok(exit_code(status))
    }
}

/// The signals that concern us. Receiving them keeps them from ending or stopping us; the child gets the
/// default actions again when it starts.
struct Signals {
    hangup: Signal,
    terminate: Signal,
    /// Ctrl-C, Ctrl-\ and Ctrl-Z: the terminal sends them to the child too, and it decides.
    _absorbed: [Signal; 3],
}

impl Signals {
    fn receive() -> io::Result<Self> {
        use process::Signal as Kind;
        Ok(Self {
            hangup: receive(Kind::HUP)?,
            terminate: receive(Kind::TERM)?,
            _absorbed: [receive(Kind::INT)?, receive(Kind::QUIT)?, receive(Kind::TSTP)?],
        })
    }

    /// The next signal that is meant to end us.
    async fn next(&mut self) -> process::Signal {
        tokio::select! {
            _ = self.hangup.recv() => process::Signal::HUP,
            _ = self.terminate.recv() => process::Signal::TERM,
        }
    }
}

fn receive(kind: process::Signal) -> io::Result<Signal> {
    signal(SignalKind::from_raw(kind.as_raw()))
}

/// What a child did.
enum Change {
    Ended,
    Stopped,
}

fn next_change(pid: Pid) -> tokio::task::JoinHandle<io::Result<Change>> {
    tokio::task::spawn_blocking(move || blocking_change(pid))
}

/// Only looks: an end is reaped, and a stop is taken, by the one that acts on it.
fn blocking_change(pid: Pid) -> io::Result<Change> {
    let look = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
    loop {
        match process::waitid(WaitId::Pid(pid), look) {
            Ok(Some(status)) if status.stopped() => return Ok(Change::Stopped),
            Ok(Some(_)) => return Ok(Change::Ended),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l8_an_exit_code_is_passed_on_and_a_signal_counts_from_128() {
        for (raw, expect) in [(0, 0), (7 << 8, 7), (255 << 8, 255), (9, 137), (15, 143)] {
            assert_eq!(exit_code(ExitStatus::from_raw(raw)), expect);
        }
    }
}
