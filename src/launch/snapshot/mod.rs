//! What a session was launched with, as it is remembered: its agents whole, providers, routes, policy. Pure.
//!
//! Enough to launch the same again, whatever has become of the files since. References to secrets are kept, and never
//! a secret; a text that may hold one is left out (`withheld.rs`) and taken from today's files when it is needed.

mod parts;
#[cfg(test)]
mod tests;
mod withheld;

use serde_json::Value;

use super::bind::Bound;
use crate::config::{Agent, Config, WireId};

use self::parts::{Unreadable, Whole};
use self::withheld::{fill, withhold};

pub use self::withheld::may_hold_a_key;

/// What is written now. Version 1 held the names and routes of routed agents only.
const VERSION: u64 = 2;

/// A launch as it was, to be made again.
#[derive(Debug, Clone)]
pub struct Restored {
    /// With the launched agents alone. Profiles, Claude Code's path and the ledger's retention are nobody's record:
    /// they are those of today.
    pub config: Config,
    /// Of each agent, in their order; `None` for one on no route.
    pub wires: Vec<Option<WireId>>,
    /// What isn't recorded and is today's, such as `agents.reviewer.fields.mcpServers.x.env.TOKEN`.
    pub filled: Vec<String>,
}

/// Why a launch can't be made again as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    #[error(
        "it was recorded by a version of this program that kept no definitions of agents: resume it with --current, \
         which takes today's configuration"
    )]
    Old,
    #[error("it was recorded by a newer version of this program: use that one")]
    Newer,
    #[error(
        "{0} is left out of the record, because it may hold a key, and today's configuration doesn't have it any more: put it back there, or resume with --current"
    )]
    Withheld(String),
    #[error("its record is damaged ({0}): resume it with --current, which takes today's configuration")]
    Damaged(String),
}

/// A session's launch: these agents of this configuration.
pub fn snapshot(agents: &[Bound<'_>], config: &Config) -> Value {
    let mut snapshot = whole(agents, config);
    withhold(&mut snapshot);
    snapshot
}

/// The launch that [`snapshot`] was made of. What was left out is today's: `agents` of the configuration `today`.
///
/// # Errors
/// It isn't all there.
pub fn restore(snapshot: &Value, agents: &[Bound<'_>], today: &Config) -> Result<Restored, RestoreError> {
    match snapshot["version"].as_u64() {
        Some(VERSION) => {}
        Some(1) => return Err(RestoreError::Old),
        Some(_) => return Err(RestoreError::Newer),
        None => return Err(RestoreError::Damaged("no version".to_owned())),
    }
    let mut snapshot = snapshot.clone();
    let filled = fill(&mut snapshot, &whole(agents, today)).map_err(RestoreError::Withheld)?;
    let whole: Whole =
        serde_json::from_value(snapshot).map_err(|error| RestoreError::Damaged(error.to_string()))?;
    let (config, wires) = whole.config().map_err(|Unreadable(what)| RestoreError::Damaged(what))?;
    let config = Config {
        claude: today.claude.clone(),
        retention: today.retention,
        leader: today.leader,
        notify_command: today.notify_command.clone(),
        delegation: today.delegation.clone(),
        ..config
    };
    Ok(Restored { config, wires, filled })
}

impl Restored {
    /// The agents with their wire ids, as they were.
    pub fn agents(&self) -> Vec<Bound<'_>> {
        bound(&self.config.agents, &self.wires)
    }
}

/// Agents with the wire ids that they had, in their order.
pub fn bound<'a>(agents: &'a [Agent], wires: &[Option<WireId>]) -> Vec<Bound<'a>> {
    agents.iter().zip(wires).map(|(agent, wire)| Bound { agent, wire: wire.clone() }).collect()
}

/// With everything in it.
fn whole(agents: &[Bound<'_>], config: &Config) -> Value {
    // Text and numbers only: there is nothing in it that could not be written.
    serde_json::to_value(Whole::of(agents, config)).unwrap_or_default()
}
