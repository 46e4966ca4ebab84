//! Servers on loopback that behave like providers, well and badly.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::stage::Stage;

/// The key that every test's provider wants. It may be found in its store and nowhere else.
pub(crate) const CANARY: &str = "sk-canary-4711";

/// What a server was asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// With its query.
    pub(crate) target: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// How the key was sent.
    pub(crate) fn auth(&self) -> Vec<&str> {
        self.headers
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|n| matches!(*n, "authorization" | "x-api-key"))
            .collect()
    }

    fn has_key(&self, style: &str) -> bool {
        match style {
            "none" => true,
            "bearer" => self.header("authorization") == Some(&format!("Bearer {CANARY}")),
            _ => self.header(style) == Some(CANARY),
        }
    }
}

/// What a server answers.
pub(crate) enum Reply {
    Json(u16, Value),
    Page(u16),
    Redirect(&'static str),
    /// An event stream, whole.
    Events(String),
    /// Any bytes of any type.
    Text(u16, &'static str, String),
    /// Nothing, until the client has gone.
    Silence,
}

pub(crate) type Manner = dyn Fn(&Asked) -> Reply + Send + Sync;

/// One answer, made anew for each request.
pub(crate) type Always = Box<dyn Fn() -> Reply + Send + Sync>;

pub(crate) struct Server {
    port: u16,
    scheme: &'static str,
    asked: Arc<Mutex<Vec<Asked>>>,
    certificate: Option<(tempfile::TempDir, PathBuf)>,
}

impl Server {
    pub(crate) fn new(manner: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(Arc::new(manner), None)
    }

    /// With a certificate that nobody else has signed.
    pub(crate) fn self_signed(manner: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let (config, pem) = self_signed();
        let mut server = Self::start(Arc::new(manner), Some(Arc::new(config)));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, pem).unwrap();
        server.certificate = Some((folder, file));
        server
    }

    fn start(manner: Arc<Manner>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (known, scheme) = (Arc::clone(&asked), if tls.is_some() { "https" } else { "http" });
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (manner, tls, known) = (Arc::clone(&manner), tls.clone(), Arc::clone(&known));
                thread::spawn(move || match tls {
                    None => serve(stream, &*manner, &known),
                    Some(config) => {
                        serve(
                            StreamOwned::new(ServerConnection::new(config).unwrap(), stream),
                            &*manner,
                            &known,
                        );
                    }
                });
            }
        });
        Self { port, scheme, asked, certificate: None }
    }

    /// The address, with a path behind it.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}://127.0.0.1:{}{path}", self.scheme, self.port)
    }

    pub(crate) fn ca_file(&self) -> &PathBuf {
        &self.certificate.as_ref().unwrap().1
    }

    /// Everything that was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.asked().iter().map(|asked| asked.path().to_owned()).collect()
    }
}

/// A server's side of TLS with a certificate for `127.0.0.1` that nobody else has signed, and that certificate as PEM.
pub(crate) fn self_signed() -> (ServerConfig, String) {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    (config.with_single_cert(vec![made.cert.der().clone()], key).unwrap(), made.cert.pem())
}

/// One request, one answer, and the connection is closed.
fn serve<S: Read + Write>(stream: S, manner: &Manner, known: &Mutex<Vec<Asked>>) {
    let mut stream = BufReader::new(stream);
    let Some(asked) = read(&mut stream) else { return };
    let reply = manner(&asked);
    known.lock().unwrap().push(asked);
    let (head, body) = match reply {
        Reply::Json(status, value) => (head(status, "application/json"), value.to_string()),
        Reply::Page(status) => {
            (head(status, "text/html; charset=utf-8"), "<!DOCTYPE html><p>Log in".to_owned())
        }
        Reply::Redirect(to) => (format!("{}location: {to}\r\n", head(302, "text/plain")), String::new()),
        Reply::Events(events) => (head(200, "text/event-stream"), events),
        Reply::Text(status, kind, text) => (head(status, kind), text),
        Reply::Silence => {
            let _ = stream.read(&mut [0]);
            return;
        }
    };
    let length = body.len();
    // A client that has seen enough hangs up.
    let _ = write!(stream.get_mut(), "{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
    let _ = stream.get_mut().flush();
}

fn head(status: u16, kind: &str) -> String {
    format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n")
}

fn read(stream: &mut impl BufRead) -> Option<Asked> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end() {
            "" => break,
            text => lines.push(text.to_owned()),
        }
    }
    let mut words = lines.first()?.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let headers: Vec<(String, String)> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    stream.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Asked { method, target, headers, body })
}

/// A provider's good manners: where it lists, where it answers, and how it wants its key there.
pub(crate) fn like(preset: &str) -> impl Fn(&Asked) -> Reply + Send + Sync + 'static + use<> {
    let (messages, style) = match preset {
        "deepseek" => ("/anthropic/v1/messages", "x-api-key"),
        "anthropic" => ("/v1/messages", "x-api-key"),
        "glm" => ("/api/anthropic/v1/messages", "bearer"),
        "kimi" | "minimax" => ("/anthropic/v1/messages", "bearer"),
        "openrouter" => ("/api/v1/messages", "bearer"),
        _ => ("/v1/messages", "none"),
    };
    let list = list_of(preset);
    move |asked| {
        let listed = list.iter().find(|(path, ..)| *path == asked.path());
        let style = listed.map_or(style, |(_, style, _)| style);
        if !asked.has_key(style) {
            return refusal(asked);
        }
        match listed {
            Some((_, _, list)) => Reply::Json(200, list(asked)),
            None if asked.path() == messages => message(asked),
            None if asked.path() == format!("{messages}/count_tokens") => {
                Reply::Json(200, json!({"input_tokens": 42}))
            }
            None => missing(),
        }
    }
}

/// A 401 that repeats the key, as some do.
pub(crate) fn refusal(asked: &Asked) -> Reply {
    let sent = asked.header("authorization").or(asked.header("x-api-key")).unwrap_or("nothing");
    let message = format!("Incorrect API key provided: {sent}");
    Reply::Json(401, json!({"type": "error", "error": {"type": "authentication_error", "message": message}}))
}

pub(crate) fn missing() -> Reply {
    Reply::Json(404, json!({"type": "error", "error": {"type": "not_found_error", "message": "Not found"}}))
}

type List = (&'static str, &'static str, fn(&Asked) -> Value);

/// Where the preset's provider lists its models, how it wants its key there, and what it lists.
fn list_of(preset: &str) -> Vec<List> {
    match preset {
        "ollama" => vec![("/api/tags", "none", tags), ("/api/show", "none", shown)],
        "lm-studio" => vec![("/api/v1/models", "none", |_| {
            json!({"models": [{"type": "llm", "key": "gemma", "display_name": "Gemma", "max_context_length": 32_768,
                "loaded_instances": [{"id": "gemma", "config": {"context_length": 4096}}],
                "capabilities": {"vision": false, "trained_for_tool_use": true}}]})
        })],
        "llama-cpp" => vec![(
            "/v1/models",
            "none",
            |_| json!({"object": "list", "data": [{"id": "local.gguf", "object": "model", "meta": {"n_ctx_train": 8192}}]}),
        )],
        "vllm" => vec![(
            "/v1/models",
            "none",
            |_| json!({"object": "list", "data": [{"id": "qwen", "object": "model", "max_model_len": 16_384}]}),
        )],
        "openrouter" => vec![("/api/v1/models", "bearer", |_| {
            json!({"data": [{"id": "z-ai/glm-5", "name": "Z.AI: GLM 5", "context_length": 202_752,
                "pricing": {"prompt": "0.0000006", "completion": "0.0000022", "input_cache_read": "0.00000011"},
                "top_provider": {"context_length": 202_752, "max_completion_tokens": 131_072},
                "supported_parameters": ["tools", "reasoning"]}]})
        })],
        "deepseek" => vec![(
            "/models",
            "bearer",
            |_| json!({"object": "list", "data": [{"id": "deepseek-chat", "object": "model", "owned_by": "deepseek"}]}),
        )],
        "glm" => vec![(
            "/api/paas/v4/models",
            "bearer",
            |_| json!({"object": "list", "data": [{"id": "glm-5", "object": "model", "owned_by": "z-ai"}]}),
        )],
        "kimi" => vec![("/v1/models", "bearer", |_| {
            json!({"object": "list", "data": [{"id": "kimi-k2.6", "object": "model", "context_length": 262_144,
                "supports_reasoning": true}]})
        })],
        "minimax" => vec![("/anthropic/v1/models", "bearer", |_| {
            json!({"data": [{"id": "MiniMax-M3", "display_name": "MiniMax-M3", "type": "model"}], "has_more": false,
                "first_id": "MiniMax-M3", "last_id": "MiniMax-M3"})
        })],
        "anthropic" => vec![("/v1/models", "x-api-key", pages)],
        other => panic!("no such preset: {other}"),
    }
}

fn tags(_: &Asked) -> Value {
    json!({"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 1}, {"name": "embed", "model": "embed"}]})
}

fn shown(asked: &Asked) -> Value {
    if asked.body["model"] == "embed" {
        return json!({"capabilities": ["embedding"]});
    }
    json!({"capabilities": ["completion", "tools", "thinking"], "parameters": "num_ctx 8192",
        "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960}})
}

/// Two pages of one model each.
fn pages(asked: &Asked) -> Value {
    let model = |id: &str| {
        json!({"type": "model", "id": id, "display_name": id, "max_input_tokens": 200_000, "max_tokens": 64_000,
            "capabilities": {"effort": {"supported": true, "low": {"supported": true}, "high": {"supported": true}}}})
    };
    let (id, has_more) =
        if asked.target.contains("after_id=claude-a") { ("claude-b", false) } else { ("claude-a", true) };
    json!({"data": [model(id)], "has_more": has_more, "first_id": id, "last_id": id})
}

/// A good answer to `/v1/messages`: it calls the tool, thinks where it is asked to, and streams.
pub(crate) fn message(asked: &Asked) -> Reply {
    let block = if asked.body["tools"].is_array() {
        json!({"type": "tool_use", "id": "t", "name": asked.body["tools"][0]["name"], "input": {}})
    } else if asked.body["thinking"].is_object() {
        json!({"type": "thinking", "thinking": ""})
    } else {
        json!({"type": "text", "text": ""})
    };
    Reply::Events(stream_of(&block))
}

/// A message of one block, as a stream.
pub(crate) fn stream_of(block: &Value) -> String {
    let reason = if block["type"] == "tool_use" { "tool_use" } else { "end_turn" };
    let usage = json!({"input_tokens": 31, "output_tokens": 1});
    let events = [
        json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "usage": usage}}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ];
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(event).collect()
}

/// A stage with one provider `p`: the preset's, at this server, with the canary as its key.
pub(crate) fn stage(preset: &str, server: &Server) -> Stage {
    let path = match preset {
        "deepseek" | "kimi" | "minimax" => "/anthropic",
        "glm" => "/api/anthropic",
        "openrouter" => "/api",
        _ => "",
    };
    stage_at(preset, &server.url(path))
}

/// The same at any address.
pub(crate) fn stage_at(preset: &str, url: &str) -> Stage {
    let local = ["ollama", "lm-studio", "llama-cpp", "vllm"].contains(&preset);
    let auth = if local { "" } else { "auth = { secret = \"env:CANARY\" }\n" };
    let config = format!("[providers.p]\npreset = \"{preset}\"\nbase_url = \"{url}\"\n{auth}");
    Stage::new().with("config/config.toml", &config).with_variable("CANARY", CANARY)
}

/// The canary is in no file of the stage but those that are its store.
pub(crate) fn no_canary_in_files(stage: &Stage, stores: &[&str]) {
    let mut folders = vec![stage.at("")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if !stores.iter().any(|store| path.ends_with(store)) {
                let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                assert!(!text.contains(CANARY), "{}", path.display());
            }
        }
    }
}
