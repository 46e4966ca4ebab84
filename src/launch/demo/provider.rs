//! A provider of the Messages API on loopback, for demonstrations: every answer is a pure function of the
//! request, and no network is touched.
//!
//! Any path may stand in front of `/v1`, so that one provider can play several: it is named in the answers.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode, http::request::Parts};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::answer::{Answer, error, tokens};
use super::paced::Paced;
use super::reply::{Caller, Reply};
use super::request::Request;

/// The Messages API's own limit is half of it.
const BODY_LIMIT: usize = 64 * 1024 * 1024;
/// How long to wait when a connection can't be taken, for want of file descriptors say.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const MODELS: [(&str, &str); 3] =
    [("demo-large", "Demo Large"), ("demo-medium", "Demo Medium"), ("demo-small", "Demo Small")];
/// As many models as a page holds when nothing is said.
const PAGE: usize = 20;

/// A running demo provider. Dropped without [`stop`](Self::stop), it ends all the same, but nothing waits for it.
#[derive(Debug)]
pub struct DemoProvider {
    address: SocketAddr,
    tasks: TaskTracker,
    ended: CancellationToken,
}

/// How a demo provider behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The sample agents that the main session calls, by name.
    pub agents: Vec<String>,
    /// The pause between two events of a stream.
    pub pace: Duration,
}

impl DemoProvider {
    /// Listens on a free port of 127.0.0.1, on the runtime that calls.
    pub async fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let (tasks, ended) = (TaskTracker::new(), CancellationToken::new());
        let server = Server { script: Arc::new(script), tasks: tasks.clone(), ended: ended.clone() };
        tasks.spawn(server.serve(listener));
        Ok(Self { address, tasks, ended })
    }

    /// `http://127.0.0.1:PORT`; a path may be put behind it.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ends every connection, and returns when the last task has ended.
    pub async fn stop(self) {
        self.ended.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for DemoProvider {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

/// What each task of the provider needs.
#[derive(Clone)]
struct Server {
    script: Arc<Script>,
    tasks: TaskTracker,
    ended: CancellationToken,
}

impl Server {
    async fn serve(self, listener: TcpListener) {
        let accepting = async {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => drop(self.tasks.spawn(self.clone().connection(stream))),
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                }
            }
        };
        let _: Option<Infallible> = self.ended.run_until_cancelled(accepting).await;
    }

    async fn connection(self, stream: TcpStream) {
        // Only speed is lost where it fails.
        let _ = stream.set_nodelay(true);
        let script = self.script;
        let service = service_fn(move |request| answer(Arc::clone(&script), request));
        let connection =
            hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        // A client that hangs up is no error of the provider's.
        let _ = self.ended.run_until_cancelled(connection).await;
    }
}

async fn answer(
    script: Arc<Script>,
    request: hyper::Request<Incoming>,
) -> Result<Response<Paced>, Infallible> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, BODY_LIMIT).collect().await;
    Ok(match body {
        Ok(body) => respond(&script, &head, &body.to_bytes()),
        Err(_) => {
            failed(StatusCode::PAYLOAD_TOO_LARGE, "request_too_large", "The body is too long or was cut.")
        }
    })
}

fn respond(script: &Script, head: &Parts, body: &Bytes) -> Response<Paced> {
    let path = head.uri.path();
    let (prefix, call) = path.rfind("/v1/").map_or(("", path), |place| path.split_at(place));
    match (&head.method, call) {
        (&Method::POST, "/v1/messages") => message(script, head, prefix, body),
        (&Method::POST, "/v1/messages/count_tokens") => {
            said(StatusCode::OK, &json!({"input_tokens": tokens(body.len())}))
        }
        (&Method::GET, "/v1/models") => said(StatusCode::OK, &models(head.uri.query().unwrap_or_default())),
        (&Method::GET | &Method::HEAD, "/") => said(StatusCode::OK, &json!({"provider": "demo"})),
        _ => failed(StatusCode::NOT_FOUND, "not_found_error", &format!("The demo provider has no {call}.")),
    }
}

fn message(script: &Script, head: &Parts, prefix: &str, body: &Bytes) -> Response<Paced> {
    let request: Request = match serde_json::from_slice(body) {
        Ok(request) => request,
        Err(cause) => return failed(StatusCode::BAD_REQUEST, "invalid_request_error", &cause.to_string()),
    };
    let caller = Caller { prefix, is_agent: head.headers.contains_key("x-claude-code-agent-id") };
    let reply = Reply::to(&request, caller, &script.agents);
    let answer = Answer::new(&reply, &request.model, body);
    if request.stream {
        response(StatusCode::OK, "text/event-stream", Paced::new(answer.events(), script.pace))
    } else {
        said(StatusCode::OK, &answer.message())
    }
}

/// A page of models. Pages are followed with `after_id`, so that a client that asks on comes to an end.
fn models(query: &str) -> Value {
    let asked = |name| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let limit = asked("limit").and_then(|limit| limit.parse().ok()).unwrap_or(PAGE).max(1);
    let after = asked("after_id").and_then(|id| MODELS.iter().position(|model| model.0 == id));
    let rest = &MODELS[after.map_or(0, |place| place + 1)..];
    let page = &rest[..limit.min(rest.len())];
    let listed = page.iter().map(|(id, name)| {
        json!({"type": "model", "id": id, "display_name": name, "created_at": "2026-01-01T00:00:00Z"})
    });
    json!({
        "data": listed.collect::<Vec<_>>(),
        "has_more": page.len() < rest.len(),
        "first_id": page.first().map(|model| model.0),
        "last_id": page.last().map(|model| model.0),
    })
}

fn failed(status: StatusCode, kind: &str, message: &str) -> Response<Paced> {
    said(status, &error(kind, message))
}

fn said(status: StatusCode, value: &Value) -> Response<Paced> {
    response(status, "application/json", Paced::whole(value.to_string()))
}

fn response(status: StatusCode, content_type: &'static str, body: Paced) -> Response<Paced> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(content_type));
    response
}
