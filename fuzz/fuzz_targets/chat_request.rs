//! Any bytes in the place of a request: what is made of them is a request of Chat Completions, or of Responses, always
//! the same, and holds nothing that only Anthropic's API knows.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use subagents::config::{ChatOptions, Effort, LimitField, ThinkingField};
use subagents::dialect::{chat, responses};

fuzz_target!(|data: &[u8]| {
    // A number that this reader can't hold goes through as it came.
    if serde_json::from_slice::<Value>(data).is_err() {
        return;
    }
    let wishes = ChatOptions {
        limit: LimitField::MaxCompletionTokens,
        effort: Some(Effort::High),
        thinking: Some(ThinkingField::ReasoningContent),
    };
    for options in [ChatOptions::default(), wishes] {
        let Ok(made) = chat::request(data, options) else { return };
        assert_eq!(chat::request(data, options).as_ref(), Ok(&made));
        let made: Value = serde_json::from_slice(&made).expect("JSON");
        assert!(made["messages"].is_array() && made["metadata"].is_null() && made["system"].is_null());
    }
    let made = responses::request(data, wishes.effort).expect("what one can say, the other can");
    let made: Value = serde_json::from_slice(&made).expect("JSON");
    assert!(made["input"].is_array() && made["store"] == false);
});
