//! Steps 7 and 8 of a request: how an upstream's answer goes back, as it comes or read to its end first.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Body;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::http::response;
use hyper::{Response, StatusCode, Version};

use super::account::{Account, Stop};
use super::adaptation::Adaptation;
use super::destination::Destination;
use super::error::{Blame, Error};
use super::forward::{Exchange, Upstream, strip_hop_by_hop};
use super::gate::Seat;
use super::meter::Flight;
use super::peek::BodyWatch;
use super::relay::{Relay, Reply};
use super::retry_after;
use super::tap::Tap;
use super::vigil::Vigil;

/// The longest answer that is read to its end before it is handed on, in bytes.
const LONGEST: usize = 32 * 1024 * 1024;

const EVENTS: &str = "text/event-stream";

/// What is done with an answer.
pub(super) struct Answer<'a> {
    upstream: &'a Arc<Upstream>,
    /// `None`: the default upstream's, which nothing of ours touches.
    adaptation: Option<&'a Adaptation>,
    /// `None`: it is no inference.
    flight: Option<Flight>,
    seat: Option<Seat>,
    /// The client has asked for a stream.
    streams: bool,
    /// Tokens that the request is thought to have.
    estimate: u64,
}

impl<'a> Answer<'a> {
    pub(super) fn of_default(upstream: &'a Arc<Upstream>, flight: Option<Flight>) -> Self {
        Self { upstream, adaptation: None, flight, seat: None, streams: false, estimate: 0 }
    }

    pub(super) fn of_route(
        to: &'a Destination,
        flight: Option<Flight>,
        seat: Option<Seat>,
        watch: &BodyWatch,
    ) -> Self {
        let estimate = to.upstream.counting().pace().tokens(watch.bytes());
        let (upstream, streams) = (&to.upstream, watch.streams());
        Self { upstream, adaptation: Some(&to.adaptation), flight, seat, streams, estimate }
    }

    /// It has to be read to its end before anything of it goes on.
    pub(super) fn is_held(&self, exchange: &Exchange) -> bool {
        let status = exchange.response.status().as_u16();
        let events = is_events(exchange.response.headers());
        let encoded = exchange.response.headers().contains_key(CONTENT_ENCODING);
        self.adaptation.is_some_and(|adaptation| {
            // A client that waits for events can make nothing of anything else until it is whole.
            adaptation.needs_whole(status, events)
                || (self.streams && !events)
                || (encoded && adaptation.translates())
        })
    }

    /// As it comes.
    pub(super) fn relay(self, exchange: Box<Exchange>) -> Response<Reply> {
        let Exchange { begun, response, line } = *exchange;
        let (mut parts, body) = response.into_parts();
        let events = is_events(&parts.headers);
        let plain = !parts.headers.contains_key(CONTENT_ENCODING);
        let rewrite = self
            .adaptation
            .filter(|_| events && plain)
            .and_then(|adaptation| adaptation.stream(self.estimate, self.upstream.label()));
        let limits = self.upstream.limits();
        let open = plain && body.size_hint().exact().is_none();
        let addable = events && parts.status.is_success() && (open || rewrite.is_some());
        let account = self.flight.map(|flight| account(flight, self.upstream, &parts));
        let vigil = limits.map(|limits| Vigil::new(limits, addable, begun));
        tidy(&mut parts, limits.is_some());
        if rewrite.is_some() {
            parts.headers.remove(CONTENT_LENGTH);
        }
        let mut relay = Relay::new(body, line, Arc::clone(self.upstream), account, vigil);
        relay.hold(self.seat);
        if let Some(rewrite) = rewrite {
            relay.rewrite(rewrite);
        }
        Response::from_parts(parts, Reply::Relayed(Box::new(relay)))
    }

    /// Counts the request out as failed.
    fn fail(self, error: Error) -> Error {
        if let Some(flight) = self.flight {
            super::trip::fail(flight, &error);
        }
        error
    }

    /// Read to its end, then handed on.
    ///
    /// # Errors
    /// It was cut, is too long, or can't be read.
    pub(super) async fn whole(self, mut exchange: Box<Exchange>) -> Result<Response<Reply>, Error> {
        let Some(adaptation) = self.adaptation else { return Ok(self.relay(exchange)) };
        let encoded = exchange.response.headers().contains_key(CONTENT_ENCODING);
        if encoded && adaptation.translates() {
            let route = self.upstream.label().to_owned();
            let reason = "it compresses its answer although it was asked not to".to_owned();
            return Err(self.fail(Error::Broken { route, reason }));
        }
        let limits = self.upstream.limits();
        let idle = limits.map_or(Duration::MAX, |limits| limits.idle);
        let read = read(&mut exchange, idle, self.upstream.label()).await;
        let http2 = exchange.line.is_http2();
        let Exchange { response, line, .. } = *exchange;
        let (mut parts, body) = response.into_parts();
        drop(body);
        let body = match read {
            Ok(body) => body,
            Err(error) => return Err(self.fail(error)),
        };
        self.upstream.give_back(line);
        tidy(&mut parts, true);
        let mending = if encoded || adaptation.translates() {
            None
        } else {
            Adaptation::mending(parts.status.as_u16(), &body)
        };
        let body: Bytes =
            if encoded { body.into() } else { adapt(adaptation, &mut parts, body, self.streams) };
        if let Some(mut flight) = self.flight {
            flight.record().mending = mending;
            let mut account = account(flight, self.upstream, &parts);
            account.data(&body);
            account.settle(Stop { fault: None, by: Blame::Provider, http2 });
        }
        parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        Ok(Response::from_parts(parts, Reply::Own(Full::new(body))))
    }
}

fn account(flight: Flight, upstream: &Upstream, parts: &response::Parts) -> Account {
    let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let tap = Tap::new(text(CONTENT_TYPE), text(CONTENT_ENCODING));
    Account::new(flight, tap, parts.status.as_u16(), &parts.headers, upstream.counting().pace())
}

/// The head of an answer as it goes on. `ours`: what Claude Code can't read of it may be put into its words.
fn tidy(parts: &mut response::Parts, ours: bool) {
    strip_hop_by_hop(&mut parts.headers);
    if ours {
        retry_after::make_readable(&mut parts.headers, jiff::Timestamp::now());
    }
    parts.version = Version::HTTP_11;
}

fn adapt(adaptation: &Adaptation, parts: &mut response::Parts, body: Vec<u8>, streams: bool) -> Bytes {
    let adapted = adaptation.whole(parts.status.as_u16(), body, streams);
    if let Ok(status) = StatusCode::from_u16(adapted.status) {
        parts.status = status;
    }
    if let Some(kind) = adapted.kind {
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    adapted.body.into()
}

/// The whole body.
async fn read(exchange: &mut Exchange, idle: Duration, route: &str) -> Result<Vec<u8>, Error> {
    let broken = |reason: String| Error::Broken { route: route.to_owned(), reason };
    let mut body = Vec::new();
    loop {
        let piece = tokio::time::timeout(idle, exchange.data()).await.map_err(|_| Error::Silent {
            route: route.to_owned(),
            setting: "idle",
            seconds: idle.as_secs(),
        })?;
        match piece {
            None => return Ok(body),
            Some(Err(error)) => return Err(broken(super::forward::reason(&error))),
            Some(Ok(piece)) => body.extend_from_slice(&piece),
        }
        if body.len() > LONGEST {
            return Err(broken(format!("its answer is longer than {} MiB", LONGEST / 1024 / 1024)));
        }
    }
}

pub(super) fn is_events(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with(EVENTS))
}
