//! What a launch takes when nothing is said.

/// `[profiles.NAME]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Names of agents; `*` stands for all of them.
    pub agents: Vec<String>,
    /// Arguments for Claude Code, before the ones given on the command line.
    pub args: Vec<String>,
}

impl Default for Profile {
    fn default() -> Self {
        Self { agents: vec!["*".to_owned()], args: Vec::new() }
    }
}

impl Profile {
    /// The profile that is taken when none is named.
    pub const DEFAULT: &'static str = "default";

    pub fn takes(&self, agent: &str) -> bool {
        self.agents.iter().any(|a| a == "*" || a == agent)
    }
}
