//! Writes an agent file that every YAML reader understands in one way.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::{Agent, Visibility};

/// The whole file. `model` is written as it is given; empty means: no `model` key, so the caller's model.
///
/// Values are quoted, tools are a comma string (the one form that all versions take), and no byte order mark
/// is ever written.
pub fn write_markdown(agent: &Agent, model: &str) -> String {
    let mut map = Map::new();
    map.insert("name".to_owned(), json!(agent.name));
    map.insert("description".to_owned(), json!(agent.description));
    if let Some(tools) = &agent.tools {
        map.insert("tools".to_owned(), tools_value(tools));
    }
    if !model.is_empty() {
        map.insert("model".to_owned(), json!(model));
    }
    map.extend(agent.fields.clone());
    map.extend(agent.unknown.clone());
    let own = own_settings(agent);
    if !own.is_empty() {
        map.insert("subagents".to_owned(), Value::Object(own));
    }
    compose(&map, &format!("\n{}\n", agent.prompt.trim()))
}

/// A file of this front matter, in its order, and this body.
pub(in crate::config) fn compose(front_matter: &Map<String, Value>, body: &str) -> String {
    let mut text = "---\n".to_owned();
    for (key, value) in front_matter {
        push(&mut text, key, value);
    }
    text + "---\n" + body
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

/// The comma string; `[]` for none.
pub(in crate::config) fn tools_value(tools: &[String]) -> Value {
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
