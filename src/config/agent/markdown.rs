//! Writes an agent file that every YAML reader understands in one way.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::{Agent, Visibility};

/// The whole file. `model` is written as it is given; empty means: no `model` key, so the caller's model.
///
/// Values are quoted, tools are a comma string (the one form that all versions take), and no byte order mark
/// is ever written.
pub fn write_markdown(agent: &Agent, model: &str) -> String {
    let mut text = "---\n".to_owned();
    push(&mut text, "name", &json!(agent.name));
    push(&mut text, "description", &json!(agent.description));
    if let Some(tools) = &agent.tools {
        push(&mut text, "tools", &tools_value(tools));
    }
    if !model.is_empty() {
        push(&mut text, "model", &json!(model));
    }
    for (key, value) in agent.fields.iter().chain(&agent.unknown) {
        push(&mut text, key, value);
    }
    let own = own_settings(agent);
    if !own.is_empty() {
        push(&mut text, "subagents", &Value::Object(own));
    }
    text + "---\n\n" + agent.prompt.trim() + "\n"
}

fn push(text: &mut String, key: &str, value: &Value) {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_plain = key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(plain);
    let key = if is_plain { key.to_owned() } else { flow(&json!(key)) };
    // Writing to a string can't fail.
    let _ = writeln!(text, "{key}: {}", flow(value));
}

/// JSON is YAML, but for characters that YAML takes for line breaks or refuses: those are escaped.
pub(super) fn flow(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        let code = u32::from(c);
        let _ = match code {
            0x7f..=0x9f | 0x2028 | 0x2029 | 0xfeff | 0xfffe | 0xffff => write!(text, "\\u{code:04X}"),
            _ if code & 0xfffe == 0xfffe => write!(text, "\\U{code:08X}"),
            _ => write!(text, "{c}"),
        };
    }
    text
}

fn tools_value(tools: &[String]) -> Value {
    if tools.is_empty() { json!([]) } else { json!(tools.join(", ")) }
}

fn own_settings(agent: &Agent) -> Map<String, Value> {
    let mut own = Map::new();
    let visibility = match agent.visibility {
        Visibility::Model => None,
        Visibility::Hidden => Some("hidden"),
        Visibility::Off => Some("off"),
    };
    if let Some(visibility) = visibility {
        own.insert("visibility".to_owned(), json!(visibility));
    }
    if agent.read_only {
        own.insert("read_only".to_owned(), json!(true));
    }
    own
}
