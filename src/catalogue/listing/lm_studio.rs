//! LM Studio: `/api/v1/models`, and `/api/v0/models` of older ones.

use serde_json::Value;

use super::{names, text, tokens};
use crate::catalogue::Model;

/// The models that write text; `None` where this is no such list.
pub(in crate::catalogue) fn read(value: &Value) -> Option<Vec<Model>> {
    let list = value["models"].as_array().or_else(|| value["data"].as_array())?;
    Some(list.iter().filter_map(model).collect())
}

fn model(value: &Value) -> Option<Model> {
    if value["type"].as_str().is_some_and(|kind| kind.starts_with("embedding")) {
        return None;
    }
    let capabilities = &value["capabilities"];
    Some(Model {
        id: text(&value["key"]).or_else(|| text(&value["id"]))?,
        name: text(&value["display_name"]),
        context_window: tokens([
            // What a loaded model was loaded with: a longer request is cut, whatever the model could take.
            &value["loaded_instances"][0]["config"]["context_length"],
            &value["loaded_context_length"],
            &value["max_context_length"],
        ]),
        thinking: capabilities["reasoning"].is_object().then_some(true),
        tools: capabilities["trained_for_tool_use"].as_bool().or_else(|| names(capabilities, "tool_use")),
        ..Model::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn facts(value: &Value) -> Vec<(String, Option<u64>, Option<bool>)> {
        let models = read(value).unwrap().into_iter();
        models.map(|model| (model.id, model.context_window.map(u64::from), model.tools)).collect()
    }

    #[test]
    fn the_window_is_the_loaded_one_and_embeddings_are_left_out() {
        let list = json!({"models": [
            {"type": "llm", "key": "gemma", "display_name": "Gemma", "max_context_length": 32_768,
             "loaded_instances": [{"id": "gemma", "config": {"context_length": 4096}}],
             "capabilities": {"vision": false, "trained_for_tool_use": false}},
            {"type": "llm", "key": "q", "max_context_length": 8192, "loaded_instances": [],
             "capabilities": {"trained_for_tool_use": true}},
            {"type": "embedding", "key": "nomic", "max_context_length": 2048}]});
        let expect = [("gemma", Some(4096), Some(false)), ("q", Some(8192), Some(true))];
        assert_eq!(facts(&list), expect.map(|(id, window, tools)| (id.to_owned(), window, tools)));
    }

    #[test]
    fn older_ones_list_under_data() {
        let list = json!({"object": "list", "data": [
            {"id": "a", "type": "vlm", "max_context_length": 32_768},
            {"id": "b", "type": "llm", "max_context_length": 131_072, "loaded_context_length": 4096,
             "capabilities": ["tool_use"]},
            {"id": "c", "type": "embeddings", "max_context_length": 2048}]});
        let expect = [("a", Some(32_768), None), ("b", Some(4096), Some(true))];
        assert_eq!(facts(&list), expect.map(|(id, window, tools)| (id.to_owned(), window, tools)));
        assert_eq!(read(&json!({"error": "Unexpected endpoint"})), None);
    }
}
