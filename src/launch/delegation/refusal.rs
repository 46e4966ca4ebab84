//! Why there is no child. Nothing has been started by then.

use crate::config::{RouteId, RouteRefusal};

/// Why a delegation isn't made, in words that the model that asked can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{0}")]
    Arguments(String),
    #[error("there is no agent `{name}` ({})", listed(.known))]
    NoAgent { name: String, known: Vec<String> },
    #[error("agent `{0}` is switched off (`visibility: off`)")]
    Off(String),
    #[error("{0}")]
    Agent(String),
    #[error(
        "this is depth {depth}, and {limit} is the limit (max_depth, SUBAGENTS_MAX_DEPTH): do the task yourself"
    )]
    Depth { depth: u32, limit: u32 },
    #[error(
        "routes are not for a model to choose here (`[policy] enabled = false`): leave provider, model and reasoning_effort out"
    )]
    Closed,
    #[error("the policy doesn't let a model choose {0}: `list_subagent_models` tells which routes it does")]
    Forbidden(String),
    #[error("{route}: {refusal}. {}", refusal.remedy())]
    Route { route: RouteId, refusal: RouteRefusal },
    #[error("{route} knows no effort `{effort}` ({})", listed(.efforts))]
    Effort { route: String, effort: String, efforts: Vec<String> },
    #[error("{0}")]
    Tools(String),
    #[error("{0}")]
    Permission(String),
    #[error(
        "{running} delegations run and {waiting} wait already: try again when some are done, or do the task yourself"
    )]
    Busy { running: usize, waiting: usize },
    #[error("there is no delegation `{0}` to go on with: it isn't known any more, or it still runs")]
    Unknown(String),
    #[error("{0}")]
    Sandbox(String),
    #[error("the child can't be started: {0}")]
    Start(String),
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "there is none".to_owned() } else { format!("there is: {}", names.join(", ")) }
}
