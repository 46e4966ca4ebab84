//! One request, end to end: the eight steps, in their order.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, Version};

use super::account::Account;
use super::admit::{Admitted, admit};
use super::caller::Caller;
use super::choose::{Ask, Choice};
use super::error::Error;
use super::forward::{Credential, Exchange, Upstream, strip_hop_by_hop, strip_request};
use super::gate;
use super::meter::{DEFAULT_ROUTE, Flight, Meter};
use super::pass::{Pass, Passes};
use super::peek::{BodyWatch, Peeked, RequestBody, discard};
use super::purpose::{Purpose, path_of};
use super::record::{CallerHeaders, Outcome, Record};
use super::relay::{ControlBody, Relay, Reply};
use super::tap::Tap;
use super::vigil::Vigil;
use crate::config::{Price, RouteId, WireId};

/// What answers below `/.subagents/`. It checks a token of its own; the router knows nothing of it.
pub trait Control: Send + Sync {
    /// `path` is what follows `/.subagents/`.
    fn call<'a>(
        &'a self,
        path: &'a str,
        request: Request<Incoming>,
    ) -> Pin<Box<dyn Future<Output = Response<ControlBody>> + Send + 'a>>;
}

/// A route, ready to be used.
#[derive(Debug)]
pub struct Destination {
    pub upstream: Arc<Upstream>,
    pub credential: Credential,
    /// The provider's own name of the model, as a JSON string with its quotes.
    pub model: Bytes,
    pub price: Option<Price>,
}

/// All that a request meets.
pub struct Service {
    pub passes: Arc<Passes>,
    pub port: u16,
    pub default: Arc<Upstream>,
    pub routes: HashMap<RouteId, Destination>,
    pub meter: Arc<Meter>,
    pub control: Option<Arc<dyn Control>>,
    /// Bytes.
    pub body_limit: u64,
}

/// A request as far as it was read. Boxed: each future that it is handed to would have room for it.
struct Inbound {
    pass: Arc<Pass>,
    /// Path and query, without the token's prefix.
    call: String,
    purpose: Purpose,
    caller: CallerHeaders,
    parts: Parts,
    body: Peeked,
}

impl Inbound {
    /// What is sent on.
    fn open(self: Box<Self>) -> (String, Parts, Peeked) {
        (self.call, self.parts, self.body)
    }

    fn model(&self) -> Option<&str> {
        self.body.model.as_ref().map(|model| model.text.as_str())
    }
}

/// Step 3's result with all that later steps need of it.
struct Way<'a> {
    /// `None`: the default upstream.
    route: Option<&'a Destination>,
    /// The provider's own name of the model; `None`: as the client wrote it.
    model: Option<&'a str>,
    /// How the route is named: the upstream's label.
    label: &'a str,
    agent: String,
    stray: bool,
}

impl Way<'_> {
    fn default(agent: String) -> Self {
        Self { route: None, model: None, label: DEFAULT_ROUTE, agent, stray: false }
    }
}

impl Service {
    /// Never fails: an error is an answer too.
    pub async fn handle(&self, request: Request<Incoming>) -> Response<Reply> {
        match self.answer(request).await {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(status = error.status().as_u16(), %error, "answered by the router");
                error.response().map(|body| Reply::Own(Full::new(body)))
            }
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Reply>, Error> {
        // 1. admit
        let (pass, call) = match admit(&request, self.port, &self.passes) {
            Ok(Admitted::Probe) => return Ok(probe(request.method())),
            Ok(Admitted::Control(path)) => return self.control(&path, request).await,
            Ok(Admitted::Call(pass, call)) => (pass, call),
            Err(error) => return Err(self.refuse(request.into_body(), error).await),
        };
        // 2. peek, at no more than the gate lets in
        let mut inbound = self.peek(pass, call, request).await?;
        // 3. choose
        let mut way = match self.choose(&inbound) {
            Ok(way) => way,
            Err(error) => return Err(self.refuse(inbound.body.into_rest(), error).await),
        };
        if way.route.is_some() && inbound.purpose == Purpose::Count {
            return Box::pin(self.count(&way, inbound)).await;
        }
        let pass = Arc::clone(&inbound.pass);
        // 4. a child's budget; limits of a route (concurrency, context window) would stand here too.
        if inbound.purpose == Purpose::Message
            && let Err(error) = pass.purse.draw()
        {
            return Err(self.refuse(inbound.body.into_rest(), error).await);
        }
        // 5. begin
        let mut flight = self.begin(&mut way, &mut inbound);
        // 6. forward
        let exchange = match self.forward(&way, inbound, flight.as_mut()).await {
            Ok((exchange, _)) => exchange,
            Err(error) => {
                // A client that hung up within its own body has nobody to blame: dropped, it is cancelled.
                if let Some(flight) = flight.filter(|_| !error.is_hang_up()) {
                    fail(flight, &error);
                }
                return Err(error);
            }
        };
        if let Some(flight) = &mut flight {
            pass.callers.spoke(flight.record());
        }
        // 7. stream back; 8. finish, when the body ends
        Ok(self.stream(&way, exchange, flight))
    }

    async fn control(&self, path: &str, request: Request<Incoming>) -> Result<Response<Reply>, Error> {
        let Some(control) = &self.control else {
            return Err(self.refuse(request.into_body(), Error::Token).await);
        };
        Ok(control.call(path, request).await.map(Reply::Control))
    }

    /// Lets the client send its body to the end, so that it reads our answer.
    async fn refuse(&self, body: Incoming, error: Error) -> Error {
        Box::pin(discard(body, self.body_limit)).await;
        error
    }

    /// What no route can get is not for us to read, nor is a body that is compressed.
    async fn peek(
        &self,
        pass: Arc<Pass>,
        call: String,
        request: Request<Incoming>,
    ) -> Result<Box<Inbound>, Error> {
        let caller = CallerHeaders::read(request.headers());
        let (parts, body) = request.into_parts();
        if let Err(error) = gate::size(&parts.headers, self.body_limit) {
            return Err(self.refuse(body, error).await);
        }
        let purpose = Purpose::of(&parts.method, &call);
        let unread = purpose == Purpose::Other || body.is_end_stream() || encoded(&parts.headers);
        let body = if unread { Peeked::unread(body) } else { Peeked::read(body, self.body_limit).await? };
        Ok(Box::new(Inbound { pass, call, purpose, caller, parts, body }))
    }

    fn choose(&self, inbound: &Inbound) -> Result<Way<'_>, Error> {
        let pass = &inbound.pass;
        let caller = pass.callers.find(&inbound.caller);
        if inbound.purpose == Purpose::Other {
            return Ok(Way::default(name(&caller, None, pass)));
        }
        let main_models = pass.callers.main_models();
        let ask = Ask {
            model: inbound.model(),
            caller: &caller,
            // Only a turn can be a stray: a count asks for nothing.
            class: inbound.caller.class.as_deref().filter(|_| inbound.purpose == Purpose::Message),
            main_models: &main_models,
        };
        let model = inbound.model().unwrap_or_default();
        match pass.table.choose(&ask) {
            Choice::Default { stray } => {
                if stray.is_some() {
                    self.meter.stray(stray.as_deref(), model, false);
                }
                Ok(Way { stray: stray.is_some(), ..Way::default(name(&caller, None, pass)) })
            }
            Choice::Route { route, agent } => {
                if let (Caller::Main, Some(binding)) = (&caller, pass.table.binding(model)) {
                    pass.callers.main_runs_on(&binding.wire);
                }
                let unknown = || Error::Refused(format!("{route}: the router has no such route"));
                let (route, destination) = self.routes.get_key_value(&route).ok_or_else(unknown)?;
                Ok(Way {
                    route: Some(destination),
                    model: Some(route.model()),
                    agent: name(&caller, agent.as_deref(), pass),
                    label: destination.upstream.label(),
                    stray: false,
                })
            }
            Choice::Refused(refusal) => {
                self.meter.stray(refusal.agent.as_deref(), model, true);
                Err(Error::Refused(refusal.message))
            }
        }
    }

    /// The route's own count of tokens, or an estimate where it has none.
    async fn count(&self, way: &Way<'_>, inbound: Box<Inbound>) -> Result<Response<Reply>, Error> {
        self.meter.other(&way.agent, way.label);
        let upstream = way.route.map_or(&self.default, |route| &route.upstream);
        let Some(turn) = upstream.counting().turn().await else {
            let bytes = inbound.body.drain(self.body_limit).await;
            return Ok(upstream.counting().estimate(bytes));
        };
        let announced = inbound.body.length().unwrap_or_default();
        let (exchange, watch) = self.forward(way, inbound, None).await?;
        let answer = self.stream(way, exchange, None);
        Ok(upstream.counting().judge(turn, answer, announced.max(watch.bytes())).await)
    }

    /// Counts the request in, if it is inference.
    fn begin(&self, way: &mut Way<'_>, inbound: &mut Inbound) -> Option<Flight> {
        if inbound.purpose != Purpose::Message {
            self.meter.other(&way.agent, way.label);
            return None;
        }
        let record = Record {
            at: jiff::Timestamp::now().as_millisecond(),
            caller: std::mem::take(&mut inbound.caller),
            agent: std::mem::take(&mut way.agent),
            route: way.label.to_owned(),
            wire_model: inbound.model().map(str::to_owned),
            upstream_model: way.model.or(inbound.model()).map(str::to_owned),
            effort: None,
            path: path_of(&inbound.call).to_owned(),
            status: None,
            outcome: Outcome::Cancelled,
            blame: None,
            bytes_in: 0,
            bytes_out: 0,
            ttfb: None,
            total: 0,
            stop_reason: None,
            usage: super::tap::Usage::default(),
            price: way.route.and_then(|route| route.price),
            cost: None,
            stray: way.stray,
        };
        Some(self.meter.begin(record, Arc::clone(&inbound.pass.purse)))
    }

    async fn forward(
        &self,
        way: &Way<'_>,
        inbound: Box<Inbound>,
        flight: Option<&mut Flight>,
    ) -> Result<(Exchange, Arc<BodyWatch>), Error> {
        let (call, mut parts, body) = inbound.open();
        strip_request(&mut parts.headers);
        let body = self.body(way, body, &mut parts.headers);
        let watch = body.watch();
        let upstream = way.route.map_or(&self.default, |route| &route.upstream);
        let sent = upstream.send(Request::from_parts(parts, body), &call);
        let sent = match upstream.limits().and_then(|limits| limits.first_byte) {
            None => sent.await,
            Some(limit) => tokio::time::timeout(limit, sent).await.unwrap_or_else(|_| {
                let route = way.label.to_owned();
                Err(Error::Silent { route, setting: "first_byte", seconds: limit.as_secs() })
            }),
        };
        if let Some(flight) = flight {
            let record = flight.record();
            (record.bytes_in, record.effort) = (watch.bytes(), watch.effort());
        }
        let error = match (sent, watch.fault()) {
            (Ok(exchange), _) => match redirect(way, &exchange) {
                None => return Ok((exchange, watch)),
                Some(error) => error,
            },
            (Err(_), Some(fault)) => Error::Body { route: way.label.to_owned(), fault },
            (Err(error), None) => error,
        };
        match watch.take_unread() {
            Some(rest) => Err(self.refuse(rest, error).await),
            None => Err(error),
        }
    }

    /// On a route: the provider's model and credential, and nobody's user id. Elsewhere: nothing changes.
    fn body(&self, way: &Way<'_>, peeked: Peeked, headers: &mut HeaderMap) -> Box<RequestBody> {
        let Some(route) = way.route else { return peeked.pass(self.body_limit) };
        route.credential.apply(headers);
        let Some(model) = peeked.model.clone() else { return peeked.pass(self.body_limit) };
        let body = peeked.splice(&model, &route.model, self.body_limit);
        if let (Some(length), true) = (body.length(), headers.contains_key(CONTENT_LENGTH)) {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        body
    }

    fn stream(&self, way: &Way<'_>, exchange: Exchange, flight: Option<Flight>) -> Response<Reply> {
        let Exchange { response, line } = exchange;
        let (mut parts, body) = response.into_parts();
        let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let (kind, coding) = (text(CONTENT_TYPE), text(CONTENT_ENCODING));
        let status = parts.status.as_u16();
        let upstream = way.route.map_or(&self.default, |route| &route.upstream);
        let pace = || upstream.counting().pace();
        let account =
            flight.map(|flight| Account::new(flight, Tap::new(kind, coding), status, &parts.headers, pace()));
        let vigil = upstream.limits().map(|limits| {
            let events = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
            let open = coding.is_none() && body.size_hint().exact().is_none();
            Vigil::new(limits.idle, events && open && parts.status.is_success())
        });
        strip_hop_by_hop(&mut parts.headers);
        parts.version = Version::HTTP_11;
        let relay = Relay::new(body, line, Arc::clone(upstream), account, vigil);
        Response::from_parts(parts, Reply::Relayed(Box::new(relay)))
    }
}

/// A route's redirect is an error: a client that follows it would send the prompt, and headers of its own that the
/// route never gets, to an address that nobody configured. On the default upstream it is the client's own affair.
fn redirect(way: &Way<'_>, exchange: &Exchange) -> Option<Error> {
    let redirects = way.route.is_some() && exchange.response.status().is_redirection();
    redirects.then(|| Error::Redirects { route: way.label.to_owned() })
}

/// An agent's name comes from its hook, else from the wire id.
fn name(caller: &Caller, wire: Option<&str>, pass: &Pass) -> String {
    match (caller, wire) {
        (Caller::Agent { name, .. }, _) => name.clone(),
        (Caller::Main, None | Some(WireId::MAIN)) => pass.name.clone(),
        (Caller::Main | Caller::Unknown, Some(agent)) => agent.to_owned(),
        (Caller::Unknown, None) => "unknown".to_owned(),
    }
}

fn encoded(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity")
}

fn fail(mut flight: Flight, error: &Error) {
    let status = error.status();
    flight.record().status = Some(status.as_u16());
    flight.record().blame = Some(error.blame());
    let outcome = if status.is_client_error() { Outcome::ClientError } else { Outcome::UpstreamError };
    flight.finish(outcome);
}

/// Connectivity probes want to know that something is here.
fn probe(method: &Method) -> Response<Reply> {
    let body = if method == Method::HEAD { Bytes::new() } else { Bytes::from_static(b"{}") };
    let mut response = Response::new(Reply::Own(Full::new(body)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
