//! The settings file that a launch gives Claude Code: the layer that beats the user's own files.
//!
//! Pure. The user's own `--settings` is taken in, because of two only the last counts, whole.

use serde_json::{Map, Value, json};

use super::json_merge::merge;

/// Calls that are told before they are made: of agents, and of our own tools.
const CALLS: &str = "Agent|Task|mcp__subagents__.*";

/// Events that we are told of, and the tools of each (`None`: all).
const EVENTS: [(&str, Option<&str>); 8] = [
    ("UserPromptSubmit", None),
    ("PreToolUse", Some(CALLS)),
    ("SubagentStart", None),
    ("SubagentStop", None),
    (PERMISSION, None),
    ("Notification", None),
    ("Stop", None),
    ("SessionEnd", None),
];

/// More of them where dialogs are held: how a person answered one in the session is told by nothing else.
const AFTER_A_DIALOG: [(&str, Option<&str>); 3] =
    [("PostToolUse", None), ("PostToolUseFailure", None), ("PostToolBatch", None)];

const PERMISSION: &str = "PermissionRequest";

/// Seconds that Claude Code waits for an answer: a router that hangs must not hold up the session.
const HOOK_TIMEOUT: u64 = 5;

/// Seconds that a dialog may wait for a person: thirty days.
const PATIENCE: u64 = 30 * 24 * 60 * 60;

/// Where hooks go, and what becomes of a permission that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Hooks<'a> {
    pub url: &'a str,
    pub dialogs: Dialogs,
}

/// What becomes of a hook that asks for a permission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialogs {
    /// It is answered at once, without a decision.
    #[default]
    Passed,
    /// It may be held open until a person answers, from wherever.
    Held,
}

/// `own` with our variables and hooks laid over it: theirs are kept, ours win, hooks of both run.
pub fn settings(
    own: Option<&Map<String, Value>>,
    variables: &[(String, String)],
    hooks: Option<Hooks<'_>>,
) -> Map<String, Value> {
    let mut settings = own.cloned().unwrap_or_default();
    let mut ours = Map::new();
    if !variables.is_empty() {
        let env = variables.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        ours.insert("env".to_owned(), Value::Object(env.collect()));
    }
    if let Some(hooks) = hooks {
        ours.insert("hooks".to_owned(), hooks.json());
    }
    merge(&mut settings, ours);
    settings
}

impl Hooks<'_> {
    fn json(self) -> Value {
        let more = if self.dialogs == Dialogs::Held { &AFTER_A_DIALOG[..] } else { &[] };
        let events = EVENTS.iter().chain(more);
        events
            .map(|(event, matcher)| ((*event).to_owned(), self.group(event, *matcher)))
            .collect::<Map<_, _>>()
            .into()
    }

    fn group(self, event: &str, matcher: Option<&str>) -> Value {
        let is_held = self.dialogs == Dialogs::Held && event == PERMISSION;
        let timeout = if is_held { PATIENCE } else { HOOK_TIMEOUT };
        let hook = json!({"type": "http", "url": self.url, "timeout": timeout});
        match matcher {
            Some(tools) => json!([{"matcher": tools, "hooks": [hook]}]),
            None => json!([{"hooks": [hook]}]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a07_the_users_settings_stay_and_ours_win() {
        let own = json!({"model": "opus", "env": {"A": "1", "ANTHROPIC_BASE_URL": "http://theirs"},
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}], "PostToolUse": []}});
        let variables = [("ANTHROPIC_BASE_URL".to_owned(), "http://ours".to_owned())];
        let hooks = Hooks { url: "http://h", dialogs: Dialogs::Passed };
        let merged = settings(own.as_object(), &variables, Some(hooks));
        assert_eq!(merged["env"], json!({"A": "1", "ANTHROPIC_BASE_URL": "http://ours"}));
        assert_eq!(merged["model"], "opus");
        let hook = json!({"type": "http", "url": "http://h", "timeout": 5});
        assert_eq!(merged["hooks"]["Stop"], json!([own["hooks"]["Stop"][0], {"hooks": [hook]}]));
        assert_eq!(merged["hooks"]["PreToolUse"], json!([{"matcher": CALLS, "hooks": [hook]}]));
        assert_eq!(merged["hooks"].as_object().unwrap().len(), EVENTS.len() + 1);
    }

    #[test]
    fn only_a_dialog_that_is_held_may_keep_its_hook_waiting() {
        let seconds = |dialogs| {
            let hooks = settings(None, &[], Some(Hooks { url: "http://h", dialogs }))["hooks"].clone();
            let hooks = hooks.as_object().unwrap().clone().into_iter();
            hooks.map(|(event, groups)| (event, groups[0]["hooks"][0]["timeout"].clone())).collect::<Vec<_>>()
        };
        assert!(seconds(Dialogs::Passed).iter().all(|(_, timeout)| timeout == 5));
        let held = seconds(Dialogs::Held);
        assert_eq!(held.len(), EVENTS.len() + AFTER_A_DIALOG.len());
        for (event, timeout) in held {
            assert_eq!(timeout, if event == PERMISSION { 2_592_000 } else { 5 }, "{event}");
        }
    }

    #[test]
    fn nothing_to_say_adds_nothing() {
        assert_eq!(settings(None, &[], None), Map::new());
    }
}
