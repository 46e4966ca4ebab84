//! A client of either version of the protocol that goes away while a tool works for it.

use http_body_util::Full;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::task::TaskTracker;

use super::*;

/// A tool that works until it is called off.
#[derive(Clone)]
struct Tireless(UnboundedSender<&'static str>);

impl ServerHandler for Tireless {
    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.send("works").ok();
        context.ct.cancelled().await;
        self.0.send("called off").ok();
        Ok(CallToolResult::success(Vec::new()).into())
    }
}

/// What it says, and a reception in front of it that is looked after.
fn reception() -> (Reception<Tireless>, UnboundedReceiver<&'static str>) {
    let (says, said) = unbounded_channel();
    let reception = Reception::new(Tireless(says), StreamableHttpServerConfig::default());
    TaskTracker::new().spawn(reception.watch());
    (reception, said)
}

const OLDER: &str = "2025-11-25";
const NEWER: &str = "2026-07-28";

async fn post(
    reception: &Reception<Tireless>,
    version: &str,
    session: Option<&str>,
    body: Value,
) -> Response<ControlBody> {
    let mut request = Request::post("http://127.0.0.1/mcp")
        .header("host", "127.0.0.1")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", version);
    if version == NEWER {
        request = request.header("mcp-method", "tools/call").header("mcp-name", "work");
    }
    if let Some(session) = session {
        request = request.header(SESSION, session);
    }
    reception.handle(request.body(Full::<Bytes>::from(body.to_string())).unwrap()).await
}

/// A client of the older version, which has said hello.
async fn greeted(reception: &Reception<Tireless>) -> String {
    let hello =
        json!({"protocolVersion": OLDER, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello});
    let answer = post(reception, OLDER, None, hello).await;
    let session = session(answer.headers()).unwrap();
    answer.into_body().collect().await.unwrap();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(reception, OLDER, Some(&session), ready).await.status(), 202);
    session
}

fn call(meta: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "work", "arguments": {}, "_meta": meta}})
}

/// The status of a question that takes no time.
async fn status(reception: &Reception<Tireless>, session: &str) -> u16 {
    let question = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    post(reception, OLDER, Some(session), question).await.status().as_u16()
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_breaks_calls_nothing_off_until_the_client_has_been_away_for_long() {
    let (reception, mut said) = reception();
    let session = greeted(&reception).await;
    let answer = post(&reception, OLDER, Some(&session), call(&json!({}))).await;
    assert_eq!(said.recv().await, Some("works"));
    let begun = Instant::now();
    drop(answer);
    assert_eq!(said.recv().await, Some("called off"));
    let took = begun.elapsed();
    // The library gives what goes on five seconds to end by itself.
    assert!(took >= PATIENCE && took < PATIENCE + Duration::from_secs(10), "{took:?}");
    assert_eq!(status(&reception, &session).await, 404);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_may_wait_for_as_long_as_it_takes_though_nothing_is_said() {
    let (reception, mut said) = reception();
    let session = greeted(&reception).await;
    let answer = post(&reception, OLDER, Some(&session), call(&json!({}))).await;
    assert_eq!(said.recv().await, Some("works"));
    tokio::time::sleep(20 * PATIENCE).await;
    assert!(said.try_recv().is_err());
    drop(answer);
    tokio::time::sleep(PATIENCE / 2).await;
    assert_eq!(status(&reception, &session).await, 200, "one that comes back is known");
    tokio::time::sleep(PATIENCE * 3 / 4).await;
    assert!(said.try_recv().is_err(), "its time begins anew");
}

#[tokio::test(start_paused = true)]
async fn by_the_newer_version_to_hang_up_is_to_call_off() {
    let (reception, mut said) = reception();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": NEWER,
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let answer = tokio::select! {
        answer = post(&reception, NEWER, None, call(&meta)) => panic!("{answer:?}"),
        said = said.recv() => said,
    };
    assert_eq!(answer, Some("works"));
    let begun = Instant::now();
    assert_eq!(said.recv().await, Some("called off"));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn sessions_that_nobody_ends_end_by_themselves_and_are_never_too_many() {
    let (reception, _said) = reception();
    let first = greeted(&reception).await;
    for _ in 0..300 {
        tokio::time::advance(Duration::from_millis(1)).await;
        greeted(&reception).await;
    }
    assert!(reception.sessions.sessions.read().await.len() <= 256);
    assert_eq!(status(&reception, &first).await, 404);
    tokio::time::sleep(2 * PATIENCE).await;
    assert!(reception.sessions.sessions.read().await.is_empty());
}
