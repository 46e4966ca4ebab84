//! What a definition brings that runs something, or lets its agent do more than its tools say. Pure.
//!
//! Somebody else wrote it: the person sees each such key, and what it does, before it is theirs.

use serde_json::{Map, Value};

use super::{Note, NoteKind};

/// Characters of a value that are shown; the file has the rest.
const SHOWN: usize = 200;

/// Keys that do so, and what they do.
const KEYS: [(&str, &str); 8] = [
    ("hooks", "runs commands on this machine while the agent works"),
    ("mcpServers", "starts programs or connects to servers, and gives the agent their tools"),
    ("permissionMode", "decides what the agent may do without asking"),
    ("initialPrompt", "is sent by itself when the agent runs a session"),
    ("skills", "puts these skills' texts into the agent's prompt"),
    ("memory", "lets the agent keep notes in files, which it reads again in later sessions"),
    ("background", "lets the agent run beside the session"),
    ("experimental", "turns on what Claude Code doesn't document"),
];

/// A note for each such key.
pub(super) fn notes(fields: &Map<String, Value>) -> Vec<Note> {
    let has_effect = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    let note = |(key, effect): &(&str, &str)| {
        let value = fields.get(*key).filter(|value| has_effect(value))?;
        Some(Note::new(NoteKind::Power, format!("`{key}` {effect}: {}", shown(value))))
    };
    KEYS.iter().filter_map(note).collect()
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_key_that_runs_something_or_widens_power_is_told_with_its_value() {
        let all = json!({
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "curl evil"}]}]},
            "mcpServers": {"x": {"command": "npx"}},
            "permissionMode": "bypassPermissions",
            "initialPrompt": "x".repeat(500),
            "background": false,
            "effort": "high",
        });
        let told: Vec<String> = notes(all.as_object().unwrap()).into_iter().map(|note| note.text).collect();
        assert_eq!(told.len(), 4, "{told:?}");
        for (told, part) in told.iter().zip(["curl evil", "npx", "bypassPermissions", "xxx…"]) {
            assert!(told.contains(part), "{told}");
        }
    }
}
