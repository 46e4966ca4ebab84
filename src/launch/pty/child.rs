//! The child's life: its signals, its end, and whatever it leaves behind.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::time::{sleep, timeout};

use super::processes::{self, IsShared, Process};

/// How often it is looked for processes that got away, and how long between: some may be starting others.
const ROUNDS: usize = 40;
const PAUSE: Duration = Duration::from_millis(5);

/// The leader of a terminal's session.
pub struct Child {
    process: tokio::process::Child,
    leader: i32,
    mark: String,
    is_shared: IsShared,
    swept: bool,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Code(u8),
    Signal(u8),
}

/// How long a child has to end by itself before the next harder signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    pub after_hangup: Duration,
    pub after_terminate: Duration,
}

/// What was needed to stop it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Hangup,
    Terminate,
    Kill,
}

/// What stopping did.
#[derive(Debug)]
pub struct Stopped {
    pub exit: Exit,
    /// The last is the one that worked; empty: it had ended before.
    pub steps: Vec<Step>,
}

impl Default for Patience {
    /// Claude Code writes its state when it is told to end.
    fn default() -> Self {
        Self { after_hangup: Duration::from_secs(5), after_terminate: Duration::from_secs(3) }
    }
}

impl Exit {
    /// As a shell tells it: 128 + N where signal N ended it.
    pub fn code(self) -> u8 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => signal.saturating_add(128),
        }
    }

    fn of(status: ExitStatus) -> Self {
        let byte = |number: i32| u8::try_from(number).unwrap_or(1);
        match status.signal() {
            Some(signal) => Self::Signal(byte(signal)),
            None => Self::Code(status.code().map_or(1, byte)),
        }
    }
}

impl Step {
    const fn signal(self) -> Signal {
        match self {
            Self::Hangup => Signal::HUP,
            Self::Terminate => Signal::TERM,
            Self::Kill => Signal::KILL,
        }
    }
}

impl Child {
    pub(super) fn new(process: tokio::process::Child, mark: String) -> Self {
        let leader = process.id().and_then(|id| i32::try_from(id).ok()).unwrap_or(0);
        Self { process, leader, mark, is_shared: |_| false, swept: false }
    }

    /// Leaves those alone that others use too, and all that they have started.
    #[must_use]
    pub fn sparing(mut self, is_shared: IsShared) -> Self {
        self.is_shared = is_shared;
        self
    }

    /// Its process id, which is its group's and session's too.
    pub fn id(&self) -> i32 {
        self.leader
    }

    /// Waits for its end, whoever still has the terminal open. May be dropped and called again.
    pub async fn wait(&mut self) -> io::Result<Exit> {
        self.process.wait().await.map(Exit::of)
    }

    /// Sends a signal to its process group; nothing once its end has been seen, when the id may be another's.
    pub fn signal(&self, signal: Signal) {
        if let (Some(_), Some(leader)) = (self.process.id(), Pid::from_raw(self.leader)) {
            kill_process_group(leader, signal).ok();
        }
    }

    /// Asks it to end, then harder. Read its terminal meanwhile: it may have more to say than the terminal holds.
    pub async fn stop(&mut self, patience: Patience) -> io::Result<Stopped> {
        let mut steps = Vec::new();
        if let Some(status) = self.process.try_wait()? {
            return Ok(Stopped { exit: Exit::of(status), steps });
        }
        let gentle = [(Step::Hangup, patience.after_hangup), (Step::Terminate, patience.after_terminate)];
        for (step, time) in gentle {
            steps.push(step);
            self.signal(step.signal());
            // A stopped child would never notice.
            self.signal(Signal::CONT);
            if let Ok(exit) = timeout(time, self.wait()).await {
                return Ok(Stopped { exit: exit?, steps });
            }
        }
        steps.push(Step::Kill);
        self.signal(Step::Kill.signal());
        Ok(Stopped { exit: self.wait().await?, steps })
    }

    /// What descends from it and runs, in other groups and sessions too, and isn't shared.
    pub fn descendants(&self) -> Vec<Process> {
        processes::of_terminal(self.leader, &self.mark, self.is_shared)
    }

    /// Kills what it has left behind; what that was. Call it soon after its end: it works once, because later its id
    /// may be another's.
    pub async fn sweep(&mut self) -> Vec<Process> {
        let mut killed: Vec<Process> = Vec::new();
        for _ in 0..ROUNDS {
            let found = self.kill_stragglers();
            if found.is_empty() {
                break;
            }
            killed.extend(found);
            sleep(PAUSE).await;
        }
        killed.sort_by_key(|process| process.id);
        killed.dedup_by_key(|process| process.id);
        self.swept = self.process.id().is_none();
        killed
    }

    fn kill_stragglers(&self) -> Vec<Process> {
        let found = if self.swept { Vec::new() } else { self.descendants() };
        found.iter().for_each(processes::kill);
        found
    }
}

/// Whatever ends us, nothing of it goes on but what is shared.
impl Drop for Child {
    fn drop(&mut self) {
        // Its descendants are known by it as long as it lives.
        self.kill_stragglers();
        self.signal(Signal::KILL);
        for _ in 0..ROUNDS {
            if self.kill_stragglers().is_empty() {
                break;
            }
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p3_an_exit_code_is_passed_on_and_a_signal_counts_from_128() {
        for (raw, expect, code) in [
            (0, Exit::Code(0), 0),
            (7 << 8, Exit::Code(7), 7),
            (9, Exit::Signal(9), 137),
            (15, Exit::Signal(15), 143),
        ] {
            let exit = Exit::of(ExitStatus::from_raw(raw));
            assert_eq!((exit, exit.code()), (expect, code));
        }
    }
}
