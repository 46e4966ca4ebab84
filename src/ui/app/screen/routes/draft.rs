//! What was ticked and isn't saved yet: the difference to the policy in the files.

use std::collections::BTreeSet;

use crate::config::{Policy, RouteId};
use crate::ui::text::counted;

/// Kept as a difference, so that what somebody else changes meanwhile stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Draft {
    /// `None`: as it is.
    enabled: Option<bool>,
    allow: BTreeSet<RouteId>,
    deny: BTreeSet<RouteId>,
}

/// What a draft does to a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Allows,
    Denies,
}

impl Draft {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What the switch will say.
    pub(super) fn enabled(&self, policy: &Policy) -> bool {
        self.enabled.unwrap_or(policy.enabled)
    }

    /// Whether the switch will say something else.
    pub(super) fn switches(&self) -> bool {
        self.enabled.is_some()
    }

    /// Whether the route will be on the list.
    pub(super) fn lists(&self, policy: &Policy, route: &RouteId) -> bool {
        match self.change(route) {
            Some(change) => change == Change::Allows,
            None => policy.allowed.contains(route),
        }
    }

    /// The list as it will be.
    pub(super) fn list(&self, policy: &Policy) -> BTreeSet<RouteId> {
        policy.allowed.union(&self.allow).filter(|route| !self.deny.contains(*route)).cloned().collect()
    }

    pub(super) fn change(&self, route: &RouteId) -> Option<Change> {
        let allowed = self.allow.contains(route).then_some(Change::Allows);
        allowed.or_else(|| self.deny.contains(route).then_some(Change::Denies))
    }

    /// What comes to the list.
    pub(super) fn allowed(&self) -> impl Iterator<Item = &RouteId> {
        self.allow.iter()
    }

    /// What goes from it.
    pub(super) fn denied(&self) -> impl Iterator<Item = &RouteId> {
        self.deny.iter()
    }

    pub(super) fn switch(&mut self, policy: &Policy) {
        self.enabled = Some(!self.enabled(policy));
        self.settle(policy);
    }

    pub(super) fn toggle(&mut self, policy: &Policy, route: &RouteId) {
        if self.lists(policy, route) {
            self.allow.remove(route);
            self.deny.insert(route.clone());
        } else {
            self.allow(policy, route);
        }
        self.settle(policy);
    }

    pub(super) fn allow(&mut self, policy: &Policy, route: &RouteId) {
        self.deny.remove(route);
        self.allow.insert(route.clone());
        self.settle(policy);
    }

    /// What the files say already is no change any more.
    pub(super) fn settle(&mut self, policy: &Policy) {
        self.enabled = self.enabled.filter(|enabled| *enabled != policy.enabled);
        self.allow.retain(|route| !policy.allowed.contains(route));
        self.deny.retain(|route| policy.allowed.contains(route));
    }

    /// The command that saves it. The switch is always said, for what the files mean by it may depend on the list.
    pub(super) fn arguments(&self, policy: &Policy) -> Vec<String> {
        let enabled = self.enabled(policy).to_string();
        let mut arguments = ["policy", "set", "--enabled", &enabled].map(str::to_owned).to_vec();
        let options = self.allow.iter().map(|route| ("--allow", route));
        for (option, route) in options.chain(self.deny.iter().map(|route| ("--deny", route))) {
            // In one word, so that a name that begins with `-` is no option.
            arguments.push(format!("{option}={route}"));
        }
        arguments.push("--json".to_owned());
        arguments
    }

    /// `switched on, 2 allowed, 1 forbidden`
    pub(super) fn words(&self) -> String {
        let switch = self.enabled.map(|enabled| format!("switched {}", if enabled { "on" } else { "off" }));
        let count = |routes: &BTreeSet<RouteId>, word: &str| {
            (!routes.is_empty()).then(|| format!("{} {word}", counted(routes.len() as u64, "route")))
        };
        let parts = [switch, count(&self.allow, "allowed"), count(&self.deny, "forbidden")];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(text: &str) -> RouteId {
        text.parse().unwrap()
    }

    fn policy(enabled: bool, allowed: &[&str]) -> Policy {
        let allowed = allowed.iter().map(|text| route(text)).collect();
        Policy { enabled, allowed, ..Policy::default() }
    }

    #[test]
    fn what_is_ticked_twice_is_no_change() {
        let policy = policy(true, &["p/a"]);
        let mut draft = Draft::default();
        for text in ["p/a", "p/b", "p/a", "p/b"] {
            draft.toggle(&policy, &route(text));
        }
        draft.switch(&policy);
        draft.switch(&policy);
        assert!(draft.is_empty(), "{draft:?}");
    }

    #[test]
    fn what_somebody_else_has_saved_meanwhile_stays() {
        let mut draft = Draft::default();
        let before = policy(false, &["p/a"]);
        for text in ["p/a", "p/b"] {
            draft.toggle(&before, &route(text));
        }
        draft.switch(&before);
        let after = policy(true, &["p/a", "p/b", "p/c"]);
        draft.settle(&after);
        assert_eq!(draft.list(&after), [route("p/b"), route("p/c")].into());
        assert_eq!(draft.words(), "1 route forbidden");
        let saves = ["policy", "set", "--enabled", "true", "--deny=p/a", "--json"];
        assert_eq!(draft.arguments(&after), saves);
    }
}
