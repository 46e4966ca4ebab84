//! One provider, asked directly: over the router's own connections, with its TLS, proxies, limits and key.
//!
//! Follows no redirect, keeps no more of an answer than its limit, and tells nobody the key, not even where the
//! provider repeats it in an error.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use hyper::{Method, Request, StatusCode};
use serde_json::Value;

use super::Fault;
use super::complaint::Complaint;
use crate::config::{Auth, Provider, Secret, Timeouts};
use crate::router::peek::RequestBody;
use crate::router::{Base, Credential, Exchange, Limits, Shared, Trust, Upstream};

/// We never say that we are another product.
const AGENT: &str = concat!("subagents/", env!("CARGO_PKG_VERSION"));

const VERSION: (HeaderName, HeaderValue) =
    (HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));

/// Bytes of a whole answer.
const ANSWER_LIMIT: usize = 8 * 1024 * 1024;

/// Characters of what a provider says in an error.
const TOLD_LIMIT: usize = 300;

/// Characters. What is shorter keeps nobody out, and stands in many words.
const SHORTEST_KEY: usize = 4;

pub struct Client {
    upstream: Upstream,
    credential: Credential,
    kind: &'static str,
    secret: Option<Secret>,
    timeouts: Timeouts,
    /// The base URL's own path, for messages.
    path: String,
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    /// Without its parameters, in lower case.
    pub media_type: String,
    pub body: Bytes,
    /// Where it came from, after the host.
    pub path: String,
}

/// An answer whose body is still to come.
pub struct Stream<'a> {
    client: &'a Client,
    exchange: Box<Exchange>,
    path: String,
}

impl Client {
    /// Speaks to `base_url` as this provider is spoken to, with the key in `auth`'s way.
    ///
    /// # Errors
    /// The address or the key can't be used.
    pub fn new(
        provider: &Provider,
        base_url: &str,
        auth: &Auth,
        secret: Option<&Secret>,
        shared: &Shared,
    ) -> Result<Self, Fault> {
        let base: Base = base_url.parse()?;
        let credential = match secret {
            Some(secret) => Credential::of(auth, secret)?,
            None => Credential::none(),
        };
        let path = base_url.parse::<hyper::Uri>().map(|uri| uri.path().trim_end_matches('/').to_owned());
        let label = provider.name.to_string();
        Ok(Self {
            upstream: Upstream::route(
                label,
                base,
                Trust::of(provider),
                Limits::of(provider.timeouts),
                shared,
            ),
            credential,
            kind: auth.kind(),
            secret: secret.cloned(),
            timeouts: provider.timeouts,
            path: path.unwrap_or_default(),
        })
    }

    /// Opens a connection and lets it go.
    ///
    /// # Errors
    /// Nobody is there, or it can't be trusted.
    pub async fn reach(&self) -> Result<(), Fault> {
        self.upstream.reach().await.map_err(Fault::of_reason)
    }

    /// The whole answer to a GET; `patience` is for its head, where the provider has no limit of its own.
    ///
    /// # Errors
    /// No answer, a redirect, or more than fits. An answer of any other status is one.
    pub async fn get(&self, call: &str, patience: Duration) -> Result<Answer, Fault> {
        self.begin(Method::GET, call, Bytes::new(), patience).await?.collect().await
    }

    /// The same for a POST of JSON.
    pub async fn post(&self, call: &str, body: &Value, patience: Duration) -> Result<Answer, Fault> {
        self.open(call, body, patience).await?.collect().await
    }

    /// An answer to a POST, as it comes.
    pub async fn open(&self, call: &str, body: &Value, patience: Duration) -> Result<Stream<'_>, Fault> {
        self.begin(Method::POST, call, body.to_string().into(), patience).await
    }

    async fn begin(
        &self,
        method: Method,
        call: &str,
        body: Bytes,
        patience: Duration,
    ) -> Result<Stream<'_>, Fault> {
        let limit = self.timeouts.first_byte.unwrap_or(patience);
        let sent = self.upstream.send(Box::new(self.request(method, body)), call);
        let exchange = within(limit, "timeouts.first_byte", sent).await?.map_err(Fault::of_router)?;
        let status = exchange.response.status();
        if status.is_redirection() {
            return Err(Fault::Redirects { status: status.as_u16() });
        }
        let path = call.split('?').next().unwrap_or_default();
        Ok(Stream { client: self, exchange, path: format!("{}{path}", self.path) })
    }

    fn request(&self, method: Method, body: Bytes) -> Request<Box<RequestBody>> {
        let has_body = !body.is_empty();
        let mut request = Request::new(Box::new(RequestBody::own(body)));
        *request.method_mut() = method;
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(VERSION.0, VERSION.1);
        if has_body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        self.credential.apply(headers);
        request
    }

    /// What an error says, in few words and without the key.
    fn told(&self, text: &str) -> String {
        let text = match &self.secret {
            Some(secret) if secret.expose().len() >= SHORTEST_KEY => {
                text.replace(secret.expose(), "[the key]")
            }
            _ => text.to_owned(),
        };
        let text = text.trim();
        match text.char_indices().nth(TOLD_LIMIT) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None if text.is_empty() => "it said nothing".to_owned(),
            None => text.to_owned(),
        }
    }

    /// The JSON of an answer that is a success and no error in disguise.
    ///
    /// # Errors
    /// By kind: the key refused, nothing there, a web page, an error, no JSON.
    pub fn json(&self, answer: &Answer) -> Result<Value, Fault> {
        let status = answer.status.as_u16();
        let value: Option<Value> = serde_json::from_slice(&answer.body).ok();
        let complaint = value.as_ref().and_then(Complaint::of);
        if !answer.status.is_success() {
            return Err(self.refusal(answer, complaint.as_ref()));
        }
        if let Some(complaint) = &complaint {
            return Err(self.in_disguise(status, complaint));
        }
        value.ok_or(if answer.is_page() { Fault::Page { status } } else { Fault::NoJson { status } })
    }

    /// What a complaint means that came with a success.
    pub(super) fn in_disguise(&self, status: u16, complaint: &Complaint) -> Fault {
        let told = self.told(complaint.told());
        match complaint {
            Complaint::Overload(_) => Fault::Overloaded { status, told },
            Complaint::Error(_) => Fault::ErrorBody { status, told },
        }
    }

    fn refusal(&self, answer: &Answer, complaint: Option<&Complaint>) -> Fault {
        let (status, page) = (answer.status.as_u16(), answer.is_page());
        let told = || match complaint {
            Some(complaint) => self.told(complaint.told()),
            None => self.told(&String::from_utf8_lossy(&answer.body)),
        };
        match status {
            401 | 403 if page => {
                Fault::Denied { status, kind: self.kind, told: "a web page came with it".into() }
            }
            401 | 403 => Fault::Denied { status, kind: self.kind, told: told() },
            404 | 405 => Fault::Missing { status, path: answer.path.clone() },
            _ if page => Fault::Page { status },
            _ => Fault::Refused { status, told: told() },
        }
    }
}

impl Answer {
    fn is_page(&self) -> bool {
        self.media_type.contains("html") || self.body.trim_ascii_start().starts_with(b"<")
    }
}

impl Stream<'_> {
    pub fn status(&self) -> StatusCode {
        self.exchange.response.status()
    }

    /// Where it comes from, after the host.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A header's value, where it is text.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.exchange.response.headers().get(name)?.to_str().ok()
    }

    /// Without its parameters, in lower case.
    pub fn media_type(&self) -> String {
        let value = self.header(&CONTENT_TYPE).unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_lowercase()
    }

    /// The next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// The body was cut, or nothing came in time.
    pub async fn data(&mut self) -> Result<Option<Bytes>, Fault> {
        let piece = within(self.client.timeouts.idle, "timeouts.idle", self.exchange.data()).await?;
        piece.transpose().map_err(|error| Fault::Cut { reason: error.to_string() })
    }

    /// The rest, whole.
    ///
    /// # Errors
    /// It was cut, it is silent, or it is too large.
    pub async fn collect(mut self) -> Result<Answer, Fault> {
        let mut body = BytesMut::new();
        while let Some(piece) = self.data().await? {
            if body.len() + piece.len() > ANSWER_LIMIT {
                return Err(Fault::TooLarge { limit: ANSWER_LIMIT });
            }
            body.extend_from_slice(&piece);
        }
        let (status, media_type) = (self.status(), self.media_type());
        self.client.upstream.put_back(self.exchange.line);
        Ok(Answer { status, media_type, body: body.freeze(), path: self.path })
    }
}

async fn within<T>(
    limit: Duration,
    setting: &'static str,
    future: impl Future<Output = T>,
) -> Result<T, Fault> {
    let silent = |_| Fault::Silent { seconds: limit.as_secs_f64(), setting };
    tokio::time::timeout(limit, future).await.map_err(silent)
}
