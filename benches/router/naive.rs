//! The naive way: the whole body into a map, `model` out of it, then an HTTP client. What the router is not.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::service::service_fn;
use hyper::{Request, Response, header};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

use crate::Fallible;

type Sender = SendRequest<Full<Bytes>>;

/// Connections that wait for the next request.
#[derive(Clone)]
struct Pool {
    upstream: SocketAddr,
    idle: Arc<Mutex<Vec<Sender>>>,
    tasks: TaskTracker,
}

/// Serves for ever; the first line of output is the address.
pub(crate) async fn serve(upstream: &str) -> Fallible<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let pool = Pool { upstream: upstream.parse()?, idle: Arc::default(), tasks: TaskTracker::new() };
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let own = pool.clone();
        pool.tasks.spawn(async move {
            let service = service_fn(move |request| forward(own.clone(), request));
            // A client that goes away is the end of it.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn forward(pool: Pool, request: Request<Incoming>) -> Fallible<Response<Incoming>> {
    let (mut head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let value: serde_json::Value = serde_json::from_slice(&body)?;
    if value["model"].as_str().is_none() {
        return Err("no model".into());
    }
    head.headers.remove(header::CONNECTION);
    let mut sender = pool.take().await?;
    let response = sender.send_request(Request::from_parts(head, Full::new(body))).await?;
    let own = pool.clone();
    pool.tasks.spawn(async move {
        if sender.ready().await.is_ok() {
            own.lock().push(sender);
        }
    });
    Ok(response)
}

impl Pool {
    async fn take(&self) -> Fallible<Sender> {
        let idle = self.lock().pop();
        if let Some(sender) = idle {
            return Ok(sender);
        }
        let stream = TcpStream::connect(self.upstream).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        self.tasks.spawn(connection);
        Ok(sender)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Sender>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
