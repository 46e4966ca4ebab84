//! The settings file that a launch gives Claude Code: the layer that beats the user's own files.
//!
//! Pure. The user's own `--settings` is taken in, because of two only the last counts, whole.

use serde_json::{Map, Value, json};

use super::json_merge::merge;

/// Events that we are told of, and the tools of each (`None`: all).
const EVENTS: [(&str, Option<&str>); 8] = [
    ("UserPromptSubmit", None),
    ("PreToolUse", Some("Agent|Task")),
    ("SubagentStart", None),
    ("SubagentStop", None),
    ("PermissionRequest", None),
    ("Notification", None),
    ("Stop", None),
    ("SessionEnd", None),
];

/// Seconds that Claude Code waits for an answer: a router that hangs must not hold up the session.
const HOOK_TIMEOUT: u64 = 5;

/// `own` with our variables and hooks laid over it: theirs are kept, ours win, hooks of both run.
pub fn settings(
    own: Option<&Map<String, Value>>,
    variables: &[(String, String)],
    hook_url: Option<&str>,
) -> Map<String, Value> {
    let mut settings = own.cloned().unwrap_or_default();
    let mut ours = Map::new();
    if !variables.is_empty() {
        let env = variables.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        ours.insert("env".to_owned(), Value::Object(env.collect()));
    }
    if let Some(url) = hook_url {
        ours.insert("hooks".to_owned(), hooks(url));
    }
    merge(&mut settings, ours);
    settings
}

fn hooks(url: &str) -> Value {
    let hook = json!({"type": "http", "url": url, "timeout": HOOK_TIMEOUT});
    let group = |matcher: Option<&str>| match matcher {
        Some(tools) => json!([{"matcher": tools, "hooks": [hook]}]),
        None => json!([{"hooks": [hook]}]),
    };
    EVENTS.iter().map(|(event, matcher)| ((*event).to_owned(), group(*matcher))).collect::<Map<_, _>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a07_the_users_settings_stay_and_ours_win() {
        let own = json!({"model": "opus", "env": {"A": "1", "ANTHROPIC_BASE_URL": "http://theirs"},
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}], "PostToolUse": []}});
        let variables = [("ANTHROPIC_BASE_URL".to_owned(), "http://ours".to_owned())];
        let merged = settings(own.as_object(), &variables, Some("http://h"));
        assert_eq!(merged["env"], json!({"A": "1", "ANTHROPIC_BASE_URL": "http://ours"}));
        assert_eq!(merged["model"], "opus");
        let hook = json!({"type": "http", "url": "http://h", "timeout": 5});
        assert_eq!(merged["hooks"]["Stop"], json!([own["hooks"]["Stop"][0], {"hooks": [hook]}]));
        assert_eq!(merged["hooks"]["PreToolUse"], json!([{"matcher": "Agent|Task", "hooks": [hook]}]));
        assert_eq!(merged["hooks"].as_object().unwrap().len(), EVENTS.len() + 1);
    }

    #[test]
    fn nothing_to_say_adds_nothing() {
        assert_eq!(settings(None, &[], None), Map::new());
    }
}
