//! Who asks: the names that Claude Code's hooks gave to agent ids, and what those agents run on.
//!
//! `SubagentStart` arrives before an agent's first request and carries the same id as its headers, so the map
//! is exact. Without hooks nothing here is known, and nothing is refused.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::record::CallerHeaders;

/// The registry. Entries stay for the session's life: a late request still has its name.
#[derive(Debug, Default)]
pub struct Callers {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    agents: HashMap<String, Agent>,
    /// The wire id that the main session itself used last.
    main_model: Option<String>,
    hooks: bool,
}

#[derive(Debug, Clone)]
struct Agent {
    name: String,
    parent: Option<String>,
}

/// The one who asks, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    Main,
    /// An agent that `SubagentStart` named, and the names of those that it descends from, nearest first.
    Agent {
        name: String,
        ancestors: Vec<String>,
    },
    /// An agent id that no hook has named.
    Unknown,
}

impl Callers {
    /// `SubagentStart`
    pub fn started(&self, agent_id: &str, name: &str) {
        let mut known = self.lock();
        known.hooks = true;
        known
            .agents
            .entry(agent_id.to_owned())
            .or_insert_with(|| Agent { name: name.to_owned(), parent: None });
    }

    /// Any hook event shows that hooks work.
    pub fn heard(&self) {
        self.lock().hooks = true;
    }

    /// Whether hooks have been heard from.
    pub fn hooks(&self) -> bool {
        self.lock().hooks
    }

    /// Who sent these headers. A parent's id, once seen, is remembered.
    pub fn find(&self, headers: &CallerHeaders) -> Caller {
        let Some(id) = &headers.agent_id else { return Caller::Main };
        let mut known = self.lock();
        let Some(agent) = known.agents.get_mut(id) else { return Caller::Unknown };
        if headers.parent_id.is_some() {
            agent.parent.clone_from(&headers.parent_id);
        }
        let name = agent.name.clone();
        Caller::Agent { name, ancestors: known.ancestors(id) }
    }

    pub(super) fn main_runs_on(&self, model: &str) {
        let mut known = self.lock();
        if known.main_model.as_deref() != Some(model) {
            known.main_model = Some(model.to_owned());
        }
    }

    pub(super) fn main_model(&self) -> Option<String> {
        self.lock().main_model.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        // Plain data: a panic elsewhere leaves nothing half-written in it.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn ancestors(&self, id: &str) -> Vec<String> {
        let parent = |id: &String| self.agents.get(id).and_then(|agent| agent.parent.clone());
        let chain = std::iter::successors(parent(&id.to_owned()), parent);
        // A chain that bites its own tail is a forgery; this bounds it.
        chain.take(16).filter_map(|id| self.agents.get(&id).map(|agent| agent.name.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(agent: Option<&str>, parent: Option<&str>) -> CallerHeaders {
        CallerHeaders {
            agent_id: agent.map(str::to_owned),
            parent_id: parent.map(str::to_owned),
            ..CallerHeaders::default()
        }
    }

    #[test]
    fn an_agent_is_named_by_its_hook_and_its_parents_by_their_headers() {
        let callers = Callers::default();
        assert_eq!(callers.find(&headers(None, None)), Caller::Main);
        assert_eq!(callers.find(&headers(Some("1"), None)), Caller::Unknown);
        assert!(!callers.hooks());
        callers.started("1", "reviewer");
        callers.started("2", "Explore");
        callers.started("3", "Plan");
        callers.find(&headers(Some("2"), Some("1")));
        let found = callers.find(&headers(Some("3"), Some("2")));
        assert_eq!(
            found,
            Caller::Agent { name: "Plan".into(), ancestors: vec!["Explore".into(), "reviewer".into()] }
        );
        assert!(callers.hooks());
    }

    #[test]
    fn a_circle_of_parents_ends() {
        let callers = Callers::default();
        callers.started("1", "a");
        callers.find(&headers(Some("1"), Some("1")));
        let Caller::Agent { ancestors, .. } = callers.find(&headers(Some("1"), Some("1"))) else { panic!() };
        assert_eq!(ancestors.len(), 16);
    }
}
