//! Requests of a session: a stand-in for Claude Code that says where its router is, an upstream, and what is asked.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::Value;
use subagents::launch::live::Live;
use subagents::ledger::{Filter, Ledger, Report};

use crate::ground::{Ground, until};
use crate::stage::Stage;

/// Leaves its settings where [`base_url`] looks for them, and prints back what it gets.
const WORKS: &str = "while [ \"$1\" != --settings ]; do shift; done; folder=$(dirname \"$2\")
    cp \"$2\" \"$HOME/new-$$\"; mv \"$HOME/new-$$\" \"$HOME/${folder##*/}\"; \
    stty raw -echo; printf 'ready\\r\\n'; exec cat -v";

/// What an upstream says to everything.
const ANSWER: &str = r#"{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":"end_turn",
"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}"#;

/// A ground whose sessions can ask something.
pub(crate) fn ground() -> Ground {
    Ground::with(Stage::new().with_variable("ANTHROPIC_BASE_URL", &upstream()), WORKS)
}

/// Asks the session's router so many questions, one after the other, and has an answer to each.
pub(crate) fn ask(ground: &Ground, live: &Live, count: usize) {
    let url = base_url(ground, live);
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut connection = BufReader::new(TcpStream::connect(host).unwrap());
    let body = r#"{"model":"m","messages":[]}"#;
    let question = format!(
        "POST /{path}/v1/messages HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for _ in 0..count {
        connection.get_mut().write_all(question.as_bytes()).unwrap();
        let (first, body) = message(&mut connection).unwrap();
        assert!(first.starts_with("HTTP/1.1 200 "), "{first}{}", String::from_utf8_lossy(&body));
    }
}

/// Whether anybody is there who could be asked.
pub(crate) fn listens(ground: &Ground, live: &Live) -> bool {
    let url = base_url(ground, live);
    TcpStream::connect(url.strip_prefix("http://").unwrap().split('/').next().unwrap()).is_ok()
}

/// What the ledger has of the session, once that is so many requests, kept or lost.
pub(crate) fn kept(ground: &Ground, live: &Live, count: usize) -> Report {
    let session = Some(live.session);
    let report = || {
        let ledger = Ledger::look(&ledger_file(ground))?;
        let mut report =
            ledger.report(subagents::ledger::By::Session, &Filter { session, ..Filter::default() }).ok()?;
        assert_eq!(ledger.check().unwrap(), Vec::<String>::new());
        report.rows.clear();
        Some(report)
    };
    until(&format!("{count} requests in the ledger"), || {
        report().is_some_and(|report| report.total.requests + report.lost == count as u64)
    });
    report().unwrap()
}

pub(crate) fn ledger_file(ground: &Ground) -> std::path::PathBuf {
    ground.0.at("home/.local/share/subagents/ledger.db")
}

fn base_url(ground: &Ground, live: &Live) -> String {
    let settings = fs::read(ground.0.at(&format!("home/{}", live.session))).unwrap();
    let settings: Value = serde_json::from_slice(&settings).unwrap();
    settings["env"]["ANTHROPIC_BASE_URL"].as_str().unwrap().to_owned()
}

/// Its threads end with the test's process.
fn upstream() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || serve(BufReader::new(connection)));
        }
    });
    url
}

/// Until the other end hangs up.
fn serve(mut connection: BufReader<TcpStream>) -> Option<()> {
    let length = ANSWER.len();
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{ANSWER}"
    );
    loop {
        message(&mut connection)?;
        connection.get_mut().write_all(answer.as_bytes()).ok()?;
    }
}

/// The first line of the next message, and its body; `None`: the other end has hung up.
fn message(connection: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
    let line = |connection: &mut BufReader<TcpStream>| {
        let mut line = String::new();
        (connection.read_line(&mut line).ok()? > 0).then_some(line)
    };
    let first = line(connection)?;
    let mut length = 0;
    loop {
        let header = line(connection)?.to_ascii_lowercase();
        if header == "\r\n" {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).ok()?;
    Some((first, body))
}
