//! Agents that Claude Code would refuse, and how their definitions travel.

use serde_json::Value;

use super::{Finding, Severity};
use crate::config::Config;
use crate::launch::agents_json::{ARGUMENT_LIMIT, definitions};
use crate::launch::bind::{BindError, Bound};

/// From here on one more agent may be one too many for an argument.
const NEAR_LIMIT: usize = ARGUMENT_LIMIT / 10 * 8;

/// Agents that can't be bound: the launch leaves them out.
pub(super) fn refused(refused: &[BindError], config: &Config) -> Vec<Finding> {
    let finding = |error: &BindError| {
        let name = name(error);
        let finding = Finding::new(Severity::Breaks, format!("agent {name}"), error.to_string());
        match config.agents.iter().find(|agent| agent.name == name) {
            Some(agent) => finding.mended_by(format!("edit {}", agent.file.display())),
            None => finding,
        }
    };
    refused.iter().map(finding).collect()
}

/// How near the definitions are to what one argument may hold. What is beyond that, the launch itself tells.
pub(super) fn size(bound: &[Bound<'_>]) -> Option<Finding> {
    let bytes = Value::Object(definitions(bound)).to_string().len();
    if !(NEAR_LIMIT..=ARGUMENT_LIMIT).contains(&bytes) {
        return None;
    }
    let (size, limit) = (bytes / 1024, ARGUMENT_LIMIT / 1024);
    let message = format!("the definitions take {size} of the {limit} KiB that go into one argument");
    Some(Finding::new(Severity::Notes, "agents", message).mended_by(
        "shorten prompts, or take fewer agents with `[profiles.default] agents = [\"…\"]` in config.toml",
    ))
}

fn name(error: &BindError) -> &str {
    match error {
        BindError::Name(agent)
        | BindError::Tool(agent)
        | BindError::Blank { agent, .. }
        | BindError::Route { agent, .. } => agent,
    }
}
