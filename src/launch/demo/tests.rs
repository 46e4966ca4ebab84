//! The demo provider as a client on a socket sees it.

use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_util::task::TaskTracker;

use super::provider::{DemoProvider, Script};
use crate::router::tap::{Ending, Findings, Tap};

struct Client {
    sender: SendRequest<Full<Bytes>>,
    connection: TaskTracker,
}

impl Client {
    async fn to(provider: &DemoProvider) -> Self {
        let base_url = provider.base_url();
        let stream = TcpStream::connect(base_url.strip_prefix("http://").unwrap()).await.unwrap();
        let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
        let tracker = TaskTracker::new();
        tracker.spawn(connection);
        Self { sender, connection: tracker }
    }

    async fn send(&mut self, method: Method, path: &str, agent: bool, body: &Value) -> Response<Bytes> {
        let mut request = Request::builder().method(method).uri(path).header("host", "127.0.0.1");
        if agent {
            request = request.header("x-claude-code-agent-id", "a1");
        }
        let request = request.body(Full::new(Bytes::from(body.to_string()))).unwrap();
        let (head, body) = self.sender.send_request(request).await.unwrap().into_parts();
        Response::from_parts(head, body.collect().await.unwrap().to_bytes())
    }

    async fn post(&mut self, path: &str, agent: bool, body: &Value) -> Value {
        let response = self.send(Method::POST, path, agent, body).await;
        assert_eq!(response.status(), StatusCode::OK);
        serde_json::from_slice(response.body()).unwrap()
    }

    async fn get(&mut self, path: &str) -> (StatusCode, Value) {
        let response = self.send(Method::GET, path, false, &Value::Null).await;
        (response.status(), serde_json::from_slice(response.body()).unwrap_or_default())
    }
}

async fn provider() -> DemoProvider {
    let agents = vec!["scout".to_owned(), "critic".to_owned()];
    DemoProvider::start(Script { agents, pace: Duration::ZERO }).await.unwrap()
}

fn question(stream: bool) -> Value {
    json!({
        "model": "demo-large",
        "stream": stream,
        "tools": [{"name": "Agent"}],
        "messages": [{"role": "user", "content": "Show me"}],
    })
}

fn tap(body: &Bytes) -> Findings {
    let mut tap = Tap::new(Some("text/event-stream"), None);
    tap.feed(body);
    tap.finish()
}

/// The data of each event, once its name has been compared with its type.
fn events(body: &Bytes) -> Vec<Value> {
    let text = std::str::from_utf8(body).unwrap();
    let events = text.split_terminator("\n\n").map(|event| {
        let (name, data) = event.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(name.strip_prefix("event: "), data["type"].as_str());
        data
    });
    events.collect()
}

/// The content that a stream's deltas add up to: texts, and inputs of calls.
fn content(events: &[Value]) -> Vec<String> {
    let mut blocks = Vec::new();
    for event in events {
        match event["type"].as_str() {
            Some("content_block_start") => blocks.push(String::new()),
            Some("content_block_delta") => {
                let delta = &event["delta"];
                let piece = delta["text"].as_str().or(delta["partial_json"].as_str()).unwrap();
                blocks.last_mut().unwrap().push_str(piece);
            }
            _ => {}
        }
    }
    blocks
}

#[tokio::test]
async fn the_main_session_s_stream_calls_both_agents_and_is_whole() {
    let provider = provider().await;
    let response = Client::to(&provider)
        .await
        .send(Method::POST, "/main/v1/messages?beta=true", false, &question(true))
        .await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let found = tap(response.body());
    assert_eq!((found.ending, found.stop_reason.as_deref()), (Ending::Complete, Some("tool_use")));
    assert!(found.usage.input > Some(0) && found.usage.output > Some(1));
    let content = content(&events(response.body()));
    let agents: Vec<Value> = content[1..].iter().map(|input| serde_json::from_str(input).unwrap()).collect();
    assert_eq!(agents.len(), 2);
    assert_eq!(
        (&agents[0]["subagent_type"], &agents[1]["subagent_type"]),
        (&json!("scout"), &json!("critic"))
    );
    provider.stop().await;
}

#[tokio::test]
async fn a_message_says_the_same_whether_it_streams_or_not() {
    let provider = provider().await;
    let mut client = Client::to(&provider).await;
    let whole = client.post("/v1/messages", false, &question(false)).await;
    let streamed = client.send(Method::POST, "/v1/messages", false, &question(true)).await;
    let text = content(&events(streamed.body())).remove(0);
    assert_eq!(whole["content"][0]["text"], json!(text));
    assert_eq!(whole["usage"]["output_tokens"].as_u64(), tap(streamed.body()).usage.output);
    let again = client.post("/v1/messages", false, &question(false)).await;
    assert_eq!(whole, again);
    provider.stop().await;
}

#[tokio::test]
async fn a_sub_agent_s_answer_names_model_and_path() {
    let provider = provider().await;
    let answer = Client::to(&provider).await.post("/local/v1/messages", true, &question(false)).await;
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("demo-large") && text.contains("/local"), "{text}");
    assert_eq!(answer["stop_reason"], "end_turn");
    provider.stop().await;
}

#[tokio::test]
async fn models_come_in_pages_that_end() {
    let provider = provider().await;
    let mut client = Client::to(&provider).await;
    let (_, all) = client.get("/cloud/v1/models?limit=1000").await;
    assert_eq!((all["data"].as_array().map(Vec::len), &all["has_more"]), (Some(3), &json!(false)));
    let (_, first) = client.get("/v1/models?limit=2").await;
    assert_eq!((&first["last_id"], &first["has_more"]), (&json!("demo-medium"), &json!(true)));
    let (_, last) = client.get("/v1/models?limit=2&after_id=demo-medium").await;
    assert_eq!((&last["first_id"], &last["has_more"]), (&json!("demo-small"), &json!(false)));
    let (_, none) = client.get("/v1/models?after_id=demo-small").await;
    assert_eq!((&none["data"], &none["first_id"]), (&json!([]), &Value::Null));
    provider.stop().await;
}

#[tokio::test]
async fn tokens_are_counted_by_size() {
    let provider = provider().await;
    let mut client = Client::to(&provider).await;
    let short = client.post("/v1/messages/count_tokens", false, &json!({"a": "b"})).await;
    let long = client.post("/v1/messages/count_tokens", false, &question(false)).await;
    assert!(short["input_tokens"].as_u64() < long["input_tokens"].as_u64());
    provider.stop().await;
}

#[tokio::test]
async fn probes_are_answered_and_anything_else_is_an_error_of_the_api_s_shape() {
    let provider = provider().await;
    let mut client = Client::to(&provider).await;
    assert_eq!(client.send(Method::HEAD, "/", false, &Value::Null).await.status(), StatusCode::OK);
    assert_eq!(client.get("/").await.0, StatusCode::OK);
    for (method, path, expect) in [
        (Method::GET, "/v1/files", (404, "not_found_error")),
        (Method::GET, "/elsewhere", (404, "not_found_error")),
        (Method::GET, "/v1/messages", (404, "not_found_error")),
        (Method::POST, "/v1/messages", (400, "invalid_request_error")),
    ] {
        let response = client.send(method, path, false, &json!("no object")).await;
        let body: Value = serde_json::from_slice(response.body()).unwrap();
        assert_eq!(body["type"], "error");
        assert_eq!((response.status().as_u16(), body["error"]["type"].as_str().unwrap()), expect, "{path}");
    }
    provider.stop().await;
}

#[tokio::test(start_paused = true)]
async fn events_are_paced_but_the_first() {
    let script = Script { agents: Vec::new(), pace: Duration::from_millis(5) };
    let provider = DemoProvider::start(script).await.unwrap();
    let began = tokio::time::Instant::now();
    let response =
        Client::to(&provider).await.send(Method::POST, "/v1/messages", false, &question(true)).await;
    let pauses = u32::try_from(events(response.body()).len() - 1).unwrap();
    assert!(began.elapsed() >= Duration::from_millis(5) * pauses);
    provider.stop().await;
}

#[tokio::test]
async fn stop_ends_open_connections() {
    let script = Script { agents: Vec::new(), pace: Duration::from_hours(1) };
    let provider = DemoProvider::start(script).await.unwrap();
    let mut client = Client::to(&provider).await;
    let request =
        Request::post("/v1/messages").body(Full::new(Bytes::from(question(true).to_string()))).unwrap();
    let mut response = client.sender.send_request(request).await.unwrap();
    assert!(response.body_mut().frame().await.unwrap().is_ok());
    provider.stop().await;
    assert!(response.body_mut().frame().await.is_none_or(|frame| frame.is_err()));
    client.connection.close();
    client.connection.wait().await;
}
