//! Ends a session: gently, then harder, and tells what it took.

use std::io;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{Instant, sleep, timeout};

use super::leftovers::sweep;
use crate::launch::host::protocol::{Ask, Ended, Tell};
use crate::launch::host::{Connection, Sender};
use crate::launch::live::{self, Live};

/// How long a host may take to say its first word.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a session may take to end, once it is asked to. Its child alone may need eight seconds.
const GRACE: Duration = Duration::from_secs(30);

/// How long the end of a process may take.
const MOMENT: Duration = Duration::from_secs(1);

/// How often it is looked whether it lives.
const PAUSE: Duration = Duration::from_millis(20);

/// A session that was ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    pub how: How,
    /// Claude Code's exit code; `None`: nobody could tell.
    pub code: Option<u8>,
    /// The signals that Claude Code needed ([`Ended::steps`]).
    pub steps: Vec<String>,
    /// Command lines of what it had left running and was ended too.
    pub swept: Vec<String>,
}

/// What it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The host did it.
    Asked,
    /// Its process got SIGTERM, because it runs in a terminal of its own or couldn't be asked.
    Signalled,
    /// Its process was killed, because it heeded nothing else.
    Killed,
    /// It had ended by itself.
    Gone,
}

/// Why a session goes on.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    #[error("session `{name}` has not ended after {} seconds: process {process} goes on", GRACE.as_secs())]
    GoesOn { name: String, process: u32 },
    #[error("session `{name}`: process {process} can't be signalled: {source}")]
    Signal { name: String, process: u32, source: io::Error },
}

impl Stopped {
    fn untold(how: How) -> Self {
        Self { how, code: None, steps: Vec::new(), swept: Vec::new() }
    }
}

/// Ends a living session, and waits for that; of one that doesn't live, what it has left. `folder` is where the living
/// are entered.
pub async fn stop(live: &Live, folder: &Path) -> Result<Stopped, StopError> {
    match by_asking(live).await {
        Some(ended) => {
            // It has yet to tell others, and to take itself off the list.
            is_gone_within(live, folder, PATIENCE).await;
            let Ended { code, steps, swept, .. } = ended;
            Ok(Stopped { how: How::Asked, code: Some(code), steps, swept })
        }
        None => by_signal(live, folder).await,
    }
}

/// `None`: it can't be asked, or doesn't do it.
async fn by_asking(live: &Live) -> Option<Ended> {
    let (connection, sender) = match timeout(PATIENCE, Connection::open(live)).await {
        Ok(Ok(open)) => open,
        Ok(Err(error)) => {
            tracing::info!(%error, "the session is signalled instead");
            return None;
        }
        Err(_) => return None,
    };
    timeout(GRACE, ended(connection, sender)).await.ok()?.ok()
}

async fn ended(mut connection: Connection, mut sender: Sender) -> io::Result<Ended> {
    sender.ask(&Ask::Stop).await?;
    loop {
        if let Tell::Ended(ended) = connection.told().await? {
            return Ok(ended);
        }
    }
}

async fn by_signal(live: &Live, folder: &Path) -> Result<Stopped, StopError> {
    if !signal(live, folder, Signal::TERM)? {
        return Ok(Stopped { swept: sweep(live.session, folder).await, ..Stopped::untold(How::Gone) });
    }
    if is_gone_within(live, folder, GRACE).await {
        return Ok(Stopped::untold(How::Signalled));
    }
    // What runs in somebody's terminal would leave Claude Code there without its router.
    let is_hosted = live.socket.is_some();
    if is_hosted && signal(live, folder, Signal::KILL)? && is_gone_within(live, folder, PATIENCE).await {
        return Ok(Stopped { swept: sweep(live.session, folder).await, ..Stopped::untold(How::Killed) });
    }
    Err(StopError::GoesOn { name: live.name.clone(), process: live.process })
}

/// Whether a session is over, if only after a moment: a process that is killed lets go of all that it has bit by bit.
pub async fn is_over(live: &Live, folder: &Path) -> bool {
    is_gone_within(live, folder, MOMENT).await
}

/// Signals the process that holds the session's claim; whether there is one.
fn signal(live: &Live, folder: &Path, signal: Signal) -> Result<bool, StopError> {
    let process = i32::try_from(live.process).ok().and_then(Pid::from_raw);
    let (Some(process), true) = (process, still_lives(live, folder)) else { return Ok(false) };
    let failed = |errno: rustix::io::Errno| StopError::Signal {
        name: live.name.clone(),
        process: live.process,
        source: errno.into(),
    };
    kill_process(process, signal).map_err(failed)?;
    // A stopped process would never notice.
    kill_process(process, Signal::CONT).ok();
    Ok(true)
}

async fn is_gone_within(live: &Live, folder: &Path, time: Duration) -> bool {
    let deadline = Instant::now() + time;
    while still_lives(live, folder) {
        if Instant::now() >= deadline {
            return false;
        }
        sleep(PAUSE).await;
    }
    true
}

/// Whether this very process still holds the claim: its id may be another's by now.
fn still_lives(live: &Live, folder: &Path) -> bool {
    live::living(folder).iter().any(|other| (other.session, other.process) == (live.session, live.process))
}
