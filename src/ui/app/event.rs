//! What happens, and what is to be done about it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use uuid::Uuid;

use super::input::Input;
use super::screen::agents::Errand;
use crate::config::{Config, Problem, ProviderName, RouteId};
use crate::launch::host::protocol::Stance;
use crate::launch::screen::{Rgb, Size};
use crate::launch::sessions::{Listed, Waiting};
use crate::ledger::{By, Request};

/// So many requests are told and shown at most; older ones are in the history.
pub const KEPT_REQUESTS: u32 = 10_000;

/// When something happens: the app has no clock of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// For people.
    pub time: Timestamp,
    /// For frames and time-outs.
    pub instant: Instant,
}

/// Everything that can change what is shown.
#[derive(Debug, Clone)]
pub enum Event {
    Input(Input),
    News(News),
    /// Time has passed that is shown.
    Tick,
}

/// What becomes known of the world outside.
#[derive(Debug, Clone)]
pub enum News {
    /// All sessions: the living, then those that are remembered.
    Sessions(Vec<Listed>),
    /// Why the sessions can't be listed now.
    Unlisted(String),
    /// A session's figures, as `--stats-file` writes them.
    Stats {
        session: Uuid,
        stats: Arc<Value>,
    },
    /// What waits for a person in all sessions.
    Waiting(Vec<Waiting>),
    /// Requests of all sessions that have ended since the last time, in the order in which they were kept.
    Requests {
        rows: Vec<Arc<Request>>,
        /// Older than these, and left out because there are so many.
        skipped: u64,
        /// Requests that could not be kept.
        lost: u64,
    },
    /// A session that is shown has drawn this.
    Drawn {
        session: Uuid,
        bytes: Vec<u8>,
    },
    /// A session isn't shown any more, and why.
    Closed {
        session: Uuid,
        reason: String,
    },
    Configuration(Arc<Configuration>),
    /// The terminal's background.
    Background(Rgb),
    /// Providers on this machine that answer, by their presets' names.
    Answering(Vec<String>),
    /// A command that is followed has said this line on stderr.
    Said {
        task: Task,
        line: String,
    },
    /// A command of ours has ended.
    Done(Done),
    /// What is kept of unsaved work, by [`crate::config::edit::unsaved_key`].
    Unsaved(Arc<BTreeMap<String, String>>),
}

/// What the person's files say.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    pub config: Config,
    pub problems: Vec<Problem>,
    /// The folder that the app was started in.
    pub here: PathBuf,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
    /// Where the person's clocks are; `None`: UTC.
    pub zone: Option<TimeZone>,
}

/// One of our own commands, as a process of its own: so every change goes the way that a person could have typed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub purpose: Purpose,
    /// Without the program's name.
    pub arguments: Vec<String>,
    /// Given on stdin.
    pub input: Option<String>,
    /// Where it runs; `None`: where the app was started.
    pub folder: Option<PathBuf>,
}

/// Who waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    Start,
    Resume,
    /// What would run is to be shown.
    Preview,
    /// What the machine lacks is to be shown.
    Doctor,
    /// How the providers are is to be shown.
    Providers,
    /// Nobody: what it says is told.
    Tell,
    /// The screen of agents.
    Agents(Errand),
    /// The history: sums, by this.
    Usage(By),
    /// The history: requests of a row of these sums.
    Requests(By),
    /// A provider's models were asked for.
    Models(ProviderName),
    /// Whether the providers' keys are found.
    Keys,
    /// A route is tried.
    Try(RouteId),
    /// The policy is to be saved.
    Authorise,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    pub task: Task,
    /// `None`: it could not be run, or a signal ended it.
    pub code: Option<u8>,
    pub stdout: String,
    pub stderr: String,
}

impl Task {
    pub fn new(purpose: Purpose, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Self { purpose, arguments, input: None, folder: None }
    }
}

impl Done {
    pub fn succeeded(&self) -> bool {
        self.code == Some(0)
    }

    /// What it said that a person should read: why it failed, else what it did.
    pub fn said(&self) -> &str {
        // Commands that print results on stdout tell what they did on stderr.
        let is_result = self.succeeded() && !self.stdout.trim().is_empty();
        let said = if is_result { &self.stdout } else { &self.stderr };
        // Warnings come first, and the reason last.
        let reason = said.rfind("\nsubagents: ").filter(|_| !self.succeeded()).map_or(0, |at| at + 1);
        let said = said[reason..].trim();
        said.strip_prefix("subagents: ").unwrap_or(said)
    }
}

/// What the app asks of the world outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    Quit,
    /// To show a session on a part of the terminal of this size, which is told by [`News::Drawn`]. It is only looked at,
    /// until [`Effect::Stand`] says more.
    Attach {
        session: Uuid,
        size: Size,
    },
    /// Not to show it any more.
    Detach {
        session: Uuid,
    },
    Resize {
        session: Uuid,
        size: Size,
    },
    /// A session that is shown is worked in from now on, or only looked at again.
    Stand {
        session: Uuid,
        stance: Stance,
    },
    /// To type this in a session.
    Type {
        session: Uuid,
        bytes: Vec<u8>,
    },
    /// To run one of our commands; [`News::Done`] tells what came of it.
    Run(Task),
    /// As [`Effect::Run`], and each line that it says on stderr on the way is told by [`News::Said`].
    Follow(Task),
    /// To give one of our commands the whole real terminal until it ends.
    HandOver {
        arguments: Vec<String>,
    },
    /// The same; and what it says last stays until the person has read it.
    HandOverToRead {
        arguments: Vec<String>,
    },
    /// To look which providers answer on this machine; [`News::Answering`] tells.
    Probe,
    /// To put this on the clipboard.
    Copy(String),
    /// To draw everything anew.
    Redraw,
    /// To keep an agent's file that isn't saved yet, so that a crash loses nothing; `None`: not any more.
    Keep {
        agent: String,
        text: Option<String>,
    },
}
