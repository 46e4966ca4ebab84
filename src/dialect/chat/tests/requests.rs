//! Requests: what each report asks of them.

use serde_json::json;

use super::*;

fn user(content: Value) -> Value {
    let message = Value::from_iter([("role", json!("user")), ("content", content)]);
    json!({"model": "m", "max_tokens": 9, "messages": [message]})
}

fn messages(body: &Value) -> Value {
    asked(body, ChatOptions::default())["messages"].clone()
}

fn refused(body: &Value) -> String {
    request(body.to_string().as_bytes(), ChatOptions::default()).unwrap_err().to_string()
}

#[test]
fn b01_numbers_and_the_order_of_keys_stay_as_they_were_written() {
    let schema = r#"{"zebra":1,"mango":12345678901234567890123,"e":1e5,"apple":{"type":"string"}}"#;
    let input = r#"{"zebra": 12345678901234567890123, "e":1e5,  "s":"\u00e9\ud83d \/"}"#;
    let body = format!(
        r#"{{"messages":[{{"content":[{{"input":{input},"name":"t","id":"c","type":"tool_use"}}],"role":"assistant"}}],
            "tools":[{{"input_schema":{schema},"name":"t"}}],"max_tokens":1e3,"temperature":1.0,"model":"m"}}"#
    );
    let made = |()| request(body.as_bytes(), ChatOptions::default()).unwrap();
    let first = made(());
    let text = String::from_utf8(first.clone()).unwrap();
    assert!(text.contains(&format!(r#""parameters":{schema}"#)), "{text}");
    assert!(text.contains(&serde_json::to_string(input).unwrap()), "{text}");
    assert!(text.contains(r#""max_tokens":1e3,"temperature":1.0"#), "{text}");
    assert!((0..50).all(|_| made(()) == first));
}

#[test]
fn b05_the_attribution_goes_from_the_beginning_of_the_system_prompt_and_from_nowhere_else() {
    let line = "x-anthropic-billing-header: cc_version=2.1.117; cch=71fea;";
    let with = |system: Value| json!({"model": "m", "max_tokens": 9, "system": system, "messages": [{"role": "user", "content": line}]});
    let kept = json!({"role": "user", "content": line});
    for (system, expect) in [
        (json!(format!("{line}\nBe brief.")), Some("Be brief.")),
        (json!([{"type": "text", "text": line}, {"type": "text", "text": "Be brief."}]), Some("Be brief.")),
        (json!([{"type": "text", "text": format!("{line}\nBe brief.")}]), Some("Be brief.")),
        (json!(line), None),
        (json!(format!("Be brief. {line}")), Some(&*format!("Be brief. {line}"))),
    ] {
        let system_message = expect.map(|text| json!({"role": "system", "content": text}));
        let expect: Vec<Value> = system_message.into_iter().chain([kept.clone()]).collect();
        assert_eq!(messages(&with(system.clone())), json!(expect), "{system}");
    }
}

#[test]
fn d01_system_turns_stay_where_they_are() {
    let body = json!({"model": "m", "max_tokens": 9, "messages": [
        {"role": "user", "content": "a"}, {"role": "system", "content": "b"}, {"role": "user", "content": "c"},
    ]});
    let roles: Vec<Value> = messages(&body).as_array().unwrap().iter().map(|m| m["role"].clone()).collect();
    assert_eq!(json!(roles), json!(["user", "system", "user"]));
}

#[test]
fn e10_server_tools_are_left_out_unless_nothing_else_is_there() {
    let search = json!({"type": "web_search_20250305", "name": "web_search"});
    let own = json!({"name": "Read", "input_schema": {"type": "object"}});
    let with = |tools: Value, choice: Value| json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}], "tools": tools, "tool_choice": choice});
    let made = asked(&with(json!([search, own]), json!({"type": "auto"})), ChatOptions::default());
    assert_eq!(made["tools"].as_array().unwrap().len(), 1);
    assert_eq!(made["tools"][0]["function"]["name"], "Read");
    assert!(refused(&with(json!([search]), json!({"type": "auto"}))).contains("web_search"));
    let forced = json!({"type": "tool", "name": "web_search"});
    assert!(refused(&with(json!([search, own]), forced)).contains("web_search"));
    let none = asked(&with(json!([]), json!({"type": "any"})), ChatOptions::default());
    assert!(none.get("tools").is_none() && none.get("tool_choice").is_none());
}

#[test]
fn e12_nothing_is_left_of_what_only_anthropic_knows() {
    for name in ["text", "tools", "images", "thinking"] {
        let body = match name {
            "text" => include_str!("../testdata/text-request.json"),
            "tools" => include_str!("../testdata/tools-request.json"),
            "images" => include_str!("../testdata/images-request.json"),
            _ => include_str!("../testdata/thinking-request.json"),
        };
        let made = request(body.as_bytes(), ChatOptions::default()).unwrap();
        let made = String::from_utf8(made).unwrap();
        for word in [
            "cache_control",
            "citations",
            "signature",
            "user_0123",
            "metadata",
            "defer_loading",
            "top_k",
            "71fea",
        ] {
            assert!(!made.contains(word), "{word} in {name}: {made}");
        }
    }
}

#[test]
fn e14_whether_and_which_tool_is_called() {
    for (choice, expect, parallel) in [
        (json!({"type": "auto"}), json!("auto"), Value::Null),
        (json!({"type": "any"}), json!("required"), Value::Null),
        (json!({"type": "none"}), json!("none"), Value::Null),
        (
            json!({"type": "tool", "name": "t"}),
            json!({"type": "function", "function": {"name": "t"}}),
            Value::Null,
        ),
        (json!({"type": "auto", "disable_parallel_tool_use": true}), json!("auto"), json!(false)),
        (json!({"type": "auto", "disable_parallel_tool_use": false}), json!("auto"), Value::Null),
    ] {
        let mut body = user(json!("a"));
        body["tools"] = json!([{"name": "t", "input_schema": {"type": "object"}}]);
        body["tool_choice"] = choice;
        let made = asked(&body, ChatOptions::default());
        assert_eq!((&made["tool_choice"], &made["parallel_tool_calls"]), (&expect, &parallel));
    }
}

#[test]
fn e14_results_follow_their_calls_even_when_the_user_speaks_twice() {
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": id});
    let body = json!({"model": "m", "max_tokens": 9, "messages": [
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "a", "name": "t", "input": {}},
            {"type": "tool_use", "id": "b", "name": "t", "input": {}},
        ]},
        {"role": "user", "content": [{"type": "text", "text": "one"}, result("b")]},
        {"role": "user", "content": [result("a"), {"type": "text", "text": "two"}]},
    ]});
    let made = messages(&body);
    let seen: Vec<&str> = made.as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(seen, ["assistant", "tool", "tool", "user"]);
    assert_eq!(made[3]["content"], json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]));
}

#[test]
fn e16_nothing_is_empty() {
    for content in [json!(""), json!([]), json!([{"type": "text", "text": " \n"}])] {
        assert_eq!(messages(&user(content)), json!([{"role": "user", "content": " "}]));
    }
    for (content, expect) in [
        (json!([{"type": "text", "text": ""}]), json!({"role": "assistant", "content": " "})),
        (json!([{"type": "redacted_thinking", "data": "x"}]), json!({"role": "assistant", "content": " "})),
    ] {
        let body =
            json!({"model": "m", "max_tokens": 9, "messages": [{"role": "assistant", "content": content}]});
        assert_eq!(messages(&body), json!([expect]));
    }
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "assistant", "content": [
        {"type": "text", "text": ""}, {"type": "tool_use", "id": "a", "name": "t", "input": {}},
    ]}]});
    assert_eq!(messages(&body)[0]["content"], Value::Null);
}

#[test]
fn d06_effort_is_said_up_to_the_highest_that_the_provider_knows_and_not_without_thinking() {
    let said = |highest, effort: &str, thinking: &str| {
        let mut body = user(json!("a"));
        body["output_config"] = json!({"effort": effort});
        body["thinking"] = json!({"type": thinking});
        asked(&body, ChatOptions { effort: highest, ..ChatOptions::default() })["reasoning_effort"].clone()
    };
    assert_eq!(said(None, "high", "adaptive"), Value::Null);
    for (effort, expect) in
        [("low", "low"), ("medium", "medium"), ("high", "high"), ("xhigh", "high"), ("max", "high")]
    {
        assert_eq!(said(Some(Effort::High), effort, "adaptive"), expect);
    }
    assert_eq!(said(Some(Effort::Max), "max", "adaptive"), "max");
    assert_eq!(said(Some(Effort::Max), "unheard of", "adaptive"), Value::Null);
    assert_eq!(said(Some(Effort::Max), "high", "disabled"), Value::Null);
}

#[test]
fn d11_thinking_goes_back_in_the_field_that_the_provider_wants() {
    let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "a"},
    ]}]});
    for (thinking, expect) in [
        (None, json!({"role": "assistant", "content": "a"})),
        (Some(ThinkingField::Reasoning), json!({"role": "assistant", "content": "a", "reasoning": "hm"})),
        (
            Some(ThinkingField::ReasoningContent),
            json!({"role": "assistant", "content": "a", "reasoning_content": "hm"}),
        ),
    ] {
        let made = asked(&body, ChatOptions { thinking, ..ChatOptions::default() });
        assert_eq!(made["messages"][0], expect);
    }
}

#[test]
fn the_older_place_of_a_schema_for_the_answer_is_read_too() {
    let mut body = user(json!("a"));
    body["output_format"] = json!({"type": "json_schema", "schema": {"type": "object"}});
    let format = asked(&body, ChatOptions::default())["response_format"].clone();
    assert_eq!(format["json_schema"]["schema"], json!({"type": "object"}));
}

#[test]
fn usage_is_asked_for_with_every_stream_and_never_without_one() {
    for (stream, options) in [(true, json!({"include_usage": true})), (false, Value::Null)] {
        let mut body = user(json!("a"));
        body["stream"] = json!(stream);
        assert_eq!(asked(&body, ChatOptions::default())["stream_options"], options);
    }
}

#[test]
fn what_is_no_request_is_refused_without_being_repeated() {
    for body in ["", "[]", "{}", r#"{"model":"m","messages":"secret"}"#, r#"{"model":1,"messages":[]}"#] {
        let refused = request(body.as_bytes(), ChatOptions::default()).unwrap_err().to_string();
        assert!(refused.contains("no message") && !refused.contains("secret"), "{refused}");
    }
}
