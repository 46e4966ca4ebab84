//! A provider that answers every question by one word, at once.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

/// Its threads end with the process.
pub(crate) struct Provider(u16);

impl Provider {
    pub(crate) fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || while answer(&connection).is_some() {});
            }
        });
        Ok(Self(port))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.0)
    }
}

fn answer(connection: &TcpStream) -> Option<()> {
    let mut reader = BufReader::new(connection);
    let (mut line, mut length, mut first) = (String::new(), 0, String::new());
    loop {
        line.clear();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        if first.is_empty() {
            first.clone_from(&line);
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink()).ok()?;
    let is_question = first.starts_with("POST") && !first.contains("count_tokens");
    let (status, kind, body) = if is_question {
        (200, "text/event-stream", stream())
    } else {
        (404, "application/json", "{}".to_owned())
    };
    let head =
        format!("HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
    let mut connection = connection;
    connection.write_all((head + &body).as_bytes()).ok()
}

fn stream() -> String {
    let events = [
        r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"demo","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello."}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let event = |data: &&str| {
        let name = data.split('"').nth(3).unwrap_or_default();
        format!("event: {name}\ndata: {data}\n\n")
    };
    events.iter().map(event).collect()
}
