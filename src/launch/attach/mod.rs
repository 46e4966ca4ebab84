//! A session on the whole real terminal: what the host draws goes out, what is typed goes in.
//!
//! Nothing of ours is on the screen but, for a moment, a line that was asked for by the leader key ([`Leader`]). However
//! it ends, the terminal is left as it was found.
//!
//! [`Leader`]: crate::config::Leader

mod attached;
mod canvas;
mod colours;
mod input;
mod sequence;
mod signals;
mod terminal;

use std::io;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use tokio::time::timeout;

pub use colours::{Answers, COLOUR_QUESTIONS, colours};
pub use sequence::{Answer, answer};
pub use terminal::{RealTerminal, TerminalError};

use attached::Attached;
use signals::Signals;

use super::host::protocol::{About, Ended};
use super::host::{Connection, ConnectionError};
use super::live::Live;
use crate::config::Leader;

/// How long a host may take to say its first word.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a person wants of an attached terminal.
pub struct Wishes<'a> {
    pub leader: Leader,
    /// What the status line says of the session and its figures.
    pub describe: &'a dyn Fn(&About, &Value) -> String,
}

/// Why a terminal doesn't show a session any more.
#[derive(Debug)]
pub enum Ending {
    Detached,
    /// The session has ended.
    Ended(Ended),
    /// Claude Code has moved it into its own background, with these short ids.
    Background(Vec<String>),
    /// The host has gone without a word.
    Lost,
    /// The terminal has gone.
    TerminalLost,
    /// This signal ended us.
    Signal(Signal),
}

/// Why a terminal doesn't get to show a session.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    #[error("session `{0}` doesn't answer: try again, or end it by `subagents stop {0}`")]
    Silent(String),
    #[error("session `{name}` refuses: {reason}")]
    Refused { name: String, reason: String },
    #[error("the terminal: {0}")]
    Terminal(#[from] io::Error),
}

/// Shows a session on this terminal until something ends that. The terminal is given back in every case. Must be called
/// within a tokio runtime; the signals that end or stop a process are received from then on.
///
/// # Errors
/// See [`AttachError`]; nothing was drawn then.
pub async fn attach(
    live: &Live,
    terminal: &RealTerminal,
    wishes: &Wishes<'_>,
) -> Result<Ending, AttachError> {
    let open = timeout(PATIENCE, Connection::open(live)).await;
    let connection = open.map_err(|_| AttachError::Silent(live.name.clone()))??;
    // Before the terminal is taken, so that no signal finds it taken and ends us.
    let signals = Signals::receive()?;
    terminal.take()?;
    Attached::new(terminal, wishes, connection, signals).talk(&live.name).await
}
