//! A router made of a configuration's text, as a launch makes it.

use std::sync::Arc;
use std::time::Duration;

use subagents::config::{Environment, Policy, RouteId, WireId, load};
use subagents::launch::Settings;
use subagents::launch::assembly::{Assembly, Engine, Plan, bind};
use subagents::launch::surroundings::Surroundings;
use subagents::router::{Allowances, Binding, Callers, Control, Meter, Purse, Row, Token};

use super::logs::Logs;
use super::wire::{Wire, soon};

/// Whatever must not be shown holds the word `canary`; the session's token does too.
pub(crate) const TOKEN: &str = "canary-of-the-session-0123456789";

/// What a router is made of.
pub(crate) struct Setup {
    upstream: String,
    config: String,
    bindings: Vec<(String, RouteId)>,
    open: Vec<RouteId>,
    policy: Policy,
    environment: Vec<(String, String)>,
    control: Option<Arc<dyn Control>>,
}

impl Setup {
    /// Text of config.toml.
    pub(crate) fn config(mut self, text: &str) -> Self {
        self.config.push_str(text);
        self.config.push('\n');
        self
    }

    /// A provider without a key.
    pub(crate) fn provider(self, name: &str, url: &str) -> Self {
        self.config(&format!("[providers.{name}]\nbase_url = \"{url}\""))
    }

    /// An agent on a route.
    pub(crate) fn agent(mut self, agent: &str, route: &str) -> Self {
        self.bindings.push((agent.to_owned(), route.parse().expect("a route")));
        self
    }

    /// A route that may be named by its id alone.
    pub(crate) fn open(mut self, route: &str) -> Self {
        self.open.push(route.parse().expect("a route"));
        self
    }

    pub(crate) fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn control(mut self, control: impl Control + 'static) -> Self {
        self.control = Some(Arc::new(control));
        self
    }

    pub(crate) async fn start(self) -> Lab {
        let logs = Logs::collect();
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("config.toml"), &self.config).expect("a file");
        let (config, problems) = load(folder.path());
        assert!(problems.is_empty(), "{problems:?}");
        let binding = |(agent, route): &(String, RouteId)| Binding {
            agent: agent.clone(),
            wire: WireId::new(agent, route),
            route: route.clone(),
        };
        let environment: Environment = self.environment.into_iter().collect();
        let plan = Plan {
            surroundings: Surroundings::read(&Settings::default(), &environment),
            default_upstream: self.upstream,
            bindings: self.bindings.iter().map(binding).collect(),
            hidden: Vec::new(),
            open_routes: self.open,
            policy: self.policy,
        };
        let assembly = Assembly::new(&plan, &config, &environment).unwrap_or_else(|error| panic!("{error}"));
        let listener = bind(0).await.expect("a port");
        let (meter, callers) = (Arc::clone(&assembly.meter), Arc::clone(&assembly.callers));
        let allowances = Arc::clone(&assembly.allowances);
        let passes = assembly.passes(Token::new(TOKEN).expect("a token"));
        let purse = Arc::clone(&passes.of(TOKEN).expect("the session's own").purse);
        let engine = assembly.start(listener, passes, self.control);
        let port = engine.port;
        Lab { port, meter, callers, allowances, purse, engine: Some(engine), logs }
    }
}

/// A router at work. At its end nothing secret may stand in its logs.
pub(crate) struct Lab {
    pub(crate) port: u16,
    pub(crate) meter: Arc<Meter>,
    pub(crate) callers: Arc<Callers>,
    pub(crate) allowances: Arc<Allowances>,
    /// Of the session's own pass.
    pub(crate) purse: Arc<Purse>,
    pub(crate) logs: Logs,
    engine: Option<Engine>,
}

impl Lab {
    pub(crate) fn setup(upstream: &str) -> Setup {
        Setup {
            upstream: upstream.to_owned(),
            config: String::new(),
            bindings: Vec::new(),
            open: Vec::new(),
            policy: Policy::default(),
            environment: Vec::new(),
            control: None,
        }
    }

    /// One agent `reviewer` on `glm/glm-5` at `route`, everything else at `default`.
    pub(crate) async fn with_route(default: &str, route: &str) -> Self {
        Self::setup(default).provider("glm", route).agent("reviewer", "glm/glm-5").start().await
    }

    pub(crate) async fn client(&self) -> Wire {
        Wire::connect(self.port).await
    }

    /// A request's exact bytes; `headers` are whole lines.
    pub(crate) fn request(&self, line: &str, headers: &[&str], body: impl AsRef<[u8]>) -> Vec<u8> {
        let (method, target) = line.split_once(' ').expect("METHOD TARGET");
        let mut head = format!("{method} /s/{TOKEN}{target} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", self.port);
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        [head.as_bytes(), b"\r\n", body.as_ref()].concat()
    }

    /// `POST /v1/messages` with its length.
    pub(crate) fn post(&self, headers: &[&str], body: impl AsRef<[u8]>) -> Vec<u8> {
        self.post_to("/v1/messages", headers, body)
    }

    pub(crate) fn post_to(&self, target: &str, headers: &[&str], body: impl AsRef<[u8]>) -> Vec<u8> {
        let length = format!("content-length: {}", body.as_ref().len());
        let headers: Vec<&str> = headers.iter().copied().chain([length.as_str()]).collect();
        self.request(&format!("POST {target}"), &headers, body)
    }

    /// Sends a request on a connection of its own, and reads the whole answer.
    pub(crate) async fn ask(&self, request: Vec<u8>) -> (super::Head, Vec<u8>) {
        let mut client = self.client().await;
        client.write(request).await;
        client.answer().await
    }

    pub(crate) fn row(&self, route: &str) -> Row {
        let figures = self.meter.figures();
        let row = figures.routes.into_iter().find(|row| row.route == route);
        row.unwrap_or_else(|| panic!("no figures for {route}"))
    }

    /// `[requests, in_flight, ok, client_error, upstream_error, cancelled, other]`
    pub(crate) fn counts(&self, route: &str) -> [u64; 7] {
        let row = self.row(route);
        [row.requests, row.in_flight, row.ok, row.client_error, row.upstream_error, row.cancelled, row.other]
    }

    /// Waits until nothing of a route is in flight, which is when its last answer's body has ended.
    pub(crate) async fn settled(&self, route: &str) -> [u64; 7] {
        let settled = async {
            while self.row(route).in_flight > 0 {
                tokio::task::yield_now().await;
            }
        };
        soon("the end of all requests", settled).await;
        self.counts(route)
    }

    /// Waits until the row of `glm/glm-5` is as wanted.
    pub(crate) async fn until(&self, wanted: impl Fn(&Row) -> bool) {
        let wanted = async {
            while !wanted(&self.row("glm/glm-5")) {
                tokio::task::yield_now().await;
            }
        };
        soon("the wanted figures", wanted).await;
    }

    pub(crate) async fn stop(&mut self, grace: Duration) {
        self.engine.take().expect("a running router").stop(grace).await;
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let text = self.logs.text();
        let shown: Vec<&str> = text.lines().filter(|line| line.contains("canary")).collect();
        assert!(shown.is_empty(), "I03: logged: {shown:?}");
    }
}

/// A short whole answer.
pub(crate) fn message() -> Vec<u8> {
    let body = r#"{"type":"message","stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}"#;
    answer("200 OK", &["content-type: application/json"], body)
}

/// An answer with its length.
pub(crate) fn answer(status: &str, headers: &[&str], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let (first, length) = (format!("HTTP/1.1 {status}"), format!("content-length: {}", body.len()));
    let lines = [&*first].into_iter().chain(headers.iter().copied()).chain([&*length]);
    let head: String = lines.flat_map(|line| [line, "\r\n"]).collect();
    [head.as_bytes(), b"\r\n", body].concat()
}

/// The head of an event stream without a length.
pub(crate) const EVENTS: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n";

/// A whole recorded stream, with characters of many bytes.
pub(crate) const RECORDED: &[u8] = include_bytes!("../../src/router/tap/testdata/message.sse");
