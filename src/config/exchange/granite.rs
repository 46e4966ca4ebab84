//! granite-cli's sub-agents in Claude Code's words. Pure.
//!
//! The agent's name is the key that it stands under; its tools are names of an enumeration, of which two carry
//! data. The model is a key into granite's own list, which means nothing elsewhere.

use serde_json::{Map, Value};

use super::Note;
use super::mapping::Mapping;

/// Whether the keys are granite's and nobody else's.
pub(super) fn is_meant(map: &Map<String, Value>) -> bool {
    map.contains_key("model_id")
}

/// The definition in Claude Code's keys. An empty list of tools stays empty: none.
pub(super) fn map(source: Map<String, Value>) -> (Map<String, Value>, Vec<Note>) {
    let mut mapping = Mapping::new(source);
    for key in ["name", "description", "prompt"] {
        mapping.keep(key);
    }
    let listed = mapping.take("tools").unwrap_or_else(|| Value::Array(Vec::new()));
    match listed {
        Value::Array(list) => {
            let names: Vec<String> = list.iter().map(tool).collect();
            mapping.put_tools("tools", &names);
        }
        other => mapping.put("tools", other),
    }
    if let Some(model) = mapping.take("model_id") {
        mapping.lost(format!(
            "`model_id: {model}` is a key into granite's own models: it becomes the caller's model"
        ));
    }
    mapping.lose_rest()
}

/// The names without data are the ones that agent files of ours know too.
fn tool(entry: &Value) -> String {
    if let Some(server) = entry["Mcp"]["server"].as_str() {
        return match entry["Mcp"]["tool"].as_str() {
            Some(tool) => format!("mcp__{server}__{tool}"),
            None => format!("mcp__{server}"),
        };
    }
    let name = entry["Other"].as_str().or_else(|| entry.as_str());
    name.map_or_else(|| entry.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tools_with_data_become_names_and_the_model_is_told_to_be_lost() {
        let source = json!({"description": "d", "prompt": "p", "model_id": "small",
            "tools": ["FileRead", {"Mcp": {"server": "a", "tool": "b"}}, {"Mcp": {"server": "c", "tool": null}}, {"Other": "LSP"}]});
        let Value::Object(source) = source else { panic!() };
        let (map, notes) = map(source);
        let expect = json!({"description": "d", "prompt": "p", "tools": "FileRead, mcp__a__b, mcp__c, LSP"});
        assert_eq!(Value::Object(map), expect);
        assert!(notes.len() == 1 && notes[0].text.contains("small"));
    }

    #[test]
    fn no_tools_are_none_and_not_all() {
        let Value::Object(source) = json!({"model_id": "m"}) else { panic!() };
        assert_eq!(map(source).0["tools"], json!([]));
    }
}
