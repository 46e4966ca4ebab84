//! A company's proxy: opens tunnels, passes plain requests, counts both.

use std::sync::{Arc, Mutex};

use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::upstream::RawUpstream;
use super::wire::{Head, Wire};

/// Whatever it is asked for, it goes to one local port.
#[derive(Debug)]
pub(crate) struct Proxy {
    port: u16,
    asked: Arc<Mutex<Vec<Head>>>,
    _task: JoinSet<()>,
}

impl Proxy {
    /// `refusal`: the status line that tunnels are answered by.
    pub(crate) async fn start(target: u16, refusal: Option<&'static str>) -> Self {
        let listener = RawUpstream::bind().await;
        let port = listener.port();
        let asked: Arc<Mutex<Vec<Head>>> = Arc::default();
        let kept = Arc::clone(&asked);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                let wire = listener.accept_ever().await.timeless();
                open.spawn(pass(wire, target, refusal, Arc::clone(&kept)));
            }
        });
        Self { port, asked, _task: task }
    }

    /// `http://LOGIN@127.0.0.1:PORT`
    pub(crate) fn url(&self, login: &str) -> String {
        format!("http://{login}127.0.0.1:{}", self.port)
    }

    /// The heads that it was asked with.
    pub(crate) fn asked(&self) -> Vec<Head> {
        self.asked.lock().expect("no panic").clone()
    }
}

async fn pass(mut wire: Wire, target: u16, refusal: Option<&'static str>, asked: Arc<Mutex<Vec<Head>>>) {
    let Some(head) = wire.next_head().await else { return };
    asked.lock().expect("no panic").push(head.clone());
    let mut there = TcpStream::connect(("127.0.0.1", target)).await.expect("a target");
    if head.first.starts_with("CONNECT ") {
        let line = refusal.unwrap_or("HTTP/1.1 200 Connection established");
        wire.write(format!("{line}\r\n\r\n")).await;
        if refusal.is_some() {
            return;
        }
        let mut here = wire.into_stream();
        let _ = tokio::io::copy_bidirectional(&mut here, &mut there).await;
        return;
    }
    let body = wire.body(&head).await;
    let mut there = Wire::new(there).timeless();
    there.write([head.raw.as_slice(), body.as_slice()].concat()).await;
    let (answer, body) = there.answer().await;
    wire.write([answer.raw.as_slice(), body.as_slice()].concat()).await;
}
