//! A route whose provider speaks OpenAI's Chat Completions, over real sockets: what it gets, and what its client sees.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::lab::{EVENTS, answer};
use crate::support::{AutoUpstream, Lab, RawUpstream, chunk};

pub(crate) const JSON: &[&str] = &["content-type: application/json"];

/// What Claude Code sends, in short.
pub(crate) const BODY: &str = r#"{"model":"reviewer@gpt/gpt-x","max_tokens":64,"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2; cch=1;"},{"type":"text","text":"Be kind.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"tools":[{"name":"Read","description":"Reads.","input_schema":{"type":"object","properties":{"zebra":{"type":"string"},"apple":{"type":"integer"}}}}],"metadata":{"user_id":"device"},"stream":true}"#;

/// A tool call in pieces, as such a provider streams it.
const STREAM: &str = "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Let me \"}}]}\n\n\
    data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"see é.\"}}]}\n\n\
    data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"t1\",\"type\":\"function\",\"function\":{\"name\":\"Read\",\"arguments\":\"{\\\"zebra\\\": \"}}]}}]}\n\n\
    data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"z\\\"}\"}}]}}]}\n\n\
    data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n\
    data: {\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":120,\"completion_tokens\":9,\"prompt_tokens_details\":{\"cached_tokens\":100}}}\n\n\
    data: [DONE]\n\n";

async fn lab(url: &str) -> Lab {
    lab_of("openai-chat", "", url).await
}

/// `more`: what else stands in config.toml, the provider's table first.
pub(crate) async fn lab_of(dialect: &str, more: &str, url: &str) -> Lab {
    let provider = format!(
        "[providers.gpt]\nbase_url = \"{url}/v1\"\ndialect = \"{dialect}\"\n\
         auth = {{ kind = \"x-api-key\", secret = \"env:KEY\" }}\n{more}"
    );
    let setup = Lab::setup("http://127.0.0.1:9").config(&provider).env("KEY", "canary-key");
    setup.agent("reviewer", "gpt/gpt-x").start().await
}

pub(crate) fn events(body: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(body).expect("text");
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).expect("JSON")).collect()
}

#[tokio::test]
async fn a01_e12_the_provider_gets_its_own_dialect_its_own_key_and_nothing_of_the_users() {
    let upstream = AutoUpstream::start(|_| [EVENTS.as_bytes(), &chunk(STREAM), b"0\r\n\r\n"].concat()).await;
    let lab = lab(&upstream.url()).await;
    let headers = [
        "authorization: Bearer sk-ant-oat01-FAKE",
        "anthropic-beta: a,b",
        "anthropic-version: 2023-06-01",
        "accept-encoding: gzip, br",
        "user-agent: claude-cli/2",
    ];
    let (head, body) = lab.ask(lab.post_to("/v1/messages?beta=true", &headers, BODY)).await;
    assert_eq!((head.status(), head.one("content-type")), (200, Some("text/event-stream; charset=utf-8")));
    let seen = upstream.only();
    assert_eq!(seen.head.first, "POST /v1/chat/completions HTTP/1.1");
    for (name, value) in [
        ("authorization", Some("Bearer canary-key")),
        ("accept-encoding", Some("identity")),
        ("user-agent", Some("claude-cli/2")),
        ("anthropic-beta", None),
        ("anthropic-version", None),
        ("x-api-key", None),
    ] {
        assert_eq!(seen.head.one(name), value, "{name}");
    }
    let text = String::from_utf8(seen.body.clone()).expect("text");
    for word in ["cache_control", "device", "billing", "metadata", "FAKE"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert!(text.contains(r#"{"zebra":{"type":"string"},"apple":{"type":"integer"}}"#), "{text}");
    let sent = seen.json();
    assert_eq!((&sent["model"], &sent["stream"]), (&json!("gpt-x"), &json!(true)));
    assert_eq!(sent["stream_options"]["include_usage"], true);
    let events = events(&body);
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 1]), ("message_start", "message_stop"));
    let input: String = events.iter().filter_map(|event| event["delta"]["partial_json"].as_str()).collect();
    assert_eq!(input, r#"{"zebra": "z"}"#, "as the model made it");
    assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
    assert_eq!(lab.settled("gpt/gpt-x").await, [1, 0, 1, 0, 0, 0, 0]);
    let row = lab.row("gpt/gpt-x");
    assert_eq!([row.input_tokens, row.cache_read_tokens, row.output_tokens], [20, 100, 9]);
}

#[tokio::test]
async fn what_the_provider_wants_of_chat_completions_is_what_it_gets_and_a_route_overrules_it() {
    let body = BODY.replace("\"stream\":true", "\"output_config\":{\"effort\":\"xhigh\"}");
    let provider = r#"chat = { limit = "max_completion_tokens", effort = "high" }"#;
    for (route, effort) in [("", "high"), ("[routes.\"gpt/gpt-x\"]\nchat = { effort = \"low\" }", "low")] {
        let upstream = AutoUpstream::ok().await;
        let lab = lab_of("openai-chat", &format!("{provider}\n{route}"), &upstream.url()).await;
        lab.ask(lab.post(&[], &body)).await;
        let sent = upstream.only().json();
        assert_eq!(sent["reasoning_effort"], effort);
        assert_eq!((&sent["max_completion_tokens"], &sent["max_tokens"]), (&json!(64), &Value::Null));
    }
}

#[tokio::test]
async fn c09_a_stream_that_is_cut_anywhere_arrives_the_same() {
    let upstream = AutoUpstream::start(|seen| {
        let cut: usize = seen.head.one("x-cut").expect("a place").parse().expect("a number");
        let (one, other) = STREAM.as_bytes().split_at(cut);
        let one = if one.is_empty() { Vec::new() } else { chunk(one) };
        [EVENTS.as_bytes(), &one, &chunk(other), b"0\r\n\r\n"].concat()
    })
    .await;
    let lab = lab(&upstream.url()).await;
    let mut whole = None;
    for cut in (0..STREAM.len()).step_by(5) {
        let (_, body) = lab.ask(lab.post(&[&format!("x-cut: {cut}")], BODY)).await;
        let mut told = events(&body);
        told[0]["message"]["id"].take();
        assert_eq!(whole.get_or_insert_with(|| told.clone()), &told, "cut at {cut}");
    }
}

#[tokio::test]
async fn e07_whatever_comes_for_a_stream_is_a_stream_and_a_message_else() {
    let completion = json!({"id": "c1", "choices": [{"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": "hello"}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2}});
    let upstream = AutoUpstream::start(move |_| answer("200 OK", JSON, completion.to_string())).await;
    let lab = lab(&upstream.url()).await;
    let (head, body) = lab.ask(lab.post(&[], BODY)).await;
    assert_eq!(head.one("content-type"), Some("text/event-stream; charset=utf-8"));
    assert_eq!(events(&body).last().expect("an event")["type"], "message_stop");
    let (head, body) = lab.ask(lab.post(&[], BODY.replace("\"stream\":true", "\"stream\":false"))).await;
    assert_eq!(head.one("content-type"), Some("application/json"));
    let message: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!((&message["type"], &message["content"][0]["text"]), (&json!("message"), &json!("hello")));
    assert_eq!(lab.settled("gpt/gpt-x").await, [2, 0, 2, 0, 0, 0, 0]);
    assert_eq!(lab.row("gpt/gpt-x").output_tokens, 4);
}

#[tokio::test]
async fn j01_no_two_answers_have_one_id_whatever_the_provider_says() {
    let upstream = AutoUpstream::start(|_| [EVENTS.as_bytes(), &chunk(STREAM), b"0\r\n\r\n"].concat()).await;
    let lab = lab(&upstream.url()).await;
    let mut ids = BTreeSet::new();
    for _ in 0..3 {
        let (_, body) = lab.ask(lab.post(&[], BODY)).await;
        let id = events(&body)[0]["message"]["id"].as_str().expect("an id").to_owned();
        assert!(id.starts_with("msg_") && ids.insert(id), "{ids:?}");
    }
}

#[tokio::test]
async fn c12_e10_an_error_keeps_its_class_and_its_words() {
    for (status, told, expect) in [
        (
            "400 No",
            json!({"error": {"message": "no such field", "type": "invalid_request_error"}}),
            (400, "invalid_request_error"),
        ),
        ("401 No", json!({"error": {"message": "bad key"}}), (401, "authentication_error")),
        ("404 No", json!({"error": {"message": "no such model"}}), (404, "not_found_error")),
        ("429 No", json!({"error": {"message": "slow down"}}), (429, "rate_limit_error")),
        ("500 No", json!({"error": {"message": "oops"}}), (500, "api_error")),
        ("200 OK", json!({"error": {"message": "oops", "code": 429}}), (429, "rate_limit_error")),
        (
            "400 No",
            json!({"error": {"message": "maximum context length is 8192 tokens", "code": "context_length_exceeded"}}),
            (400, "invalid_request_error"),
        ),
    ] {
        let words = told["error"]["message"].as_str().expect("words").to_owned();
        let body = told.to_string();
        let upstream =
            AutoUpstream::start(move |_| answer(status, &[JSON[0], "retry-after: 1.5"], &body)).await;
        let lab = lab(&upstream.url()).await;
        let (head, body) = lab.ask(lab.post(&[], BODY)).await;
        let error: Value = serde_json::from_slice(&body).expect("JSON");
        let message = error["error"]["message"].as_str().expect("a message");
        assert_eq!((head.status(), error["error"]["type"].as_str()), (expect.0, Some(expect.1)), "{error}");
        assert!(message.contains(&words), "{error}");
        assert_eq!(words.contains("context"), message.starts_with("prompt is too long"), "{error}");
        assert_eq!(head.one("retry-after"), Some("2"));
        assert_eq!(upstream.seen().len(), 1, "never tried again by us");
    }
}

#[tokio::test]
async fn c07_a_translated_stream_that_is_cut_ends_with_an_error_and_never_with_a_stop() {
    for cut in [0, 40, 300, STREAM.find("finish_reason").expect("there")] {
        let cut = STREAM.floor_char_boundary(cut);
        let upstream = RawUpstream::bind().await;
        let lab = lab(&upstream.url()).await;
        let mut client = lab.client().await;
        client.write(lab.post(&[], BODY)).await;
        let mut peer = upstream.accept().await;
        let head = peer.head().await;
        peer.body(&head).await;
        let begin = if cut == 0 { Vec::new() } else { chunk(&STREAM[..cut]) };
        peer.write([EVENTS.as_bytes(), &begin].concat()).await;
        drop(peer);
        let head = client.head().await;
        let body = client.body(&head).await;
        let events = events(&body);
        assert_eq!(events.last().expect("an event")["type"], "error", "{cut}");
        assert!(events.iter().all(|event| event["type"] != "message_stop"));
        assert_eq!(lab.settled("gpt/gpt-x").await[4], 1);
    }
}

#[tokio::test]
async fn c05_who_hangs_up_frees_the_provider() {
    let upstream = RawUpstream::bind().await;
    let lab = lab(&upstream.url()).await;
    let mut client = lab.client().await;
    client.write(lab.post(&[], BODY)).await;
    let mut peer = upstream.accept().await;
    let head = peer.head().await;
    peer.body(&head).await;
    peer.write([EVENTS.as_bytes(), &chunk(&STREAM[..STREAM.find("\n\n").expect("an event") + 2])].concat())
        .await;
    client.head().await;
    client.stream(10).await;
    drop(client);
    peer.gone().await;
    assert_eq!(lab.settled("gpt/gpt-x").await, [1, 0, 0, 0, 0, 1, 0]);
}

#[tokio::test]
async fn d03_tokens_are_estimated_here_and_nobody_is_asked() {
    let upstream = AutoUpstream::ok().await;
    let lab = lab(&upstream.url()).await;
    let (head, body) = lab.ask(lab.post_to("/v1/messages/count_tokens?beta=true", &[], BODY)).await;
    let count: Value = serde_json::from_slice(&body).expect("JSON");
    assert!(head.status() == 200 && count["input_tokens"].as_u64() > Some(50), "{count}");
    assert!(upstream.seen().is_empty());
}

#[tokio::test]
async fn what_cannot_be_said_is_refused_here_with_the_reason() {
    let upstream = AutoUpstream::ok().await;
    let lab = lab(&upstream.url()).await;
    let only = BODY.replace(r#""name":"Read","description":"Reads.","input_schema":{"type":"object","properties":{"zebra":{"type":"string"},"apple":{"type":"integer"}}}"#, r#""type":"web_search_20250305","name":"web_search""#);
    let (head, body) = lab.ask(lab.post(&[], only)).await;
    let text = String::from_utf8(body).expect("text");
    assert_eq!((head.status(), head.one("x-should-retry")), (400, Some("false")), "{text}");
    assert!(text.contains("gpt/gpt-x") && text.contains("web_search"), "{text}");
    assert_eq!(lab.settled("gpt/gpt-x").await, [1, 0, 0, 1, 0, 0, 0]);
    assert!(upstream.seen().is_empty());
}

#[tokio::test]
async fn c16_what_cannot_be_read_ends_with_one_error_that_names_the_route() {
    let begin = STREAM.find("\n\n").expect("an event") + 2;
    let garbled = format!("{}data: {{\"choices\": nonsense}}\n\n{}", &STREAM[..begin], &STREAM[begin..]);
    let stream = [EVENTS.as_bytes(), &chunk(&garbled), b"0\r\n\r\n"].concat();
    let upstream = AutoUpstream::start(move |_| stream.clone()).await;
    let lab = lab(&upstream.url()).await;
    let (head, body) = lab.ask(lab.post(&[], BODY)).await;
    let events = events(&body);
    let errors: Vec<&Value> = events.iter().filter(|event| event["type"] == "error").collect();
    assert_eq!((head.status(), errors.len()), (200, 1));
    assert!(errors[0]["error"]["message"].as_str().expect("words").starts_with("gpt/gpt-x: "), "{errors:?}");
    assert_eq!(events.last(), Some(errors[0]));
    assert_eq!(lab.settled("gpt/gpt-x").await, [1, 0, 0, 0, 1, 0, 0]);
}
