//! The client: asks as a scenario says, and takes the times.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::HOST;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Fallible;
use crate::proxies::Target;
use crate::scenario::{self, Scenario};
use crate::upstream::EVENTS;

/// From the request's first byte to the answer's last, for every counted request.
pub(crate) async fn run(target: &Target, scenario: &Scenario) -> Fallible<Vec<Duration>> {
    let body = Bytes::from(scenario::body(scenario.body));
    let events = (scenario.events > 0).then(|| scenario.events.to_string());
    let call = Call { address: target.address, path: target.path.clone(), body, events };
    let mut connections = JoinSet::new();
    for _ in 0..scenario.connections {
        connections.spawn(ask(call.clone(), scenario.requests));
    }
    let times: Fallible<Vec<Vec<Duration>>> = connections.join_all().await.into_iter().collect();
    Ok(times?.concat())
}

/// So many streams, each past its first event; they end when this is dropped.
pub(crate) async fn hold(target: &Target, streams: usize) -> Fallible<Vec<Held>> {
    let body = Bytes::from(scenario::body(2000));
    let events = Some("hold".to_owned());
    let call = Call { address: target.address, path: target.path.clone(), body, events };
    let mut held = Vec::new();
    for _ in 0..streams {
        let mut line = Line::open(target.address).await?;
        let mut response = line.send(&call).await?;
        response.body_mut().frame().await.ok_or("the stream ended before its first event")??;
        held.push(Held { _line: line, _response: response });
    }
    Ok(held)
}

/// One open stream.
pub(crate) struct Held {
    _line: Line,
    _response: Response<Incoming>,
}

#[derive(Clone)]
struct Call {
    address: SocketAddr,
    path: String,
    body: Bytes,
    events: Option<String>,
}

/// A connection and the task that drives it.
struct Line {
    sender: SendRequest<Full<Bytes>>,
    _driver: JoinSet<()>,
}

impl Line {
    async fn open(address: SocketAddr) -> Fallible<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let mut driver = JoinSet::new();
        driver.spawn(async move { drop(connection.await) });
        Ok(Self { sender, _driver: driver })
    }

    async fn send(&mut self, call: &Call) -> Fallible<Response<Incoming>> {
        let mut request = Request::post(&*call.path).header(HOST, call.address.to_string());
        if let Some(events) = &call.events {
            request = request.header(EVENTS, events);
        }
        let response = self.sender.send_request(request.body(Full::new(call.body.clone()))?).await?;
        if response.status().is_success() { Ok(response) } else { Err(response.status().to_string().into()) }
    }
}

async fn ask(call: Call, requests: u32) -> Fallible<Vec<Duration>> {
    let mut line = Line::open(call.address).await?;
    let mut times = Vec::new();
    for request in 0..=requests {
        let begun = Instant::now();
        let mut body = line.send(&call).await?.into_body();
        while let Some(frame) = body.frame().await {
            frame?;
        }
        if request > 0 {
            times.push(begun.elapsed());
        }
    }
    Ok(times)
}
