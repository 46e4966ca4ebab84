//! How tasks are handed to sub-agents that run by themselves.

use std::time::Duration;

use super::route::RouteId;

/// `[delegation]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegationSettings {
    /// `tools`: sessions have the tools for it.
    pub offered: bool,
    /// `max_depth`: how deep delegations may be nested; the main agent's are depth 0.
    pub max_depth: u32,
    /// `max_turns`
    pub max_turns: u64,
    /// `timeout`, of one delegation; `None`: none.
    pub timeout: Option<Duration>,
    /// `parallel`: how many of a session run at once.
    pub parallel: usize,
    pub sandbox: Sandbox,
    /// `chooser`: the route whose model chooses an agent where none is named; `None`: words decide.
    pub chooser: Option<RouteId>,
}

/// `sandbox`: what keeps a delegation that only reads from writing, beside its tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sandbox {
    Off,
    /// Where the kernel has it.
    #[default]
    BestEffort,
    /// Without it there is no delegation.
    Require,
}

impl Default for DelegationSettings {
    fn default() -> Self {
        Self {
            offered: true,
            max_depth: 2,
            max_turns: 15,
            timeout: Some(Duration::from_hours(2)),
            parallel: 4,
            sandbox: Sandbox::default(),
            chooser: None,
        }
    }
}
