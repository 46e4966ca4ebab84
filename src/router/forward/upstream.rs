//! One upstream: its address, its limits, and the connections to it that wait for the next request.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::body::{Frame, Incoming};
use hyper::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use hyper::http::uri::PathAndQuery;
use hyper::{Request, Response, Uri, Version};
use tokio_util::task::TaskTracker;

use super::dial::{Dialer, ProxyVariables};
use super::line::{Line, Outgoing};
use super::trust::{Tls, Trust};
use crate::router::count::Counting;
use crate::router::error::Error;
use crate::router::peek::RequestBody;

/// Connections kept for later, and for how long.
const IDLE: usize = 128;
const IDLE_FOR: Duration = Duration::from_mins(1);

/// Limits of ours on an upstream.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub connect: Duration,
    pub first_byte: Option<Duration>,
    pub idle: Duration,
    pub total: Option<Duration>,
}

#[derive(Debug)]
pub struct Upstream {
    /// `provider/model`, or `default`: how messages name it.
    label: String,
    base: Base,
    tls: Tls,
    /// `None` on the default upstream: its waiting is the client's own affair.
    limits: Option<Limits>,
    dialer: Arc<Dialer>,
    tasks: TaskTracker,
    idle: Mutex<VecDeque<(Line, Instant)>>,
    counting: Counting,
}

/// A base URL, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    scheme: String,
    authority: String,
    host: HeaderValue,
    /// Without a `/` at its end.
    path: String,
    uri: Uri,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a base URL looks like `https://host[:port][/path]`, without a login in it")]
pub struct BaseError;

impl std::str::FromStr for Base {
    type Err = BaseError;

    fn from_str(text: &str) -> Result<Self, BaseError> {
        let uri: Uri = text.trim_end_matches('/').parse().map_err(|_| BaseError)?;
        let scheme = uri.scheme_str().filter(|s| matches!(*s, "http" | "https")).ok_or(BaseError)?.to_owned();
        let authority = uri.authority().map(ToString::to_string).ok_or(BaseError)?;
        if authority.contains('@') || uri.host().is_none_or(str::is_empty) || uri.query().is_some() {
            return Err(BaseError);
        }
        let path = uri.path().trim_end_matches('/').to_owned();
        let host = HeaderValue::from_str(&authority).map_err(|_| BaseError)?;
        Ok(Self { scheme, authority, host, path, uri })
    }
}

impl Base {
    /// The path and query to ask for. R4: the base's own path stays in front.
    fn target(&self, call: &str) -> Option<PathAndQuery> {
        [&self.path, call].concat().try_into().ok()
    }

    fn absolute(&self, target: PathAndQuery) -> Option<Uri> {
        let builder = Uri::builder().scheme(&*self.scheme).authority(&*self.authority);
        builder.path_and_query(target).build().ok()
    }
}

/// An answer's head, and the connection that its body comes by. It is handed around on the heap, as requests are.
#[derive(Debug)]
pub struct Exchange {
    /// When the request was begun.
    pub begun: tokio::time::Instant,
    pub response: Response<Incoming>,
    pub line: Line,
}

impl Exchange {
    /// The next piece of the answer's body; `None` at its end.
    ///
    /// # Errors
    /// The body was cut.
    pub async fn data(&mut self) -> Option<Result<Bytes, hyper::Error>> {
        let Self { response, line, .. } = self;
        poll_fn(|cx| {
            loop {
                let frame = ready!(line.poll_body(response.body_mut(), cx));
                match frame.map(|frame| frame.map(Frame::into_data)) {
                    None => return Poll::Ready(None),
                    Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                    Some(Ok(Ok(piece))) => return Poll::Ready(Some(Ok(piece))),
                    // Trailers say nothing to anybody here.
                    Some(Ok(Err(_))) => {}
                }
            }
        })
        .await
    }
}

/// What upstreams share.
#[derive(Debug, Clone)]
pub struct Shared {
    pub dialer: Arc<Dialer>,
    pub tasks: TaskTracker,
}

impl Shared {
    /// For upstreams behind these proxies, if any.
    pub fn new(proxies: &ProxyVariables) -> Self {
        Self { dialer: Arc::new(Dialer::new(proxies)), tasks: TaskTracker::new() }
    }
}

impl Upstream {
    /// A provider of the user's: HTTP/2 where it is offered, and limits of ours.
    pub fn route(label: String, base: Base, trust: Trust, limits: Limits, shared: &Shared) -> Self {
        Self::new(label, base, Tls::new(trust, true), Some(limits), shared)
    }

    /// The default upstream, spoken to as Claude Code would: HTTP/1.1, and no limit of ours.
    pub fn default(label: String, base: Base, shared: &Shared) -> Self {
        Self::new(label, base, Tls::new(Trust::System, false), None, shared)
    }

    /// Checks the certificate in another way. Before the first request.
    #[must_use]
    pub fn trusting(self, trust: Trust) -> Self {
        let tls = self.tls.trusting(trust);
        Self { tls, ..self }
    }

    fn new(label: String, base: Base, tls: Tls, limits: Option<Limits>, shared: &Shared) -> Self {
        let Shared { dialer, tasks } = shared.clone();
        Self {
            label,
            base,
            tls,
            limits,
            dialer,
            tasks,
            idle: Mutex::default(),
            counting: Counting::default(),
        }
    }

    pub fn label(&self) -> &str {
        &self.label
    }

    /// Nothing new begins any more: what still runs is about to be cut.
    pub(in crate::router) fn is_stopping(&self) -> bool {
        self.tasks.is_closed()
    }

    /// What is known of its `count_tokens`.
    pub(in crate::router) fn counting(&self) -> &Counting {
        &self.counting
    }

    pub fn limits(&self) -> Option<&Limits> {
        self.limits.as_ref()
    }

    /// Sends a request (its path and query are `call`), and waits for the answer's head.
    ///
    /// A request of which nothing was sent, because the peer had just closed an idle connection, goes out on a new
    /// one; that is the only second try there is.
    ///
    /// # Errors
    /// No connection, no answer, or none in time.
    pub async fn send(&self, mut request: Outgoing, call: &str) -> Result<Box<Exchange>, Error> {
        let begun = tokio::time::Instant::now();
        loop {
            let (mut line, used) = match self.take_idle() {
                Some(line) => (line, true),
                // On the heap: it is rare, and large.
                None => (Box::pin(self.connect()).await?, false),
            };
            self.address(&mut request, call, &line)?;
            match line.send(request).await {
                Ok(response) => return Ok(Box::new(Exchange { begun, response, line })),
                Err(mut failed) => match failed.take_message() {
                    Some(unsent) if used => request = Box::new(unsent),
                    _ => return Err(self.broken(&failed.into_error())),
                },
            }
        }
    }

    /// The same, within the limits of the answer's head.
    ///
    /// # Errors
    /// As [`Self::send`], or nothing came in time.
    pub(in crate::router) async fn send_in_time(
        &self,
        request: Outgoing,
        call: &str,
    ) -> Result<Box<Exchange>, Error> {
        let limits = self.limits.map(|limits| [("first_byte", limits.first_byte), ("total", limits.total)]);
        let limits = limits.into_iter().flatten().filter_map(|(name, limit)| Some((name, limit?)));
        let Some((setting, limit)) = limits.min_by_key(|(_, limit)| *limit) else {
            return self.send(request, call).await;
        };
        let sent = Box::pin(tokio::time::timeout(limit, self.send(request, call))).await;
        sent.unwrap_or_else(|_| {
            Err(Error::Silent { route: self.label.clone(), setting, seconds: limit.as_secs() })
        })
    }

    /// Opens a connection and lets it go: is anybody there, by the way that requests would take?
    ///
    /// # Errors
    /// Why not; it names no address and no credential.
    pub async fn reach(&self) -> Result<(), String> {
        self.open().await.map(drop).map_err(|error| reason(&error))
    }

    /// Gives a connection back whose answer is read to its end, if it can take another request.
    pub(in crate::router) fn give_back(&self, mut line: Line) {
        if !line.is_http2() && line.ready() {
            self.put_back(line);
        }
    }

    /// Keeps a connection for the next request.
    pub fn put_back(&self, line: Line) {
        let now = Instant::now();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // The last used is used first, so the oldest stand in front.
        while idle.front().is_some_and(|(_, since)| now.duration_since(*since) >= IDLE_FOR) {
            idle.pop_front();
        }
        if idle.len() < IDLE {
            idle.push_back((line, now));
        }
    }

    fn take_idle(&self) -> Option<Line> {
        loop {
            let (mut line, since) = self.pop_idle()?;
            if since.elapsed() < IDLE_FOR && line.ready() {
                if let Some(shared) = line.share() {
                    self.put_back(shared);
                }
                return Some(line);
            }
        }
    }

    fn pop_idle(&self) -> Option<(Line, Instant)> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop_back()
    }

    async fn connect(&self) -> Result<Line, Error> {
        let line = self.open().await.map_err(|error| self.unreachable(&error))?;
        if let Some(shared) = line.share() {
            self.put_back(shared);
        }
        Ok(line)
    }

    async fn open(&self) -> std::io::Result<Line> {
        let open = async {
            let dialled = self.dialer.dial(&self.base.uri, &self.tls).await?;
            Line::open(dialled, &self.tasks).await.map_err(std::io::Error::other)
        };
        let Some(limits) = self.limits else { return open.await };
        tokio::time::timeout(limits.connect, open).await.unwrap_or_else(|_| {
            Err(std::io::Error::other(format!("nobody answered within {} s", limits.connect.as_secs())))
        })
    }

    /// Writes the target and the `Host` as this connection wants them.
    fn address(&self, request: &mut Request<Box<RequestBody>>, call: &str, line: &Line) -> Result<(), Error> {
        let target = self.base.target(call);
        let absolute = line.is_http2() || line.proxy().is_some();
        let uri = target.and_then(|t| if absolute { self.base.absolute(t) } else { Some(Uri::from(t)) });
        *request.uri_mut() = uri.ok_or(Error::Refused("the request's path is no URL's path".to_owned()))?;
        let headers = request.headers_mut();
        if line.is_http2() {
            headers.remove(HOST);
            *request.version_mut() = Version::HTTP_2;
            return Ok(());
        }
        headers.insert(HOST, self.base.host.clone());
        if let Some(login) = line.proxy().and_then(|proxy| proxy.0.clone()) {
            headers.insert(PROXY_AUTHORIZATION, login);
        }
        *request.version_mut() = Version::HTTP_11;
        Ok(())
    }

    fn unreachable(&self, error: &std::io::Error) -> Error {
        // Nobody listens: on a route, a person at a terminal wants to know at once. The default upstream's client
        // decides for itself, as it would without us.
        let again = self.limits.is_none() || error.kind() != std::io::ErrorKind::ConnectionRefused;
        Error::Unreachable { route: self.label.clone(), reason: reason(error), again }
    }

    fn broken(&self, error: &hyper::Error) -> Error {
        Error::Broken { route: self.label.clone(), reason: reason(error) }
    }
}

/// An error with what caused it. Neither hyper nor the system puts an address into these.
pub(in crate::router) fn reason(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut parts: Vec<String> = Vec::new();
    for cause in causes.map(ToString::to_string) {
        if !parts.iter().any(|part| part.contains(&cause)) {
            parts.push(cause);
        }
    }
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r4_a_bases_own_path_stays_and_its_last_slash_goes() {
        for (base, call, want) in [
            ("http://h:1", "/v1/messages?beta=true", "/v1/messages?beta=true"),
            ("http://h:1/", "/v1/messages", "/v1/messages"),
            ("https://h/api/anthropic/", "/v1/messages", "/api/anthropic/v1/messages"),
            ("https://h/a//", "/x%20y", "/a/x%20y"),
        ] {
            let target = base.parse::<Base>().unwrap().target(call).unwrap();
            assert_eq!(target.as_str(), want, "{base} {call}");
        }
    }

    #[test]
    fn what_is_no_base_url_is_refused() {
        for text in ["", "h:1", "ftp://h", "http://", "http://u:p@h", "http://h?x=1", "/v1"] {
            assert!(text.parse::<Base>().is_err(), "{text}");
        }
    }
}
