//! A route whose provider speaks OpenAI's Responses, over real sockets.

use serde_json::{Value, json};

use crate::support::lab::{EVENTS, answer};
use crate::support::{AutoUpstream, Lab, RawUpstream, chunk};
use crate::translation::{BODY, JSON, events, lab_of};

/// A text and a tool call, as such a provider streams them.
const STREAM: &str = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"model\":\"gpt-x\",\"status\":\"in_progress\"}}\n\n\
    event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Let me see é.\"}\n\n\
    event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"call_id\":\"t1\",\"name\":\"Read\",\"arguments\":\"\"}}\n\n\
    event: response.function_call_arguments.delta\ndata: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"delta\":\"{\\\"zebra\\\": \\\"z\\\"}\"}\n\n\
    event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"status\":\"completed\",\"usage\":{\"input_tokens\":120,\"output_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":100}}}}\n\n";

async fn lab(url: &str) -> Lab {
    lab_of("openai-responses", "chat = { effort = \"high\" }", url).await
}

#[tokio::test]
async fn a01_the_provider_gets_its_own_dialect_and_the_client_a_stream_of_its_own() {
    let upstream = AutoUpstream::start(|_| [EVENTS.as_bytes(), &chunk(STREAM), b"0\r\n\r\n"].concat()).await;
    let lab = lab(&upstream.url()).await;
    let body = BODY.replace("\"stream\":true", "\"output_config\":{\"effort\":\"max\"},\"stream\":true");
    let (head, body) = lab.ask(lab.post(&["anthropic-beta: a", "x-api-key: sk-ant-FAKE"], body)).await;
    assert_eq!((head.status(), head.one("content-type")), (200, Some("text/event-stream; charset=utf-8")));
    let seen = upstream.only();
    assert_eq!(seen.head.first, "POST /v1/responses HTTP/1.1");
    for (name, value) in
        [("authorization", Some("Bearer canary-key")), ("anthropic-beta", None), ("x-api-key", None)]
    {
        assert_eq!(seen.head.one(name), value, "{name}");
    }
    let sent = seen.json();
    assert_eq!(
        (&sent["model"], &sent["store"], &sent["stream"]),
        (&json!("gpt-x"), &json!(false), &json!(true))
    );
    assert_eq!((&sent["max_output_tokens"], &sent["reasoning"]["effort"]), (&json!(64), &json!("high")));
    let events = events(&body);
    let input: String = events.iter().filter_map(|event| event["delta"]["partial_json"].as_str()).collect();
    assert_eq!(input, r#"{"zebra": "z"}"#, "as the model made it");
    assert!(events[0]["message"]["id"].as_str().is_some_and(|id| id.starts_with("msg_")));
    assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
    assert_eq!(lab.settled("gpt/gpt-x").await, [1, 0, 1, 0, 0, 0, 0]);
    let row = lab.row("gpt/gpt-x");
    assert_eq!([row.input_tokens, row.cache_read_tokens, row.output_tokens], [20, 100, 9]);
}

#[tokio::test]
async fn e07_whatever_comes_for_a_stream_is_a_stream_and_a_message_else() {
    let response = json!({"id": "resp_1", "model": "gpt-x", "status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "hello"}]}],
        "usage": {"input_tokens": 3, "output_tokens": 2}});
    let upstream = AutoUpstream::start(move |_| answer("200 OK", JSON, response.to_string())).await;
    let lab = lab(&upstream.url()).await;
    let (head, body) = lab.ask(lab.post(&[], BODY)).await;
    assert_eq!(head.one("content-type"), Some("text/event-stream; charset=utf-8"));
    assert_eq!(events(&body).last().expect("an event")["type"], "message_stop");
    let (head, body) = lab.ask(lab.post(&[], BODY.replace("\"stream\":true", "\"stream\":false"))).await;
    assert_eq!(head.one("content-type"), Some("application/json"));
    let message: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!((&message["type"], &message["content"][0]["text"]), (&json!("message"), &json!("hello")));
    assert_eq!(lab.settled("gpt/gpt-x").await, [2, 0, 2, 0, 0, 0, 0]);
}

#[tokio::test]
async fn c12_an_error_keeps_its_class_and_its_words() {
    for (status, told, expect) in [
        ("401 No", json!({"error": {"message": "bad key"}}), (401, "authentication_error")),
        ("429 No", json!({"error": {"message": "slow down"}}), (429, "rate_limit_error")),
        (
            "200 OK",
            json!({"status": "failed", "error": {"message": "slow down", "code": "rate_limit_exceeded"}}),
            (429, "rate_limit_error"),
        ),
        (
            "400 No",
            json!({"error": {"message": "too much", "code": "context_length_exceeded"}}),
            (400, "invalid_request_error"),
        ),
    ] {
        let words = told["error"]["message"].as_str().expect("words").to_owned();
        let body = told.to_string();
        let upstream = AutoUpstream::start(move |_| answer(status, JSON, &body)).await;
        let lab = lab(&upstream.url()).await;
        let (head, body) = lab.ask(lab.post(&[], BODY)).await;
        let error: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!((head.status(), error["error"]["type"].as_str()), (expect.0, Some(expect.1)), "{error}");
        assert!(
            error["error"]["message"].as_str().is_some_and(|message| message.contains(&words)),
            "{error}"
        );
    }
}

#[tokio::test]
async fn c07_a_stream_that_is_cut_ends_with_an_error_and_never_with_a_stop() {
    for cut in [0, 60, STREAM.find("arguments.delta").expect("there"), STREAM.rfind("event:").expect("there")]
    {
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
