//! Stand-ins: a script for Claude Code, and a provider on loopback that answers whatever it is asked.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::stage::Stage;

/// Says a version, writes its folder and its arguments into `$SEEN`, and runs `$THEN`.
const CLAUDE: &str = r#"#!/bin/bash
if [ "$1" = --version ]; then echo '2.1.332 (Claude Code)'; exit; fi
if [ -n "$SEEN" ]; then printf '%s\n' "$PWD" "$@" > "$SEEN"; fi
if [ -n "$THEN" ]; then eval "$THEN"; fi
"#;

/// The stage with a `claude` in its PATH, and the binary under test too.
pub(crate) fn with_claude(stage: Stage) -> Stage {
    let stage = stage.with("bin/claude", CLAUDE);
    fs::set_permissions(stage.at("bin/claude"), fs::Permissions::from_mode(0o755)).unwrap();
    let ours = std::path::Path::new(env!("CARGO_BIN_EXE_subagents")).parent().unwrap().to_owned();
    let path = format!("{}:{}:/usr/bin:/bin", stage.at("bin").display(), ours.display());
    stage.with_variable("PATH", &path)
}

/// The id of the session of [`with_an_ended_session`].
pub(crate) const SESSION: &str = "00000000-0000-4000-8000-000000000001";

/// A session `shop` that has ended.
pub(crate) fn with_an_ended_session(stage: Stage) -> Stage {
    // What needs no router isn't remembered, and figures need one.
    stage.run(&["run", "--name", "shop", "--session", SESSION, "--stats-file", "/dev/null"]).ok();
    with_transcript(stage)
}

/// What Claude Code keeps of what was said in that session.
pub(crate) fn with_transcript(stage: Stage) -> Stage {
    stage.with(&format!("home/.claude/projects/p/{SESSION}.jsonl"), "{}\n")
}

/// A provider that answers `POST …/messages` by a message (streamed where that is asked for), and any `GET` by a list
/// of models. Its thread ends with the test's process.
pub(crate) struct Provider {
    port: u16,
}

impl Provider {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || while answer(&stream).is_some() {});
            }
        });
        Self { port }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// One request; `None` when there is no further one.
fn answer(stream: &TcpStream) -> Option<()> {
    let (path, body) = request(stream)?;
    let streamed = body["stream"] == true;
    let (kind, text) = match path.as_str() {
        path if path.ends_with("/count_tokens") => {
            ("application/json", json!({"input_tokens": 3}).to_string())
        }
        path if path.ends_with("/messages") && streamed => ("text/event-stream", events(&body)),
        path if path.ends_with("/messages") => ("application/json", message(&body).to_string()),
        _ => ("application/json", models().to_string()),
    };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", text.len());
    let mut stream = stream;
    stream.write_all((head + &text).as_bytes()).ok()
}

fn request(stream: &TcpStream) -> Option<(String, Value)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let path = line.split(' ').nth(1)?.split('?').next()?.to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        if header.trim().is_empty() {
            break;
        }
        let (name, value) = header.split_once(':')?;
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, serde_json::from_slice(&body).unwrap_or_default()))
}

fn message(body: &Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
        "content": [content(body)], "stop_reason": stop(body), "stop_sequence": null,
        "usage": {"input_tokens": 5, "output_tokens": 7},
    })
}

/// A tool's call where tools are offered.
fn content(body: &Value) -> Value {
    match body["tools"][0]["name"].as_str() {
        Some(name) => json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}),
        None => json!({"type": "text", "text": "Hello."}),
    }
}

fn stop(body: &Value) -> &'static str {
    if content(body)["type"] == "tool_use" { "tool_use" } else { "end_turn" }
}

fn events(body: &Value) -> String {
    let mut start = message(body);
    start["content"] = json!([]);
    let delta = match content(body)["type"].as_str() {
        Some("tool_use") => json!({"type": "input_json_delta", "partial_json": "{}"}),
        _ => json!({"type": "text_delta", "text": "Hello."}),
    };
    let events = [
        json!({"type": "message_start", "message": start}),
        json!({"type": "content_block_start", "index": 0, "content_block": content(body)}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop(body)}, "usage": {"output_tokens": 7}}),
        json!({"type": "message_stop"}),
    ];
    let lines =
        events.iter().map(|event| format!("event: {}\ndata: {event}\n", event["type"].as_str().unwrap()));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// In the shapes of Anthropic, `OpenAI` and Ollama at once.
fn models() -> Value {
    let model = json!({"id": "m", "name": "m", "type": "model", "object": "model", "display_name": "m"});
    json!({"object": "list", "data": [model], "models": [model], "has_more": false})
}
