//! `{"data": […]}`: Anthropic's, `OpenAI`'s, `OpenRouter`'s, vLLM's, llama.cpp's and Kimi's lists.
//!
//! They differ in the names of fields and never use one name for two things, so one reader does for all.

use serde_json::Value;

use super::{names, text, tokens, words};
use crate::catalogue::Model;
use crate::config::Price;

/// Levels of effort in Anthropic's lists, lowest first.
const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];

/// USD for a token, in USD for a million.
const MILLION: f64 = 1e6;

/// The models; `None` where this is no such list.
pub(in crate::catalogue) fn read(value: &Value) -> Option<Vec<Model>> {
    Some(value["data"].as_array()?.iter().filter_map(model).collect())
}

/// Where the next page begins, as Anthropic pages.
pub(in crate::catalogue) fn next_page(value: &Value) -> Option<&str> {
    value["last_id"].as_str().filter(|_| value["has_more"] == true)
}

fn model(value: &Value) -> Option<Model> {
    let capabilities = &value["capabilities"];
    let parameters = &value["supported_parameters"];
    Some(Model {
        id: text(&value["id"])?,
        name: text(&value["display_name"]).or_else(|| text(&value["name"])),
        context_window: tokens([
            &value["max_input_tokens"],
            &value["top_provider"]["context_length"],
            &value["context_length"],
            &value["max_model_len"],
            // llama.cpp: what it was started with, before what the model was trained for.
            &value["meta"]["n_ctx"],
            &value["meta"]["n_ctx_train"],
        ]),
        output_limit: tokens([&value["max_tokens"], &value["top_provider"]["max_completion_tokens"]]),
        efforts: efforts(value),
        thinking: capabilities["thinking"]["supported"]
            .as_bool()
            .or_else(|| names(parameters, "reasoning"))
            .or_else(|| value["supports_reasoning"].as_bool()),
        tools: names(parameters, "tools"),
        price: price(&value["pricing"]),
    })
}

fn efforts(value: &Value) -> Vec<String> {
    let anthropic = &value["capabilities"]["effort"];
    let supported = EFFORTS.iter().filter(|effort| anthropic[**effort]["supported"] == true);
    let supported: Vec<String> = supported.map(|effort| (*effort).to_owned()).collect();
    if supported.is_empty() { words(&value["reasoning"]["supported_efforts"]) } else { supported }
}

fn price(pricing: &Value) -> Option<Price> {
    Some(Price {
        input: per_million(&pricing["prompt"])?,
        output: per_million(&pricing["completion"])?,
        cache_read: per_million(&pricing["input_cache_read"]),
        cache_write: per_million(&pricing["input_cache_write"]),
    })
}

/// A price that depends on something is written as a negative one, and is none.
fn per_million(value: &Value) -> Option<f64> {
    let dollars: f64 = value.as_str().map_or_else(|| value.as_f64(), |text| text.trim().parse().ok())?;
    let valid = dollars.is_finite() && dollars >= 0.0;
    valid.then(|| (dollars * MILLION * MILLION).round() / MILLION)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(value: &Value) -> Model {
        read(&json!({"object": "list", "data": [value]})).unwrap().remove(0)
    }

    fn facts(model: &Model) -> (Option<u64>, Option<u64>) {
        (model.context_window.map(u64::from), model.output_limit.map(u64::from))
    }

    #[test]
    fn anthropics_list_tells_limits_efforts_and_thinking() {
        let effort = json!({"supported": true, "high": {"supported": true}, "low": {"supported": true},
            "max": {"supported": false}});
        let model = one(&json!({"type": "model", "id": "claude-x", "display_name": "Claude X",
            "created_at": "2026-01-01T00:00:00Z", "max_input_tokens": 1_000_000, "max_tokens": 128_000,
            "capabilities": {"effort": effort, "thinking": {"supported": true}}}));
        assert_eq!((model.id.as_str(), model.name.as_deref()), ("claude-x", Some("Claude X")));
        assert_eq!(facts(&model), (Some(1_000_000), Some(128_000)));
        assert_eq!((model.efforts, model.thinking), (vec!["low".to_owned(), "high".to_owned()], Some(true)));
        assert_eq!(next_page(&json!({"has_more": true, "last_id": "claude-x"})), Some("claude-x"));
        assert_eq!(next_page(&json!({"has_more": false, "last_id": "claude-x"})), None);
    }

    #[test]
    fn openrouters_list_tells_prices_for_a_token_as_text() {
        let model = one(&json!({"id": "a/b", "name": "A: B", "context_length": 200_000,
            "pricing": {"prompt": "0.0000006", "completion": "0.0000025", "input_cache_read": "0.00000006"},
            "top_provider": {"context_length": 131_072, "max_completion_tokens": 65_536},
            "supported_parameters": ["tools", "max_tokens"]}));
        let price = Price { input: 0.6, output: 2.5, cache_read: Some(0.06), cache_write: None };
        assert_eq!((model.price, model.tools, model.thinking), (Some(price), Some(true), Some(false)));
        assert_eq!(facts(&model), (Some(131_072), Some(65_536)));
        assert_eq!(one(&json!({"id": "auto", "pricing": {"prompt": "-1", "completion": "-1"}})).price, None);
    }

    #[test]
    fn local_servers_and_plain_lists_tell_what_they_know() {
        let window = |value: Value| facts(&one(&value)).0;
        assert_eq!(window(json!({"id": "m", "object": "model", "max_model_len": 32_768})), Some(32_768));
        assert_eq!(window(json!({"id": "m", "meta": {"n_ctx_train": 8192}})), Some(8192));
        assert_eq!(window(json!({"id": "m", "meta": {"n_ctx_train": 8192, "n_ctx": 4096}})), Some(4096));
        assert_eq!(window(json!({"id": "deepseek-chat", "object": "model", "owned_by": "deepseek"})), None);
        let kimi = one(&json!({"id": "kimi", "context_length": 262_144, "supports_reasoning": true}));
        assert_eq!((facts(&kimi).0, kimi.thinking, kimi.tools), (Some(262_144), Some(true), None));
    }

    #[test]
    fn what_is_no_list_is_none_and_nonsense_in_one_is_passed_over() {
        for value in [json!({}), json!([]), json!({"data": {}}), json!("x"), json!(null)] {
            assert_eq!(read(&value), None, "{value}");
        }
        let odd = json!({"data": [1, null, {"id": ""}, {"id": 7}, {"id": "m", "context_length": -1, "pricing": 3}]});
        let read = read(&odd).unwrap();
        assert_eq!((read.len(), facts(&read[0]), read[0].price), (1, (None, None), None));
    }
}
