//! Where clients come in by streamable HTTP, and who looks after what they have left behind.

use std::convert::Infallible;
use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Body;
use hyper::header::HeaderMap;
use hyper::{Request, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::clients::Clients;
use crate::router::ControlBody;

/// How long a client may be away until what it has asked for is called off.
const PATIENCE: Duration = Duration::from_mins(5);

/// Says whose session it is, in both directions.
const SESSION: &str = "mcp-session-id";

pub(super) struct Reception<S> {
    service: StreamableHttpService<S, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    register: Arc<Register>,
}

#[derive(Default)]
struct Register {
    clients: Mutex<Clients>,
    changed: Notify,
}

/// One request and its answer, to the last byte that is read of it.
struct Exchange {
    register: Arc<Register>,
    client: String,
}

impl<S: ServerHandler + Clone> Reception<S> {
    pub(super) fn new(server: S, config: StreamableHttpServerConfig) -> Self {
        let mut sessions = LocalSessionManager::default();
        // A session where nothing is said for long may be one whose child thinks.
        sessions.session_config.keep_alive = None;
        let sessions = Arc::new(sessions);
        let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::clone(&sessions), config);
        Self { service, sessions, register: Arc::default() }
    }

    pub(super) async fn handle<B>(&self, request: Request<B>) -> Response<ControlBody>
    where
        B: Body + Send + 'static,
        B::Error: Display,
    {
        let known = session(request.headers()).map(|client| Exchange::begin(&self.register, client));
        let response = self.service.handle(request).await;
        let exchange = match session(response.headers()) {
            Some(new) if known.is_none() => Some(self.greet(new).await),
            _ => known,
        };
        response.map(|body| during(body, exchange))
    }

    async fn greet(&self, client: String) -> Exchange {
        let surplus = self.register.clients().greet(&client, now());
        let exchange = Exchange::begin(&self.register, client);
        if let Some(surplus) = surplus {
            close(&self.sessions, surplus).await;
        }
        exchange
    }

    /// Closes the sessions of clients that don't come back, which calls off what they have asked for. Never ends.
    pub(super) fn watch(&self) -> impl Future<Output = ()> + Send + use<S> {
        let (register, sessions) = (Arc::clone(&self.register), Arc::clone(&self.sessions));
        async move {
            loop {
                register.due().await;
                let gone = register.clients().forget(PATIENCE, now());
                for client in gone {
                    tracing::info!(
                        "a client of the tools is away for {PATIENCE:?}: what it has asked for is called off"
                    );
                    close(&sessions, client).await;
                }
            }
        }
    }
}

async fn close(sessions: &LocalSessionManager, client: String) {
    if let Err(error) = sessions.close_session(&client.into()).await {
        tracing::warn!(%error, "a session of the tools can't be closed");
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

fn session(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION)?.to_str().ok().map(str::to_owned)
}

/// The exchange goes on for as long as there is something to be read.
fn during(
    body: impl Body<Data = Bytes, Error = Infallible> + Send + Sync + 'static,
    exchange: Option<Exchange>,
) -> ControlBody {
    let held = move |frame| {
        _ = &exchange;
        frame
    };
    body.map_frame(held).boxed()
}

impl Exchange {
    fn begin(register: &Arc<Register>, client: String) -> Self {
        register.clients().begin(&client, now());
        register.changed.notify_one();
        Self { register: Arc::clone(register), client }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.register.clients().end(&self.client, now());
        self.register.changed.notify_one();
    }
}

impl Register {
    fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until somebody may have been away for so long.
    async fn due(&self) {
        loop {
            let due = self.clients().due(PATIENCE);
            let changed = self.changed.notified();
            match due {
                None => changed.await,
                Some(due) => tokio::select! {
                    () = sleep_until(Instant::from_std(due)) => return,
                    () = changed => {}
                },
            }
        }
    }
}

#[cfg(test)]
mod tests;
