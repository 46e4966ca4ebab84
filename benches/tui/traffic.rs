//! Requests through the sessions' routers, and an upstream that answers them.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Fallible;
use crate::machine::Machine;

/// What the upstream says to everything.
const ANSWER: &str = r#"{"id":"m","type":"message","role":"assistant","model":"m","content":[],
"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}"#;

const QUESTION: &str = r#"{"model":"m","max_tokens":100,"messages":[{"role":"user","content":"Why?"}]}"#;

/// Serves on threads of its own, for as long as this process lives.
pub(crate) fn upstream() -> Fallible<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let url = format!("http://{}", listener.local_addr()?);
    thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            // A router that hangs up is the end of it.
            thread::spawn(move || serve(BufReader::new(connection)));
        }
    });
    Ok(url)
}

fn serve(mut connection: BufReader<TcpStream>) -> Fallible<()> {
    let length = ANSWER.len();
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
    loop {
        message(&mut connection)?;
        connection.get_mut().write_all(format!("{head}{ANSWER}").as_bytes())?;
    }
}

/// Clients that ask, one for each session.
pub(crate) struct Asking {
    clients: Vec<JoinHandle<Fallible<u32>>>,
    is_over: Arc<AtomicBool>,
}

/// So many requests a second go through all sessions together, for this long at most.
pub(crate) fn begin(machine: &Machine, rate: u32, time: Duration) -> Fallible<Asking> {
    let urls = routers(machine)?;
    let is_over = Arc::<AtomicBool>::default();
    let pause = Duration::from_secs(1) * u32::try_from(urls.len())? / rate;
    let client = |url: String| {
        let is_over = Arc::clone(&is_over);
        thread::spawn(move || ask(&url, pause, time, &is_over))
    };
    Ok(Asking { clients: urls.into_iter().map(client).collect(), is_over })
}

impl Asking {
    /// How many were answered.
    pub(crate) fn end(self) -> Fallible<u32> {
        self.is_over.store(true, Ordering::Relaxed);
        let asked = self.clients.into_iter().map(|client| client.join().map_err(|_| "a client panicked")?);
        asked.sum()
    }
}

fn ask(url: &str, pause: Duration, time: Duration, is_over: &AtomicBool) -> Fallible<u32> {
    let (host, path) = url.strip_prefix("http://").and_then(|url| url.split_once('/')).ok_or("no address")?;
    let mut connection = BufReader::new(TcpStream::connect(host)?);
    let length = QUESTION.len();
    let head =
        format!("POST /{path}/v1/messages HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n");
    let begun = Instant::now();
    let mut asked = 0;
    while begun.elapsed() < time && !is_over.load(Ordering::Relaxed) {
        connection.get_mut().write_all(format!("{head}{QUESTION}").as_bytes())?;
        let first = message(&mut connection)?;
        if !first.starts_with("HTTP/1.1 200 ") {
            return Err(first.into());
        }
        asked += 1;
        thread::sleep((begun + pause * asked).saturating_duration_since(Instant::now()));
    }
    Ok(asked)
}

/// Where the sessions' routers are, as their children were told.
fn routers(machine: &Machine) -> Fallible<Vec<String>> {
    let mut urls = Vec::new();
    for entry in fs::read_dir(machine.at("home"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "settings") {
            let settings: Value = serde_json::from_slice(&fs::read(path)?)?;
            urls.push(settings["env"]["ANTHROPIC_BASE_URL"].as_str().ok_or("no router")?.to_owned());
        }
    }
    Ok(urls)
}

/// Reads a message, and gives its first line.
fn message(connection: &mut BufReader<TcpStream>) -> Fallible<String> {
    let mut first = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if connection.read_line(&mut line)? == 0 {
            return Err("the other end has hung up".into());
        }
        match line.to_ascii_lowercase().strip_prefix("content-length:") {
            Some(value) => length = value.trim().parse()?,
            None if line == "\r\n" => break,
            None => {}
        }
        if first.is_empty() {
            first = line;
        }
    }
    connection.read_exact(&mut vec![0; length])?;
    Ok(first)
}
