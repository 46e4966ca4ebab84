//! Answers that come as events.

use serde_json::json;

use super::*;
use crate::dialect::testing::{End, data};

fn chunk(delta: Value) -> Value {
    let choice = Value::from_iter([("index", json!(0)), ("delta", delta), ("finish_reason", Value::Null)]);
    json!({"id": "x", "model": "m", "choices": [choice]})
}

fn finish(reason: &str) -> Value {
    json!({"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn call(index: u64, id: &str, name: &str, arguments: &str) -> Value {
    json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn calls(calls: Value) -> Value {
    chunk(Value::from_iter([("tool_calls", calls)]))
}

/// What a client hears of bytes that come like this.
fn raw(stream_of: &str) -> Heard {
    heard(&rewritten(stream(), &[stream_of.as_bytes()]))
}

/// Names and inputs of the calls.
fn called(heard: &Heard) -> Vec<(&str, &str)> {
    let calls = heard.blocks.iter().filter(|block| block["type"] == "tool_use");
    calls.map(|call| (call["name"].as_str().unwrap(), call["input"].as_str().unwrap())).collect()
}

#[test]
fn e01_a_block_is_opened_by_the_first_piece_of_its_kind_and_loses_none() {
    let pieces = [
        chunk(json!({"reasoning_content": "Let"})),
        chunk(json!({"content": "Hi"})),
        calls(json!([call(0, "c", "t", "{}")])),
    ];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut chunks: Vec<Value> = order.iter().map(|at| pieces[*at].clone()).collect();
        chunks.push(finish("tool_calls"));
        let heard = told(&chunks);
        let kinds = order.map(|at| ["thinking", "text", "tool_use"][at]);
        assert_eq!(heard.blocks.iter().map(|block| &block["type"]).collect::<Vec<_>>(), kinds);
        assert_eq!(called(&heard), [("t", "{}")]);
        let text = |kind: &str| heard.blocks.iter().find_map(|block| block[kind].as_str()).unwrap();
        assert_eq!((text("thinking"), text("text")), ("Let", "Hi"));
    }
}

#[test]
fn e03_what_was_said_and_the_providers_reason_make_the_stop_reason() {
    let text = chunk(json!({"content": "a"}));
    let whole = calls(json!([call(0, "c", "t", "{\"a\":1}")]));
    let cut = calls(json!([call(0, "c", "t", "{\"a\":")]));
    let refusal = chunk(json!({"refusal": "no"}));
    for (reason, of_nothing, of_text, of_call, of_cut, of_refusal) in [
        ("stop", "end_turn", "end_turn", "tool_use", "max_tokens", "refusal"),
        ("tool_calls", "end_turn", "end_turn", "tool_use", "max_tokens", "refusal"),
        ("function_call", "end_turn", "end_turn", "tool_use", "max_tokens", "refusal"),
        ("length", "max_tokens", "max_tokens", "max_tokens", "max_tokens", "refusal"),
        ("content_filter", "refusal", "refusal", "refusal", "refusal", "refusal"),
        ("never heard of", "end_turn", "end_turn", "tool_use", "max_tokens", "refusal"),
    ] {
        let check = |said: Option<&Value>, expect| {
            let chunks: Vec<Value> = said.cloned().into_iter().chain([finish(reason)]).collect();
            assert_eq!(told(&chunks).stop_reason.as_deref(), Some(expect), "{reason} {said:?}");
        };
        check(None, of_nothing);
        check(Some(&text), of_text);
        check(Some(&whole), of_call);
        check(Some(&cut), of_cut);
        check(Some(&refusal), of_refusal);
    }
}

#[test]
fn e03_no_block_of_text_is_empty() {
    let heard = told(&[
        chunk(json!({"role": "assistant", "content": ""})),
        calls(json!([call(0, "c", "t", "{}")])),
        finish("stop"),
    ]);
    assert_eq!(heard.blocks.len(), 1);
}

#[test]
fn e05_usage_on_every_chunk_ends_nothing() {
    let usage = |chunk: &Value, completion: u64| {
        let mut chunk = chunk.clone();
        chunk["usage"] = json!({"prompt_tokens": 5, "completion_tokens": completion});
        chunk
    };
    let heard = told(&[
        usage(&calls(json!([call(0, "c", "Skill", "")])), 1),
        usage(&calls(json!([{"index": 0, "function": {"arguments": "{\"skill\": \"stop-s"}}])), 2),
        usage(&calls(json!([{"index": 0, "function": {"arguments": "lop\"}"}}])), 3),
        usage(&finish("tool_calls"), 4),
    ]);
    assert_eq!(called(&heard), [("Skill", "{\"skill\": \"stop-slop\"}")]);
    assert_eq!(heard.usage["output_tokens"], 4);
}

#[test]
fn e08_calls_without_arguments_have_an_empty_object() {
    for arguments in [json!(""), Value::Null, json!("{}"), json!({})] {
        let call = json!([{"index": 0, "id": "c", "function": {"name": "t", "arguments": arguments}}]);
        assert_eq!(called(&told(&[calls(call), finish("tool_calls")])), [("t", "{}")]);
    }
    let nothing = told(&[calls(json!([call(0, "c", "t", "")])), finish("length")]);
    assert_eq!(called(&nothing), [("t", "")], "a call that was cut is not completed");
}

#[test]
fn e14_calls_that_are_interleaved_come_one_after_the_other() {
    let heard = told(&[
        calls(json!([call(0, "a", "one", ""), call(1, "b", "two", "")])),
        calls(json!([call(1, "", "", "{\"y\":"), call(0, "", "", "{\"x\"")])),
        chunk(json!({"content": "beside"})),
        calls(json!([call(0, "", "", ":1}"), call(1, "", "", "2}")])),
        finish("tool_calls"),
    ]);
    assert_eq!(called(&heard), [("one", "{\"x\":1}"), ("two", "{\"y\":2}")]);
    assert_eq!(heard.blocks[2]["text"], "beside");
}

#[test]
fn a_call_is_told_as_it_comes_and_the_next_one_when_it_is_over() {
    let mut rewrite = stream();
    let mut says = |chunk: Value| {
        let mut out = Vec::new();
        crate::dialect::Rewrite::feed(&mut rewrite, format!("data: {chunk}\n\n").as_bytes(), &mut out);
        data(&out).iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        says(calls(json!([call(0, "a", "t", "{\"a\"")]))),
        ["message_start", "content_block_start", "content_block_delta"]
    );
    assert_eq!(says(calls(json!([call(0, "", "", ":1}")]))), ["content_block_delta"]);
    let next = ["content_block_stop", "content_block_start", "content_block_delta"];
    assert_eq!(says(calls(json!([call(1, "b", "t", "{")]))), next);
    assert_eq!(says(chunk(json!({"content": "waits"}))), [""; 0]);
    assert_eq!(says(calls(json!([call(1, "", "", "}")]))), next_of("content_block_delta", &next));
}

fn next_of<'a>(first: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    [&[first], rest].concat()
}

#[test]
fn calls_have_ids_and_names_whatever_the_provider_leaves_out() {
    for (chunks, expect) in [
        // Missing, and given twice.
        (
            vec![calls(json!([call(0, "", "t", "{}"), call(1, "a", "t", "{}"), call(2, "a", "t", "{}")]))],
            vec!["call_89abcdef0123456789abcdef_0", "a", "call_89abcdef0123456789abcdef_2"],
        ),
        // The name comes later than the arguments.
        (
            vec![
                calls(json!([{"index": 0, "id": "a", "function": {"arguments": "{"}}])),
                calls(json!([call(0, "a", "t", "}")])),
            ],
            vec!["a"],
        ),
        // Every call has the index 0.
        (
            vec![calls(json!([call(0, "a", "t", "{}")])), calls(json!([call(0, "b", "t", "{}")]))],
            vec!["a", "b"],
        ),
        (
            vec![calls(json!([call(0, "", "t", "{}")])), calls(json!([call(0, "", "t", "{}")]))],
            vec!["call_89abcdef0123456789abcdef_0", "call_89abcdef0123456789abcdef_1"],
        ),
        // No call has an index.
        (
            vec![calls(
                json!([{"id": "a", "function": {"name": "t", "arguments": "{}"}}, {"id": "b", "function": {"name": "t", "arguments": "{}"}}]),
            )],
            vec!["a", "b"],
        ),
        // Name and id come with every piece.
        (vec![calls(json!([call(0, "a", "t", "{")])), calls(json!([call(0, "a", "t", "}")]))], vec!["a"]),
    ] {
        let mut chunks = chunks;
        chunks.push(finish("tool_calls"));
        let heard = told(&chunks);
        let ids: Vec<&str> = heard.blocks.iter().map(|block| block["id"].as_str().unwrap()).collect();
        assert_eq!(ids, expect);
        assert!(called(&heard).iter().all(|call| *call == ("t", "{}")), "{heard:?}");
    }
}

#[test]
fn made_up_ids_are_short_enough_to_go_back() {
    let heard = told(&[calls(json!([call(0, "", "t", "{}")])), finish("stop")]);
    assert!(heard.blocks[0]["id"].as_str().unwrap().len() < 40);
}

#[test]
fn a_call_that_is_never_named_is_garbage() {
    let heard = told(&[calls(json!([call(0, "a", "", "{}")])), finish("tool_calls")]);
    assert!(matches!(heard.end, End::Error(_)));
}

#[test]
fn thinking_is_found_wherever_it_is_and_once() {
    for delta in [
        json!({"reasoning_content": "hm"}),
        json!({"reasoning": "hm"}),
        json!({"reasoning": "hm", "reasoning_content": "hm"}),
        json!({"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}),
        json!({"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}),
        json!({"reasoning": null, "reasoning_details": [{"type": "reasoning.summary", "summary": "hm"}]}),
        json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
    ] {
        let heard = told(&[chunk(delta), finish("stop")]);
        assert_eq!(heard.blocks.len(), 1);
        assert_eq!(heard.blocks[0]["thinking"], "hm");
        assert!(!heard.blocks[0]["signature"].as_str().unwrap().is_empty());
    }
    let encrypted =
        json!({"reasoning": {"odd": 1}, "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]});
    assert!(told(&[chunk(encrypted), finish("stop")]).blocks.is_empty());
}

#[test]
fn usage_counts_each_token_once_wherever_the_provider_says_it() {
    for (usage, input, read, output) in [
        (
            json!({"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}),
            6,
            4,
            3,
        ),
        (json!({"prompt_tokens": 10, "completion_tokens": 3, "prompt_cache_hit_tokens": 4}), 6, 4, 3),
        (json!({"prompt_tokens": 10, "completion_tokens": 3, "cached_tokens": 4}), 6, 4, 3),
        (json!({"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": null}), 10, 0, 3),
        (json!({"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}), 0, 4, 0),
        (json!("odd"), 0, 0, 0),
    ] {
        let alone = json!({"id": "x", "choices": [], "usage": usage});
        let mut within = finish("stop");
        within["choices"][0]["usage"] = usage.clone();
        for chunks in [vec![finish("stop"), alone], vec![within]] {
            let heard = told(&chunks);
            let count = |field: &str| heard.usage[field].as_u64().unwrap();
            let seen = (count("input_tokens"), count("cache_read_input_tokens"), count("output_tokens"));
            assert_eq!(seen, (input, read, output), "{usage}");
        }
    }
}

#[test]
fn c07_an_end_that_the_provider_did_not_give_is_not_made_up() {
    let begun = format!("data: {}\n\n", chunk(json!({"content": "a"})));
    let ended = format!("{begun}data: {}\n\n", finish("stop"));
    for (stream, end) in [
        (begun.clone(), End::Open),
        (format!("{begun}data: [DONE]\n\n"), End::Open),
        (format!("{begun}data: {{\"choices\":[{{\"delta\":{{\"con"), End::Open),
        (String::new(), End::Open),
        (ended.clone(), End::Stopped),
        (ended.trim_end().to_owned(), End::Stopped),
        (format!("{ended}data: {{\"usage\":{{\"pro"), End::Stopped),
        (format!("{ended}data: [DONE]"), End::Stopped),
    ] {
        assert_eq!(raw(&stream).end, end, "{stream}");
    }
}

#[test]
fn c07_an_error_in_mid_stream_is_told_in_anthropics_words_and_is_the_last() {
    for (error, kind, message) in [
        (json!({"message": "a", "code": 429}), "rate_limit_error", "a (code: 429)"),
        (json!({"message": "a", "type": "server_error"}), "api_error", "a (type: server_error)"),
        (json!("a"), "api_error", "a"),
    ] {
        let heard = told(&[
            chunk(json!({"content": "b"})),
            json!({"error": error}),
            chunk(json!({"content": "c"})),
            finish("stop"),
        ]);
        assert_eq!(heard.end, End::Error(json!({"type": kind, "message": message})));
        assert_eq!(heard.blocks.len(), 1);
    }
    assert!(matches!(raw("data: {\"error\":{\"message\":\"a\"}}").end, End::Error(_)));
    assert!(matches!(told(&[finish("error")]).end, End::Error(_)));
}

#[test]
fn c16_garbage_ends_with_one_error() {
    let good = format!("data: {}\n\n", chunk(json!({"content": "a"})));
    for bad in [
        "data: {\"choices\":[{\"delta\":{\"content\":\"journalctl --user                      }\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\nb\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\0b\"}}]}\n\n",
        "data: {\"choices\":\"odd\"}\n\n",
        "data: 7\n\n",
        "data: <html>\n\n",
    ] {
        let heard = raw(&format!("{good}{bad}{bad}{good}data: [DONE]\n\n"));
        assert!(matches!(heard.end, End::Error(_)), "{bad}");
        assert_eq!(heard.blocks.len(), 1);
    }
}

#[test]
fn j01_no_answer_has_its_providers_own_id() {
    // Each chunk with another, as some give them: the checker knows but the one.
    let chunks = ["x", "y", "x"].map(|id| {
        let mut chunk = chunk(json!({"content": id}));
        chunk["id"] = json!(id);
        chunk
    });
    assert_eq!(told(&chunks).blocks, [json!({"type": "text", "text": "xyx"})]);
}
