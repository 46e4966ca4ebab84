//! A fake upstream on loopback that remembers every request as it was received.

use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use super::reply::Script;
use super::request::Request;

/// A base URL that nothing listens at: no test is given this port, and no service has it.
pub(crate) const DOWN: &str = "http://127.0.0.1:1";

/// Its threads end with the test's process.
#[derive(Debug)]
pub(crate) struct Upstream {
    port: u16,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Upstream {
    pub(crate) fn start(script: Script) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::<Mutex<Vec<Request>>>::default();
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (script, kept) = (script.clone(), Arc::clone(&kept));
                std::thread::spawn(move || serve(connection, &script, &kept));
            }
        });
        Self { port, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Everything that came, in its order.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The questions to a model among them.
    pub(crate) fn questions(&self) -> Vec<Request> {
        self.seen().into_iter().filter(Request::is_inference).collect()
    }
}

/// A client that hangs up, even in the middle of an answer, only ends the connection.
fn serve(mut connection: TcpStream, script: &Script, seen: &Mutex<Vec<Request>>) {
    let Ok(reading) = connection.try_clone() else { return };
    let mut reading = BufReader::new(reading);
    while let Some(request) = Request::read(&mut reading) {
        let is_silent = script.is_silent_about(&request);
        let (status, kind, body) = script.answer(&request);
        let length = body.len();
        let body = if request.method == "HEAD" { String::new() } else { body };
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        if is_silent {
            // Until the other end hangs up.
            reading.read_to_end(&mut Vec::new()).ok();
            return;
        }
        let head =
            format!("HTTP/1.1 {status} Scripted\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
        if connection.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}
