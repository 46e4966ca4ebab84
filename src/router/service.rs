//! One request, end to end: the eight steps, in their order.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response};

use super::admit::{Admitted, admit};
use super::answer::Answer;
use super::caller::Caller;
use super::choose::{Ask, Choice};
use super::destination::Destination;
use super::error::Error;
use super::forward::{Exchange, Outgoing, Upstream, strip_request};
use super::gate::{self, Allowances};
use super::late::LateFailures;
use super::meter::{DEFAULT_ROUTE, Flight, Meter};
use super::models;
use super::pass::{Pass, Passes};
use super::peek::{BodyWatch, Peeked, discard};
use super::pulse::Pulse;
use super::purpose::{Purpose, path_of};
use super::record::{CallerHeaders, Record};
use super::relay::{ControlBody, Reply};
use super::trip::{self, Trip};
use crate::config::{RouteId, WireId};

/// What answers below `/.subagents/`. It checks a token of its own; the router knows nothing of it.
pub trait Control: Send + Sync {
    /// `path` is what follows `/.subagents/`.
    fn call<'a>(
        &'a self,
        path: &'a str,
        request: Request<Incoming>,
    ) -> Pin<Box<dyn Future<Output = Response<ControlBody>> + Send + 'a>>;
}

/// All that a request meets.
pub struct Service {
    pub passes: Arc<Passes>,
    pub port: u16,
    pub default: Arc<Upstream>,
    pub routes: HashMap<RouteId, Arc<Destination>>,
    pub allowances: Arc<Allowances>,
    pub meter: Arc<Meter>,
    pub control: Option<Arc<dyn Control>>,
    /// Bytes.
    pub body_limit: u64,
    pub late: LateFailures,
    pub pulse: Pulse,
}

/// A request as far as it was read. Boxed: each future that it is handed to would have room for it.
pub(super) struct Inbound {
    pub(super) pass: Arc<Pass>,
    /// Path and query, without the token's prefix.
    pub(super) call: String,
    pub(super) purpose: Purpose,
    pub(super) caller: Arc<CallerHeaders>,
    pub(super) parts: Parts,
    pub(super) body: Peeked,
}

impl Inbound {
    pub(super) fn model(&self) -> Option<&str> {
        self.body.model.as_ref().map(|model| model.text.as_str())
    }

    /// The request for the default upstream, and its path and query.
    fn as_it_came(self: Box<Self>, limit: u64) -> (Outgoing, String) {
        let Self { call, mut parts, body, .. } = *self;
        strip_request(&mut parts.headers);
        (Box::new(Request::from_parts(parts, body.pass(limit))), call)
    }
}

/// Step 3's result with all that later steps need of it.
enum Way {
    Default { agent: String, stray: bool },
    Route { to: Arc<Destination>, agent: String },
}

impl Service {
    /// Never fails: an error is an answer too. The request comes on the heap: each future that it is handed to would have
    /// room for it, twice.
    pub async fn handle(self: &Arc<Self>, request: Box<Request<Incoming>>) -> Response<Reply> {
        match self.answer(request).await {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(status = error.status().as_u16(), %error, "answered by the router");
                error.response().map(|body| Reply::Own(Full::new(body)))
            }
        }
    }

    async fn answer(self: &Arc<Self>, request: Box<Request<Incoming>>) -> Result<Response<Reply>, Error> {
        // 1. admit
        let (pass, call) = match admit(&request, self.port, &self.passes) {
            Ok(Admitted::Probe) => return Ok(probe(request.method())),
            Ok(Admitted::Control(path)) => return Box::pin(self.control(&path, *request)).await,
            Ok(Admitted::Call(pass, call)) => (pass, call),
            Err(error) => return Err(self.refuse(request.into_body(), error).await),
        };
        if Purpose::of(request.method(), &call) == Purpose::Models
            && let Some(names) = pass.table.names()
        {
            let query = request.uri().query().unwrap_or_default();
            return Ok(json(models::page(&names, query).into()));
        }
        // 2. peek, at no more than the gate lets in
        let inbound = self.peek(pass, call, request).await?;
        // 3. choose
        let way = match self.choose(&inbound) {
            Ok(way) => way,
            Err(error) => return Err(self.refuse(inbound.body.into_rest(), error).await),
        };
        match way {
            Way::Default { agent, stray } => {
                let inbound = self.draw(inbound).await?;
                self.pass_on(inbound, agent, stray).await
            }
            Way::Route { to, agent } => {
                let counts = inbound.purpose == Purpose::Count;
                let trip = Trip { service: Arc::clone(self), inbound, to, agent };
                if counts { Box::pin(trip.count()).await } else { trip.answer().await }
            }
        }
    }

    /// 4. A child's budget; a route's own gates are on the way to it.
    pub(super) async fn draw(&self, inbound: Box<Inbound>) -> Result<Box<Inbound>, Error> {
        if inbound.purpose == Purpose::Message
            && let Err(error) = inbound.pass.purse.draw()
        {
            return Err(self.refuse(inbound.body.into_rest(), error).await);
        }
        Ok(inbound)
    }

    /// Steps 5 to 8 on the default upstream: everything as it came, both ways.
    async fn pass_on(
        &self,
        mut inbound: Box<Inbound>,
        agent: String,
        stray: bool,
    ) -> Result<Response<Reply>, Error> {
        let pass = Arc::clone(&inbound.pass);
        let mut flight = self.begin(&mut inbound, agent, stray);
        let exchange = match self.forward(inbound, flight.as_mut()).await {
            Ok(exchange) => exchange,
            Err(error) => {
                if let Some(flight) = flight {
                    trip::fail(flight, &error);
                }
                return Err(error);
            }
        };
        if let Some(flight) = &mut flight {
            pass.callers.spoke(flight.record());
        }
        Ok(Answer::of_default(&self.default, flight).relay(exchange))
    }

    async fn control(&self, path: &str, request: Request<Incoming>) -> Result<Response<Reply>, Error> {
        let Some(control) = &self.control else {
            return Err(self.refuse(request.into_body(), Error::Token).await);
        };
        Ok(control.call(path, request).await.map(Reply::Control))
    }

    /// Lets the client send its body to the end, so that it reads our answer.
    pub(super) async fn refuse(&self, body: Incoming, error: Error) -> Error {
        Box::pin(discard(body, self.body_limit)).await;
        error
    }

    /// What no route can get is not for us to read, nor is a body that is compressed.
    async fn peek(
        &self,
        pass: Arc<Pass>,
        call: String,
        request: Box<Request<Incoming>>,
    ) -> Result<Box<Inbound>, Error> {
        let caller = Arc::new(CallerHeaders::read(request.headers()));
        let (parts, body) = request.into_parts();
        if let Err(error) = gate::size(&parts.headers, self.body_limit) {
            return Err(self.refuse(body, error).await);
        }
        let purpose = Purpose::of(&parts.method, &call);
        let unread = matches!(purpose, Purpose::Other | Purpose::Models)
            || body.is_end_stream()
            || encoded(&parts.headers);
        let body = if unread { Peeked::unread(body) } else { Peeked::read(body, self.body_limit).await? };
        Ok(Box::new(Inbound { pass, call, purpose, caller, parts, body }))
    }

    fn choose(&self, inbound: &Inbound) -> Result<Way, Error> {
        let pass = &inbound.pass;
        let caller = pass.callers.find(&inbound.caller);
        if matches!(inbound.purpose, Purpose::Other | Purpose::Models) {
            return Ok(Way::Default { agent: name(&caller, None, pass), stray: false });
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
                Ok(Way::Default { agent: name(&caller, None, pass), stray: stray.is_some() })
            }
            Choice::Route { route, agent } => {
                if let (Caller::Main, Some(binding)) = (&caller, pass.table.binding(model)) {
                    pass.callers.main_runs_on(&binding.wire);
                }
                let unknown = || Error::Refused(format!("{route}: the router has no such route"));
                let to = self.routes.get(&route).ok_or_else(unknown)?;
                Ok(Way::Route { to: Arc::clone(to), agent: name(&caller, agent.as_deref(), pass) })
            }
            Choice::Refused(refusal) => {
                self.meter.stray(refusal.agent.as_deref(), model, true);
                Err(Error::Refused(refusal.message))
            }
        }
    }

    /// Counts the request in, if it is inference.
    fn begin(&self, inbound: &mut Inbound, agent: String, stray: bool) -> Option<Flight> {
        if inbound.purpose != Purpose::Message {
            self.meter.other(&agent, DEFAULT_ROUTE);
            return None;
        }
        let record = Record {
            at: jiff::Timestamp::now().as_millisecond(),
            caller: Arc::clone(&inbound.caller),
            agent,
            route: DEFAULT_ROUTE.to_owned(),
            wire_model: inbound.model().map(str::to_owned),
            upstream_model: inbound.model().map(str::to_owned),
            path: path_of(&inbound.call).to_owned(),
            stray,
            ..Record::default()
        };
        Some(self.meter.begin(record, Arc::clone(&inbound.pass.purse)))
    }

    async fn forward(
        &self,
        inbound: Box<Inbound>,
        flight: Option<&mut Flight>,
    ) -> Result<Box<Exchange>, Error> {
        let watch = inbound.body.watch();
        let (request, call) = inbound.as_it_came(self.body_limit);
        let sent = self.default.send(request, &call).await;
        if let Some(flight) = flight {
            let record = flight.record();
            (record.bytes_in, record.effort) = (watch.bytes(), watch.effort());
        }
        let error = match sent {
            Ok(exchange) => return Ok(exchange),
            Err(error) => error,
        };
        Err(Box::pin(self.failure(error, &watch, DEFAULT_ROUTE)).await)
    }

    /// Why a request has failed. Whose fault it is, its body knows best; what is still unread of it is read, so
    /// that the client reads the answer.
    pub(super) async fn failure(&self, error: Error, watch: &BodyWatch, route: &str) -> Error {
        let error = match watch.fault() {
            Some(fault) => Error::Body { route: route.to_owned(), fault },
            None => error,
        };
        match watch.take_unread() {
            Some(rest) => self.refuse(rest, error).await,
            None => error,
        }
    }
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

/// Connectivity probes want to know that something is here.
fn probe(method: &Method) -> Response<Reply> {
    json(if method == Method::HEAD { Bytes::new() } else { Bytes::from_static(b"{}") })
}

fn json(body: Bytes) -> Response<Reply> {
    let mut response = Response::new(Reply::Own(Full::new(body)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
