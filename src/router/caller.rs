//! Who asks: the names that Claude Code's hooks gave to agent ids, and what those agents run on.
//!
//! `SubagentStart` arrives before an agent's first request and carries the same id as its headers, so the map
//! is exact. Without hooks nothing here is known, and nothing is refused.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::record::{CallerHeaders, Record};
use crate::config::WireId;

/// The registry. Entries stay for the session's life: a late request still has its name.
#[derive(Debug, Default)]
pub struct Callers {
    known: Mutex<Known>,
    /// Claude Code's own id of what the person is in.
    conversation: watch::Sender<Option<String>>,
    /// A hook has told it.
    told: AtomicBool,
}

#[derive(Debug, Default)]
struct Known {
    agents: HashMap<String, Agent>,
    /// The wire ids that the main session itself has used. Only those of the session's table come in here.
    main_models: Arc<Vec<WireId>>,
    /// What each agent asked last, and the main session.
    spoken: HashMap<Option<String>, Spoken>,
    hooks: bool,
}

#[derive(Debug, Clone)]
struct Agent {
    name: String,
    parent: Option<String>,
}

/// What a turn ran on: what a child of its asker inherits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// As it was on the wire.
    pub model: String,
    pub effort: Option<String>,
}

/// The one who asks, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    Main,
    /// An agent that `SubagentStart` named, and the names of those that it descends from, nearest first.
    Agent {
        name: String,
        ancestors: Vec<String>,
        /// One of those has no name: whose descendant this is can't be said.
        orphan: bool,
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

    /// A hook of this conversation. Once one has told it, headers don't: a `claude -p` in an agent's shell comes
    /// through this router too, with an id of its own and without our hooks.
    pub fn conversed(&self, conversation: &str) {
        self.told.store(true, Ordering::Relaxed);
        self.converse(conversation);
    }

    /// Claude Code's own id of the conversation, and another one whenever the person begins or takes up another.
    pub fn conversations(&self) -> watch::Receiver<Option<String>> {
        self.conversation.subscribe()
    }

    /// Whether `SubagentStart` has ever named this agent.
    pub fn has_started(&self, name: &str) -> bool {
        self.lock().agents.values().any(|agent| agent.name == name)
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
        if let (Some(conversation), false) = (&headers.session, self.told.load(Ordering::Relaxed)) {
            self.converse(conversation);
        }
        let Some(id) = &headers.agent_id else { return Caller::Main };
        let mut known = self.lock();
        let Some(agent) = known.agents.get_mut(id) else { return Caller::Unknown };
        if headers.parent_id.is_some() {
            agent.parent.clone_from(&headers.parent_id);
        }
        let name = agent.name.clone();
        let (ancestors, orphan) = known.ancestors(id);
        Caller::Agent { name, ancestors, orphan }
    }

    fn converse(&self, conversation: &str) {
        self.conversation.send_if_modified(|current| {
            let is_other = current.as_deref() != Some(conversation);
            if is_other {
                *current = Some(conversation.to_owned());
            }
            is_other
        });
    }

    pub(super) fn main_runs_on(&self, model: &WireId) {
        let mut known = self.lock();
        if !known.main_models.contains(model) {
            Arc::make_mut(&mut known.main_models).push(model.clone());
        }
    }

    /// A turn was sent on.
    pub(super) fn spoke(&self, record: &Record) {
        // A title or a summary runs on whatever Claude Code likes.
        if matches!(record.caller.class.as_deref(), Some("auxiliary" | "compaction")) {
            return;
        }
        let Some(model) = record.wire_model.clone() else { return };
        let spoken = Spoken { model, effort: record.effort.clone() };
        self.lock().spoken.insert(record.caller.agent_id.clone(), spoken);
    }

    /// What an agent asked last; `None` for the main session.
    pub fn spoken(&self, agent_id: Option<&str>) -> Option<Spoken> {
        self.lock().spoken.get(&agent_id.map(str::to_owned)).cloned()
    }

    /// The name of an agent, as its hook said it.
    pub fn name_of(&self, agent_id: &str) -> Option<String> {
        self.lock().agents.get(agent_id).map(|agent| agent.name.clone())
    }

    pub(super) fn main_models(&self) -> Arc<Vec<WireId>> {
        Arc::clone(&self.lock().main_models)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        // Plain data: a panic elsewhere leaves nothing half-written in it.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Names, nearest first, as far as they are known; and whether one is not.
    fn ancestors(&self, id: &str) -> (Vec<String>, bool) {
        let mut names = Vec::new();
        let mut parent = self.agents.get(id).and_then(|agent| agent.parent.as_ref());
        while let Some(id) = parent {
            let Some(agent) = self.agents.get(id) else { return (names, true) };
            names.push(agent.name.clone());
            // A chain that bites its own tail is a forgery; this bounds it.
            parent = agent.parent.as_ref().filter(|_| names.len() < 16);
        }
        (names, false)
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
            Caller::Agent {
                name: "Plan".into(),
                ancestors: vec!["Explore".into(), "reviewer".into()],
                orphan: false
            }
        );
        callers.find(&headers(Some("1"), Some("unheard-of")));
        let Caller::Agent { ancestors, orphan, .. } = callers.find(&headers(Some("3"), None)) else {
            panic!()
        };
        assert_eq!((ancestors, orphan), (vec!["Explore".into(), "reviewer".into()], true));
        assert!(callers.hooks());
    }

    #[test]
    fn a_conversation_is_told_by_headers_until_a_hook_tells_it() {
        let callers = Callers::default();
        let mut conversations = callers.conversations();
        let of = |session: &str| CallerHeaders { session: Some(session.to_owned()), ..headers(None, None) };
        callers.find(&headers(None, None));
        assert!(!conversations.has_changed().unwrap());
        callers.find(&of("a"));
        assert_eq!(conversations.borrow_and_update().as_deref(), Some("a"));
        callers.find(&of("a"));
        assert!(!conversations.has_changed().unwrap(), "the same again is no news");
        callers.conversed("b");
        callers.find(&of("of-a-claude-in-a-shell"));
        assert_eq!(conversations.borrow_and_update().as_deref(), Some("b"));
    }

    #[test]
    fn all_wire_ids_of_the_main_session_are_kept_once() {
        let callers = Callers::default();
        let [one, two] = ["p/one", "p/two"].map(|route| WireId::main(&route.parse().unwrap()));
        for wire in [&one, &two, &one] {
            callers.main_runs_on(wire);
        }
        assert_eq!(*callers.main_models(), [one, two]);
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
