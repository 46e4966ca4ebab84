//! Sessions as a list has them: the living, and those that are remembered.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::glance::{Answer, Glance};
use super::tally::Tally;
use crate::launch::live::{self, Live};
use crate::launch::state::{self, Status};
use crate::ledger::{Ledger, LedgerError, Session};

/// One session of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub session: Uuid,
    pub name: String,
    /// Where Claude Code runs.
    pub folder: PathBuf,
    pub state: State,
    /// `None`: it doesn't live.
    pub place: Option<Place>,
    /// Milliseconds since 1970.
    pub started: i64,
    pub tally: Tally,
}

/// How a session is.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// It runs in a terminal of its own, where its person sees what it does.
    Running,
    /// What it does, and why that is believed.
    Live(Box<Status>),
    /// Claude Code has moved it into its own background, with these short ids.
    Background(Vec<String>),
    /// It lives and says nothing, and why.
    Silent(String),
    /// It has ended, with this exit code.
    Ended(u8),
    /// Whatever ran it has gone before its end.
    Interrupted,
}

/// Where a living session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a process of its own, with so many terminals attached; `None`: it doesn't say.
    Host(Option<usize>),
    /// In a terminal of its own.
    Terminal,
}

impl State {
    /// One word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Live(status) => match status.state {
                state::State::Starting => "starting",
                state::State::Working => "working",
                state::State::Waiting(_) => "waiting",
                state::State::Idle => "idle",
                state::State::Exited { .. } | state::State::Failed { .. } => "ending",
                state::State::Unknown => "unknown",
            },
            Self::Background(_) => "background",
            Self::Running => "running",
            Self::Silent(_) => "silent",
            Self::Ended(_) => "ended",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The living. What those say nothing of is taken from the ledger, if there is one.
///
/// # Errors
/// The ledger can't be read.
pub fn living(seen: Vec<Glance>, ledger: Option<&Ledger>) -> Result<Vec<Listed>, LedgerError> {
    seen.into_iter().map(|glance| one(glance, ledger)).collect()
}

/// Others that are remembered, the one that began last first, `limit` of them at most.
///
/// # Errors
/// The ledger can't be read.
pub fn remembered(ledger: &Ledger, living: &[Listed], limit: usize) -> Result<Vec<Listed>, LedgerError> {
    let lives = |session: &Session| living.iter().any(|listed| listed.session == session.id);
    let past = ledger.sessions()?.into_iter().filter(|session| !lives(session));
    let past = past.filter(Session::has_conversation).take(limit);
    past.map(|session| past_one(session, ledger)).collect()
}

fn one(glance: Glance, ledger: Option<&Ledger>) -> Result<Listed, LedgerError> {
    let Glance { live: Live { session, name, folder, started, .. }, answer } = glance;
    let kept = || ledger.map_or(Ok(Tally::default()), |ledger| Tally::remembered(ledger, session));
    let (state, place, tally) = match answer {
        Answer::Told(about, tally) => {
            let state = if about.background.is_empty() {
                State::Live(Box::new(about.status))
            } else {
                State::Background(about.background)
            };
            (state, Place::Host(Some(about.attached)), tally)
        }
        Answer::Alone => (State::Running, Place::Terminal, kept()?),
        Answer::Silent(reason) => (State::Silent(reason), Place::Host(None), kept()?),
    };
    Ok(Listed { session, name, folder, state, place: Some(place), started, tally })
}

fn past_one(session: Session, ledger: &Ledger) -> Result<Listed, LedgerError> {
    let Session { id, name, folder, started, ending, .. } = session;
    Ok(Listed {
        session: id,
        name: name.unwrap_or_else(|| name_of(&folder)),
        folder,
        state: ending.map_or(State::Interrupted, |ending| State::Ended(ending.exit_code)),
        place: None,
        started,
        tally: Tally::remembered(ledger, id)?,
    })
}

/// A session's name where nobody chose one.
fn name_of(folder: &Path) -> String {
    live::name(&[], folder)
}
