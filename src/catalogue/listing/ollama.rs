//! Ollama: `/api/tags` names the models, `/api/show` describes one, `/api/ps` tells which are loaded.

use std::num::NonZeroU64;

use serde_json::Value;

use super::{names, text, tokens, words};
use crate::catalogue::Model;

/// The models' names; `None` where this is no such list.
pub(in crate::catalogue) fn read(value: &Value) -> Option<Vec<Model>> {
    let name = |item: &Value| text(&item["model"]).or_else(|| text(&item["name"]));
    let models = value["models"].as_array()?.iter().filter_map(name);
    Some(models.map(|id| Model { id, ..Model::default() }).collect())
}

/// The model with what `/api/show` says of it; `None` where it writes no text.
pub(in crate::catalogue) fn described(model: Model, shown: &Value) -> Option<Model> {
    let capabilities = &shown["capabilities"];
    if names(capabilities, "completion") == Some(false) {
        return None;
    }
    Some(Model {
        context_window: served(&shown["parameters"]).or_else(|| trained(&shown["model_info"])),
        efforts: words(&shown["thinking"]["values"]),
        thinking: names(capabilities, "thinking"),
        tools: names(capabilities, "tools"),
        ..model
    })
}

/// With how many tokens of context the model is loaded; `None`: it isn't, or nobody says.
pub(in crate::catalogue) fn loaded(value: &Value, model: &str) -> Option<NonZeroU64> {
    let untagged = |name: &Value| name.as_str().and_then(|name| name.strip_suffix(":latest")) == Some(model);
    let is_it =
        |item: &&Value| [&item["model"], &item["name"]].iter().any(|name| **name == model || untagged(name));
    tokens([&value["models"].as_array()?.iter().find(is_it)?["context_length"]])
}

/// What the model was trained for: `ARCHITECTURE.context_length`.
fn trained(info: &Value) -> Option<NonZeroU64> {
    let architecture = info["general.architecture"].as_str()?;
    tokens([&info[format!("{architecture}.context_length")]])
}

/// What its Modelfile sets: a line `num_ctx 4096` among others.
fn served(parameters: &Value) -> Option<NonZeroU64> {
    let mut lines = parameters.as_str()?.lines().map(str::split_whitespace);
    lines.find_map(|mut line| {
        line.next().filter(|key| *key == "num_ctx").and_then(|_| line.next()?.parse().ok())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn model(shown: &Value) -> Option<Model> {
        let listed = read(&json!({"models": [{"name": "m:latest", "model": "m:latest"}]})).unwrap().remove(0);
        described(listed, shown)
    }

    #[test]
    fn a_window_is_what_is_set_before_what_was_trained() {
        let info = json!({"general.architecture": "qwen3", "qwen3.context_length": 40_960});
        let mut shown = json!({"model_info": info, "capabilities": ["completion", "tools", "thinking"]});
        let found = model(&shown).unwrap();
        assert_eq!((found.context_window.map(u64::from), found.tools), (Some(40_960), Some(true)));
        assert_eq!(found.thinking, Some(true));
        shown["parameters"] = json!("stop  \"<x>\"\nnum_ctx                        8192");
        assert_eq!(model(&shown).unwrap().context_window.map(u64::from), Some(8192));
    }

    #[test]
    fn a_model_without_tools_is_told_and_one_for_embeddings_is_left_out() {
        assert_eq!(model(&json!({"capabilities": ["completion"]})).unwrap().tools, Some(false));
        assert_eq!(model(&json!({"capabilities": ["embedding"]})), None);
        let old = model(&json!({})).unwrap();
        assert_eq!((old.id.as_str(), old.tools, old.context_window), ("m:latest", None, None));
    }

    #[test]
    fn what_is_loaded_is_found_with_and_without_a_tag() {
        let value = json!({"models": [{"name": "m:latest", "model": "m:latest", "context_length": 4096}]});
        for (model, expect) in [("m", Some(4096)), ("m:latest", Some(4096)), ("m:8b", None), ("", None)] {
            assert_eq!(loaded(&value, model).map(u64::from), expect, "{model}");
        }
    }

    #[test]
    fn levels_of_thinking_are_efforts() {
        let shown = json!({"thinking": {"values": ["low", "medium", "high"], "default": "medium"}});
        assert_eq!(model(&shown).unwrap().efforts, ["low", "medium", "high"]);
        assert!(model(&json!({"thinking": {"values": [false, true]}})).unwrap().efforts.is_empty());
    }

    #[test]
    fn what_is_no_list_is_none() {
        for value in [json!({"data": []}), json!({"models": null}), json!("Ollama is running")] {
            assert_eq!(read(&value), None, "{value}");
        }
    }
}
