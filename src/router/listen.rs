//! The listener: loopback only, one task for each connection, and a shutdown that is bounded.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::forward::BUFFER;
use super::service::Service;

/// Bound, and not serving yet: the port is known before the service is made.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// `port` 0 takes any free one.
    ///
    /// # Errors
    /// The port is taken; the message names it.
    pub async fn bind(port: u16) -> io::Result<Self> {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("can't listen on {wanted}: {error}"));
        let socket = TcpListener::bind(wanted).await.map_err(named)?;
        let address = socket.local_addr()?;
        Ok(Self { socket, address })
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Serves until [`Running::stop`]. `tasks` is the list that the upstreams' tasks are in too.
    pub fn serve(self, service: Arc<Service>, tasks: TaskTracker) -> Running {
        let stop = CancellationToken::new();
        let kill = CancellationToken::new();
        tasks.spawn(beat(Arc::clone(&service), stop.clone()));
        tasks.spawn(accept(self.socket, service, tasks.clone(), stop.clone(), kill.clone()));
        Running { tasks, stop, kill }
    }
}

/// A serving router. Dropped without [`Running::stop`], it ends at once.
#[derive(Debug)]
pub struct Running {
    tasks: TaskTracker,
    stop: CancellationToken,
    kill: CancellationToken,
}

impl Running {
    /// R12: no new requests; those in flight may end within `grace`, then they are cut.
    pub async fn stop(self, grace: Duration) {
        self.stop.cancel();
        self.tasks.close();
        if tokio::time::timeout(grace, self.tasks.wait()).await.is_err() {
            self.kill.cancel();
            // Cut connections have nothing left to wait for; HTTP/2's own tasks end with their runtime.
            let _ = tokio::time::timeout(Duration::from_millis(100), self.tasks.wait()).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
        self.kill.cancel();
    }
}

async fn beat(service: Arc<Service>, stop: CancellationToken) {
    stop.run_until_cancelled(service.pulse.run()).await;
}

async fn accept(
    socket: TcpListener,
    service: Arc<Service>,
    tasks: TaskTracker,
    stop: CancellationToken,
    kill: CancellationToken,
) {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = socket.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                tasks.spawn(connection(stream, Arc::clone(&service), stop.clone(), kill.clone()));
            }
            Err(error) => {
                // H07: out of file descriptors, mostly. Those in use will come back.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn connection(
    stream: TcpStream,
    service: Arc<Service>,
    stop: CancellationToken,
    kill: CancellationToken,
) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let answer = service_fn(move |request| {
        let (service, request) = (Arc::clone(&service), Box::new(request));
        // On the heap: else the connection keeps the room that a request takes, also while its answer streams.
        Box::pin(async move { Ok::<_, std::convert::Infallible>(service.handle(request).await) })
    });
    let mut builder = http1::Builder::new();
    builder.preserve_header_case(true).auto_date_header(false).max_buf_size(BUFFER);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), answer));
    // In order, for that is cheapest; and `kill` never comes before `stop`.
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                biased;
                ended = connection => ended,
                () = kill.cancelled() => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a client's connection ended");
    }
}
