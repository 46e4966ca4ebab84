//! A request's way to a route: held back by its gates, tried, tried elsewhere where that is allowed, and told to a client
//! that waits for a stream that something is still on its way.

use std::sync::Arc;

use http_body_util::Full;
use hyper::header::{CONTENT_LENGTH, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response};
use tokio::time::Instant;

use super::answer::Answer;
use super::destination::Destination;
use super::early::{Going, early};
use super::error::Error;
use super::forward::{Exchange, Outgoing, strip_request};
use super::gate::{self, Order, Seat};
use super::late::Asker;
use super::meter::Flight;
use super::pass::Pass;
use super::peek::{BodyWatch, Peeked, RequestBody, Whole};
use super::purpose::path_of;
use super::record::{CallerHeaders, Outcome, Record};
use super::relay::Reply;
use super::service::{Inbound, Service};
use super::vigil::PING_AFTER;

/// A request that was chosen to go to a route.
pub(super) struct Trip {
    pub(super) service: Arc<Service>,
    pub(super) inbound: Box<Inbound>,
    pub(super) to: Arc<Destination>,
    pub(super) agent: String,
}

/// A request's body, as a try takes it.
enum Load {
    /// As it comes.
    Passing(Peeked),
    Whole(Whole),
}

/// What a try sends. On the heap: each future that it is handed to would have room for it.
struct Cargo {
    parts: Parts,
    load: Load,
}

impl Cargo {
    fn new(parts: Parts, load: Load) -> Box<Self> {
        Box::new(Self { parts, load })
    }
}

/// What all tries of a request share.
struct Travel {
    service: Arc<Service>,
    pass: Arc<Pass>,
    agent: String,
    wire_model: Option<String>,
    caller: Arc<CallerHeaders>,
    /// Path and query.
    call: String,
    /// What is seen of the body as it passes.
    watch: Arc<BodyWatch>,
}

impl Trip {
    /// The answer, or one that begins with pings where the client waits for a stream and none has begun in time.
    ///
    /// # Errors
    /// What kept every try from an answer.
    pub(super) async fn answer(self) -> Result<Response<Reply>, Error> {
        let asker = Asker::new(&self.inbound.caller, self.inbound.model());
        if let Some(answer) = self.service.late.take(&asker) {
            // What is asked is read to its end, so that the client reads the answer.
            self.inbound.body.drain(self.service.body_limit).await;
            return Ok(answer.map(|body| Reply::Own(Full::new(body))));
        }
        let inbound = self.service.draw(self.inbound).await?;
        let (service, watch) = (Arc::clone(&self.service), inbound.body.watch());
        let mut going = Self { inbound, ..self }.go();
        tokio::select! {
            biased;
            answer = &mut going => return answer,
            () = service.pulse.pass(PING_AFTER) => {}
        }
        if watch.streams() { Ok(early(going, service, asker)) } else { going.await }
    }

    /// On the heap, so that pings can go on from wherever it stands; two futures, for the usual one is small.
    fn go(self) -> Going {
        let holds = self.holds_body();
        let Self { service, inbound, to, agent } = self;
        let Inbound { pass, call, caller, parts, body, .. } = *inbound;
        let wire_model = body.model.as_ref().map(|model| model.text.clone());
        let watch = body.watch();
        let travel = Travel { service, pass, agent, wire_model, caller, call, watch };
        if holds {
            return Box::pin(async move { travel.held(&to, parts, body).await });
        }
        let cargo = Cargo::new(parts, Load::Passing(body));
        Box::pin(async move { travel.attempt(&to, cargo, None).await })
    }

    /// The body is sent more than once, changed in more than its model, has to be looked into, or may have to wait: what
    /// its client asks for must be known then.
    fn holds_body(&self) -> bool {
        let pace = self.to.upstream.counting().pace();
        self.to.adaptation.changes_requests()
            || !self.to.fallback.is_empty()
            || self.to.seats.is_some()
            || gate::may_not_fit(self.inbound.body.length(), self.to.window, &pace)
    }

    /// The route's own count of tokens, or an estimate where it has none.
    ///
    /// # Errors
    /// The route couldn't be asked.
    pub(super) async fn count(self) -> Result<Response<Reply>, Error> {
        let Self { service, inbound, to, agent } = self;
        service.meter.other(&agent, to.label());
        let counting = to.upstream.counting();
        let turn = if to.adaptation.may_count() { counting.turn().await } else { None };
        let Some(turn) = turn else {
            let bytes = inbound.body.drain(service.body_limit).await;
            return Ok(counting.estimate(bytes));
        };
        let Inbound { call, parts, body, .. } = *inbound;
        let (announced, watch) = (body.length().unwrap_or_default(), body.watch());
        let load = if to.adaptation.changes_requests() {
            Load::Whole(body.whole(service.body_limit).await?)
        } else {
            Load::Passing(body)
        };
        let exchange = service.send(&to, Cargo::new(parts, load), &call, &watch).await?;
        let answer = Answer::of_route(&to, None, None, &watch).relay(exchange);
        Ok(counting.judge(turn, answer, announced.max(watch.bytes())).await)
    }
}

impl Travel {
    /// The body is read to its end first.
    async fn held(
        &self,
        to: &Arc<Destination>,
        parts: Parts,
        body: Peeked,
    ) -> Result<Response<Reply>, Error> {
        let whole = match body.whole(self.service.body_limit).await {
            Ok(whole) => whole,
            Err(error) => {
                fail(self.begin(to, None), &error);
                return Err(error);
            }
        };
        if to.fallback.is_empty() {
            return self.attempt(to, Cargo::new(parts, Load::Whole(whole)), None).await;
        }
        self.anywhere(to, &parts, &whole).await
    }

    /// The route, then those in its place, until one answers.
    async fn anywhere(
        &self,
        to: &Arc<Destination>,
        parts: &Parts,
        whole: &Whole,
    ) -> Result<Response<Reply>, Error> {
        let cargo = || Cargo::new(parts.clone(), Load::Whole(whole.clone()));
        let mut first = None;
        for candidate in self.service.candidates(to) {
            if !candidate.breaker.admits(Instant::now()) {
                continue;
            }
            let instead_of = (!Arc::ptr_eq(&candidate, to)).then(|| to.label());
            let result = self.attempt(&candidate, cargo(), instead_of).await;
            self.service.note(&candidate, &result);
            // What is tried instead of another counts only if it answers.
            if !has_failed(&result) && (first.is_none() || result.is_ok()) {
                return result;
            }
            first.get_or_insert(result);
        }
        match first {
            Some(result) => result,
            // All are left alone: then the one that was asked for is as good as any.
            None => self.attempt(to, cargo(), None).await,
        }
    }

    /// One try: counted in, held back, sent, and answered.
    async fn attempt(
        &self,
        to: &Arc<Destination>,
        cargo: Box<Cargo>,
        instead_of: Option<&str>,
    ) -> Result<Response<Reply>, Error> {
        let mut flight = self.begin(to, instead_of);
        let result = self.send(to, cargo, &mut flight).await;
        let record = flight.record();
        (record.bytes_in, record.effort) = (self.watch.bytes(), self.watch.effort());
        let (exchange, seat) = match result {
            Ok(sent) => sent,
            Err(error) => {
                fail(flight, &error);
                return Err(error);
            }
        };
        self.pass.callers.spoke(flight.record());
        let answer = Answer::of_route(to, Some(flight), seat, &self.watch);
        if !answer.is_held(&exchange) {
            return Ok(answer.relay(exchange));
        }
        Box::pin(answer.whole(exchange)).await
    }

    async fn send(
        &self,
        to: &Arc<Destination>,
        cargo: Box<Cargo>,
        flight: &mut Flight,
    ) -> Result<(Box<Exchange>, Option<Seat>), Error> {
        // 4. gate
        let seat = match self.gate(to, &cargo.load, flight).await {
            Ok(seat) => seat,
            Err(error) => return Err(Box::pin(self.service.refuse_load(cargo.load, error)).await),
        };
        // 6. forward
        let exchange = self.service.send(to, cargo, &self.call, &self.watch).await?;
        Ok((exchange, seat))
    }

    /// Refuses, or waits for a place.
    async fn gate(&self, to: &Destination, load: &Load, flight: &mut Flight) -> Result<Option<Seat>, Error> {
        let pace = to.upstream.counting().pace();
        if let Load::Whole(whole) = load {
            gate::fits(whole.bytes(), to.window, &pace, to.label())?;
        }
        // What day it is costs a look at the time zone.
        if !self.service.allowances.is_empty() {
            self.service.allowances.draw(Order {
                agent: &self.agent,
                route: &to.route,
                tokens: pace.tokens(load.length().unwrap_or_default()),
                price: to.price,
                today: jiff::ZonedDateTime::now().date(),
            })?;
        }
        match &to.seats {
            None => Ok(None),
            Some(seats) => seats.take(flight).await.map(Some),
        }
    }

    fn begin(&self, to: &Destination, instead_of: Option<&str>) -> Flight {
        let record = Record {
            at: jiff::Timestamp::now().as_millisecond(),
            caller: Arc::clone(&self.caller),
            agent: self.agent.clone(),
            route: to.label().to_owned(),
            wire_model: self.wire_model.clone(),
            upstream_model: Some(to.route.model().to_owned()),
            path: path_of(&self.call).to_owned(),
            price: to.price,
            instead_of: instead_of.map(str::to_owned),
            ..Record::default()
        };
        let purse = Arc::clone(&self.pass.purse);
        self.service.meter.begin(record, purse).charging(Arc::clone(&self.service.allowances), &to.route)
    }
}

impl Load {
    /// Bytes, where they are known.
    fn length(&self) -> Option<u64> {
        match self {
            Self::Passing(body) => body.length(),
            Self::Whole(whole) => Some(whole.bytes().len() as u64),
        }
    }
}

impl Service {
    /// The route, then those in its place.
    fn candidates(&self, to: &Arc<Destination>) -> Vec<Arc<Destination>> {
        let others = to.fallback.iter().filter_map(|route| self.routes.get(route));
        std::iter::once(to).chain(others).map(Arc::clone).collect()
    }

    /// What a try says of its route; one that was held back, or given up by its client, says nothing.
    fn note(&self, to: &Destination, result: &Result<Response<Reply>, Error>) {
        let before = to.breaker.circuit();
        if has_failed(result) {
            to.breaker.failed(Instant::now());
        } else if result.is_ok() {
            to.breaker.succeeded();
        }
        let circuit = to.breaker.circuit();
        if circuit != before {
            tracing::info!(route = to.label(), ?circuit, "a route's circuit");
            self.meter.circuit(to.label(), circuit);
        }
    }

    async fn refuse_load(&self, load: Load, error: Error) -> Error {
        match load {
            Load::Passing(body) => self.refuse(body.into_rest(), error).await,
            Load::Whole(_) => error,
        }
    }

    /// Sends a request as the route's provider takes it. `call`: path and query.
    async fn send(
        &self,
        to: &Destination,
        cargo: Box<Cargo>,
        call: &str,
        watch: &BodyWatch,
    ) -> Result<Box<Exchange>, Error> {
        let request = to.request(cargo, self.body_limit)?;
        let sent = to.upstream.send_in_time(request, to.adaptation.call(call)).await;
        let sent = sent.and_then(|exchange| redirect(to, &exchange).map_or(Ok(exchange), Err));
        let error = match sent {
            Ok(exchange) => return Ok(exchange),
            Err(error) => error,
        };
        Err(Box::pin(self.failure(error, watch, to.label())).await)
    }
}

impl Destination {
    /// The request as the provider takes it, but for its target.
    fn request(&self, cargo: Box<Cargo>, limit: u64) -> Result<Outgoing, Error> {
        let Cargo { mut parts, load } = *cargo;
        strip_request(&mut parts.headers);
        self.credential.apply(&mut parts.headers);
        self.adaptation.headers(&mut parts.headers);
        let body = self.load(load, limit, &mut parts.headers)?;
        Ok(Box::new(Request::from_parts(parts, body)))
    }

    /// The body with the provider's model in it, nobody's user id, and whatever else the provider needs.
    fn load(&self, load: Load, limit: u64, headers: &mut HeaderMap) -> Result<Box<RequestBody>, Error> {
        let body = match load {
            Load::Passing(body) => match body.model.clone() {
                Some(model) => body.splice(self.adaptation.splicer(&model, &self.model), limit),
                None => body.pass(limit),
            },
            Load::Whole(whole) => {
                let broken = |fault: super::peek::SpliceFault| Error::Body {
                    route: self.label().to_owned(),
                    fault: fault.into(),
                };
                let spliced = whole.spliced(&self.model).map_err(broken)?;
                Box::new(RequestBody::own(self.adaptation.body(spliced, self.label())?.into()))
            }
        };
        if let (Some(length), true) = (body.length(), headers.contains_key(CONTENT_LENGTH)) {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        Ok(body)
    }
}

/// The provider failed before it answered anything that the client could use.
fn has_failed(result: &Result<Response<Reply>, Error>) -> bool {
    match result {
        Ok(response) => response.status().as_u16() == 429 || response.status().is_server_error(),
        Err(error) => error.is_failure_of_route(),
    }
}

/// A route's redirect is an error: a client that follows it would send the prompt, and headers of its own that the
/// route never gets, to an address that nobody configured. On the default upstream it is the client's own affair.
fn redirect(to: &Destination, exchange: &Exchange) -> Option<Error> {
    let redirects = exchange.response.status().is_redirection();
    redirects.then(|| Error::Redirects { route: to.label().to_owned() })
}

/// A client that hung up within its own body has nobody to blame: dropped, it is cancelled.
pub(super) fn fail(mut flight: Flight, error: &Error) {
    if error.is_hang_up() {
        return;
    }
    let status = error.status();
    flight.record().status = Some(status.as_u16());
    flight.record().blame = Some(error.blame());
    let outcome = if status.is_client_error() { Outcome::ClientError } else { Outcome::UpstreamError };
    flight.finish(outcome);
}
