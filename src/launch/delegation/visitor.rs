//! Who asks for a delegation, as far as tokens and hooks tell.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::grant::{Grant, PermissionMode};
use super::route::{Engine, engine_of};
use crate::router::{Callers, Table};

/// Calls whose hook came and that themselves have not yet come: a model makes few at once.
const CALLS: usize = 256;

/// Whoever has a control token: a session's main Claude Code, or one of its children.
#[derive(Debug)]
pub struct Visitor {
    /// `main`, or the child's agent.
    pub name: String,
    /// The widest that it may hand on.
    pub grant: Grant,
    pub table: Arc<Table>,
    pub callers: Arc<Callers>,
    /// Cancelled at its end; `None`: the session's end is its own.
    life: Option<CancellationToken>,
    calls: Mutex<VecDeque<(String, Calling)>>,
}

/// What a hook says of a call before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calling {
    /// `None`: the main agent.
    pub agent_id: Option<String>,
    pub permission: PermissionMode,
    pub folder: Option<PathBuf>,
}

/// Who asks for one delegation.
#[derive(Debug, Clone)]
pub struct Asker {
    /// The name of the agent, where it is known.
    pub agent: Option<String>,
    pub grant: Grant,
    /// What it runs on itself, and with which effort.
    pub parent: Option<(Engine, Option<String>)>,
    /// Where it works.
    pub folder: Option<PathBuf>,
    /// What it starts ends with this; `None`: with the session.
    pub life: Option<CancellationToken>,
}

impl Asker {
    /// Somebody of whom nothing is known: he may hand on what changes nothing.
    pub fn nobody() -> Self {
        let grant = Grant { writes: false, ..Grant::main(PermissionMode::DontAsk) };
        Self { agent: None, grant, parent: None, folder: None, life: None }
    }
}

impl Visitor {
    pub fn new(name: &str, grant: Grant, table: Arc<Table>, callers: Arc<Callers>) -> Self {
        Self { name: name.to_owned(), grant, table, callers, life: None, calls: Mutex::default() }
    }

    /// One that ends before the session does.
    #[must_use]
    pub fn living(self, life: CancellationToken) -> Self {
        Self { life: Some(life), ..self }
    }

    /// The hook of a call: by its `tool_use_id` the call will be known.
    pub fn announced(&self, tool_use_id: &str, calling: Calling) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() >= CALLS {
            calls.pop_front();
        }
        calls.push_back((tool_use_id.to_owned(), calling));
    }

    /// Who makes the call with this id. One that no hook has told of is the main agent's, in the usual mode.
    pub fn asker(&self, tool_use_id: Option<&str>) -> Asker {
        let calling = tool_use_id.and_then(|id| self.take(id));
        let permission = calling.as_ref().map_or(PermissionMode::Default, |calling| calling.permission);
        let agent_id = calling.as_ref().and_then(|calling| calling.agent_id.as_deref());
        let spoken = self.callers.spoken(agent_id);
        let agent = match agent_id {
            Some(id) => self.callers.name_of(id),
            None => Some(self.name.clone()),
        };
        Asker {
            agent,
            grant: Grant { permission: self.grant.permission.min(permission), ..self.grant.clone() },
            parent: spoken.map(|spoken| (engine_of(&spoken, &self.table), spoken.effort)),
            folder: calling.and_then(|calling| calling.folder),
            life: self.life.clone(),
        }
    }

    fn take(&self, id: &str) -> Option<Calling> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let at = calls.iter().position(|(known, _)| known == id)?;
        calls.remove(at).map(|(_, calling)| calling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visitor(permission: PermissionMode) -> Visitor {
        Visitor::new("main", Grant::main(permission), Arc::default(), Arc::default())
    }

    fn calling(agent: &str, permission: PermissionMode) -> Calling {
        Calling { agent_id: Some(agent.to_owned()), permission, folder: Some("/src".into()) }
    }

    #[test]
    fn a_call_is_whose_hook_announced_it_and_only_once() {
        let visitor = visitor(PermissionMode::BypassPermissions);
        visitor.callers.started("a1", "reviewer");
        visitor.announced("t1", calling("a1", PermissionMode::AcceptEdits));
        let asker = visitor.asker(Some("t1"));
        assert_eq!((asker.agent.as_deref(), asker.folder), (Some("reviewer"), Some("/src".into())));
        assert_eq!(asker.grant.permission, PermissionMode::AcceptEdits);
        let again = visitor.asker(Some("t1"));
        assert_eq!((again.agent.as_deref(), again.grant.permission), (Some("main"), PermissionMode::Default));
        assert_eq!(visitor.asker(None).grant.permission, PermissionMode::Default);
    }

    #[test]
    fn a_childs_mode_is_never_looser_than_its_own_grant() {
        let visitor = visitor(PermissionMode::Plan);
        visitor.announced("t1", calling("a1", PermissionMode::BypassPermissions));
        assert_eq!(visitor.asker(Some("t1")).grant.permission, PermissionMode::Plan);
    }

    #[test]
    fn calls_that_never_come_are_forgotten() {
        let visitor = visitor(PermissionMode::Auto);
        for number in 0..=CALLS {
            visitor.announced(&number.to_string(), calling("a1", PermissionMode::Auto));
        }
        assert_eq!(visitor.asker(Some("0")).folder, None);
        assert!(visitor.asker(Some("1")).folder.is_some());
    }
}
