//! What a person types for a field, as the value that the field takes. Pure.

use serde_json::Value;

use super::{keys, tools};
use crate::config::similar;

/// Keys below `subagents`.
const OWN: [&str; 2] = ["subagents.visibility", "subagents.read_only"];

/// Why the text is no value of the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    #[error("Claude Code doesn't know the field `{key}`: {known}")]
    Unknown { key: String, known: String },
    #[error("`name` is changed by `subagents agent rename`, which keeps profiles in step")]
    Name,
    #[error("`{key}` takes {shape}; `{text}` is none")]
    Shape { key: String, shape: &'static str, text: String },
}

/// The value of `key` that `text` stands for: a list, a number, a word, or JSON for what is a structure.
///
/// # Errors
/// The key is none of Claude Code's or ours, or takes something else.
pub fn value_of(key: &str, text: &str) -> Result<Value, ValueError> {
    let wrong = |shape| ValueError::Shape { key: key.to_owned(), shape, text: text.to_owned() };
    check_key(key)?;
    match key {
        "tools" | "disallowedTools" | "skills" => {
            list(key, text).ok_or_else(|| wrong("a list, such as `Read, Grep`"))
        }
        "maxTurns" => {
            let turns = text.parse::<u64>().ok().filter(|turns| *turns > 0);
            turns.map(Value::from).ok_or_else(|| wrong("a whole number above 0"))
        }
        "effort" => Ok(text.parse::<u64>().map_or_else(|_| text.into(), Value::from)),
        "background" | "omitClaudeMd" | "subagents.read_only" => {
            text.parse::<bool>().map(Value::from).map_err(|_| wrong("`true` or `false`"))
        }
        "subagents.visibility" if !matches!(text, "model" | "hidden" | "off") => {
            Err(wrong("`model`, `hidden` or `off`"))
        }
        "hooks" | "mcpServers" | "experimental" => serde_json::from_str(text).map_err(|_| wrong("JSON")),
        "model" if text.is_empty() || text.contains(char::is_whitespace) => Err(wrong(
            "`provider/model`, `sonnet`, `opus`, `haiku`, `fable`, `inherit` or a Claude model's id",
        )),
        _ if text.trim().is_empty() => Err(wrong("a text that isn't blank")),
        _ => Ok(text.into()),
    }
}

/// Whether the key can be set or taken out.
///
/// # Errors
/// It is none of Claude Code's or ours.
pub fn check_key(key: &str) -> Result<(), ValueError> {
    match key {
        "name" => Err(ValueError::Name),
        "subagents" => Err(unknown(key, OWN.into_iter())),
        _ if keys::is_known(key) || OWN.contains(&key) => Ok(()),
        _ => {
            let meant = keys::meant_by(key).into_iter();
            let all = keys::OWN.into_iter().chain(keys::HANDED_ON).chain(OWN);
            let known: Vec<&str> = if meant.len() > 0 { meant.collect() } else { all.collect() };
            Err(unknown(key, known.into_iter().filter(|key| !matches!(*key, "name" | "subagents"))))
        }
    }
}

fn unknown<'k>(key: &str, known: impl Iterator<Item = &'k str>) -> ValueError {
    let known: Vec<&str> = known.collect();
    let known = match known.as_slice() {
        [meant] => format!("did you mean `{meant}`?"),
        all => similar::suggestion(key, all.iter().copied()),
    };
    ValueError::Unknown { key: key.escape_debug().to_string(), known }
}

/// The names between commas; `*` in `tools` stands for all.
fn list(key: &str, text: &str) -> Option<Value> {
    if key == "tools" && text.trim() == "*" {
        return Some("*".into());
    }
    let names = if text.trim_start().starts_with('[') {
        tools::entries(&serde_json::from_str(text).ok()?)?
    } else {
        tools::entries(&text.into())?
    };
    Some(names.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_field_takes_what_it_can_hold() {
        for (key, text, expect) in [
            ("description", "Use when: a, b", json!("Use when: a, b")),
            ("tools", "Read, Bash(git log:*, x)", json!(["Read", "Bash(git log:*, x)"])),
            ("tools", "[\"Read\"]", json!(["Read"])),
            ("tools", "", json!([])),
            ("tools", "*", json!("*")),
            ("maxTurns", "12", json!(12)),
            ("effort", "high", json!("high")),
            ("effort", "3", json!(3)),
            ("background", "true", json!(true)),
            ("subagents.visibility", "off", json!("off")),
            ("subagents.read_only", "false", json!(false)),
            ("hooks", "{\"Stop\":[]}", json!({"Stop": []})),
            ("model", "ollama/qwen3:30b", json!("ollama/qwen3:30b")),
        ] {
            assert_eq!(value_of(key, text), Ok(expect), "{key}");
        }
    }

    #[test]
    fn f07_f11_what_does_not_fit_is_told_with_what_would() {
        for (key, text, part) in [
            ("maxTurns", "0", "whole number"),
            ("background", "yes", "`true` or `false`"),
            ("subagents.visibility", "hiden", "`hidden`"),
            ("hooks", "x", "JSON"),
            ("model", "a b", "provider/model"),
            ("description", " ", "isn't blank"),
            ("tools", "[Read", "a list"),
            ("allowed-tools", "Read", "did you mean `tools`?"),
            ("max_turns", "3", "did you mean `maxTurns`?"),
            ("subagents.visibilty", "off", "did you mean `subagents.visibility`?"),
            ("subagents", "{}", "subagents.visibility"),
            ("name", "x", "agent rename"),
            ("whatever", "x", "`description`"),
        ] {
            let told = value_of(key, text).unwrap_err().to_string();
            assert!(told.contains(part), "{key}: {told}");
        }
    }
}
