//! Upstreams of plain TCP: one that the test plays itself, one that answers by a rule, one that is down.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use super::wire::{Head, Wire, soon};

/// An upstream whose part the test plays itself, connection by connection.
#[derive(Debug)]
pub(crate) struct RawUpstream {
    listener: TcpListener,
}

impl RawUpstream {
    pub(crate) async fn bind() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.expect("a port") }
    }

    pub(crate) fn port(&self) -> u16 {
        self.listener.local_addr().expect("a bound socket").port()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    pub(crate) async fn accept(&self) -> Wire {
        soon("a connection to the upstream", self.accept_ever()).await
    }

    /// Without a limit, for a paused clock.
    pub(crate) async fn accept_ever(&self) -> Wire {
        let (stream, _) = self.listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        Wire::new(stream)
    }
}

/// A request as an upstream saw it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub(crate) fn holds(&self, text: &str) -> bool {
        let within = |bytes: &[u8]| memchr::memmem::find(bytes, text.as_bytes()).is_some();
        within(&self.head.raw) || within(&self.body)
    }
}

type Rule = Arc<dyn Fn(&Seen) -> Vec<u8> + Send + Sync>;

/// An upstream that answers each request by a rule, and remembers what it saw.
#[derive(Debug)]
pub(crate) struct AutoUpstream {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
    _task: JoinSet<()>,
}

impl AutoUpstream {
    /// `rule` makes an answer's exact bytes; `connection: close` in them closes the connection.
    pub(crate) async fn start(rule: impl Fn(&Seen) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let upstream = RawUpstream::bind().await;
        let port = upstream.port();
        let seen = Arc::new(Mutex::default());
        let connections = Arc::new(AtomicUsize::new(0));
        let mut task = JoinSet::new();
        let (kept, count, rule) = (Arc::clone(&seen), Arc::clone(&connections), Arc::new(rule) as Rule);
        task.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                let (stream, _) = upstream.listener.accept().await.expect("a connection");
                count.fetch_add(1, Ordering::SeqCst);
                open.spawn(converse(stream, Arc::clone(&kept), Arc::clone(&rule)));
            }
        });
        Self { port, seen, connections, _task: task }
    }

    /// Answers everything by a short message.
    pub(crate) async fn ok() -> Self {
        Self::start(|_| super::lab::message()).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    /// The newest request.
    pub(crate) fn last(&self) -> Seen {
        self.seen.lock().expect("no panic").last().expect("a request").clone()
    }

    /// The only request that came.
    pub(crate) fn only(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1, "requests at the upstream");
        seen.into_iter().next().expect("one")
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn converse(stream: TcpStream, seen: Arc<Mutex<Vec<Seen>>>, rule: Rule) {
    let mut wire = Wire::new(stream).timeless();
    while let Some(head) = wire.next_head().await {
        let (body, whole) = wire.what_comes(&head).await;
        if !whole {
            return;
        }
        let request = Seen { head, body };
        let answer = rule(&request);
        seen.lock().expect("no panic").push(request);
        let last = memchr::memmem::find(&answer, b"connection: close").is_some();
        if !wire.try_write(answer).await || last {
            return;
        }
    }
}

/// An upstream that is down: its port is taken, and nobody listens.
#[derive(Debug)]
pub(crate) struct Refusing {
    _socket: TcpSocket,
    port: u16,
}

impl Refusing {
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
        let port = socket.local_addr().expect("a bound socket").port();
        Self { _socket: socket, port }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}
