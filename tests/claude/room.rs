//! A session whose Claude Code is a script, with a client of our own in the place of its model.
//!
//! What a model would do by its tools, the test does by the tokens that the script was given: thousands of calls, forged
//! ones, calls in any order.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::launch::{Ended, Launch, PATIENCE, headless};
use super::live::ask;
use super::stage::Stage;
use super::upstream::Upstream;

/// A child says so and ends.
pub(crate) const DONE: &str =
    r#"cat > /dev/null; echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'"#;

/// The main Claude Code says where its settings are, and waits to be let go; a child does `$CHILD`.
pub(crate) const SCRIPT: &str = r#"[ "$1" != --version ] || { echo '2.1.332 (Claude Code)'; exit; }
    case " $* " in *" stream-json "*) eval "$CHILD"; exit;; esac
    while [ "$1" != --settings ]; do shift; done
    echo "$2"; until [ -e "$HOME/go" ]; do sleep 0.05; done"#;

pub(crate) struct Room {
    pub(crate) stage: Stage,
    running: Running,
    /// The main session's `settings.json`, and beside it `mcp.json`.
    settings: PathBuf,
}

/// A test that fails leaves nothing behind.
struct Running {
    launch: Option<Launch>,
    child: Option<Child>,
}

impl Room {
    /// What a child does is a line of shell; the agents stand on the stage already.
    pub(crate) fn open(main: &Upstream, child: &str, furnish: impl FnOnce(&Stage)) -> Self {
        let stage = Stage::with_script(SCRIPT);
        furnish(&stage);
        unheld(&stage);
        let launch = stage.subagents(main, &headless(&[])).env("CHILD", child);
        let mut child = launch.start();
        let said = BufReader::new(child.stdout.as_mut().unwrap()).lines().next().unwrap().unwrap();
        let running = Running { launch: Some(launch), child: Some(child) };
        Self { stage, running, settings: said.into() }
    }

    pub(crate) fn settings(&self) -> Value {
        read(&self.settings)
    }

    /// With the token of the router.
    pub(crate) fn base_url(&self) -> String {
        self.settings()["env"]["ANTHROPIC_BASE_URL"].as_str().unwrap().to_owned()
    }

    pub(crate) fn hook_url(&self) -> String {
        self.settings()["hooks"]["Stop"][0]["hooks"][0]["url"].as_str().unwrap().to_owned()
    }

    /// The process of `subagents` itself.
    pub(crate) fn process(&self) -> u32 {
        self.running.child.as_ref().unwrap().id()
    }

    /// The main session's tools.
    pub(crate) fn client(&self) -> Client {
        Client::of(&self.tools())
    }

    /// The file that tells of them.
    pub(crate) fn tools(&self) -> Value {
        read(&self.settings.with_file_name("mcp.json"))
    }

    /// Calls `delegate_subagent` as Claude Code does: its hook first, whose verdict comes back too.
    pub(crate) fn announced(&self, client: &Client, id: &str, mode: &str, task: &Value) -> (String, Call) {
        let event = json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__subagents__delegate_subagent",
            "tool_use_id": id, "permission_mode": mode, "tool_input": task});
        let root = self.hook_url().split("/.subagents/").next().unwrap().to_owned();
        let (_, said) = ask("POST", &format!("{root}/.subagents/{}/hook", client.token), &event.to_string());
        let verdict =
            said["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned();
        let meta = json!({"claudecode/toolUseId": id});
        let params = json!({"name": "delegate_subagent", "arguments": task, "_meta": meta});
        (verdict, client.request(1, "tools/call", &params))
    }

    /// Lets the main Claude Code end, and waits for all.
    pub(crate) fn end(self) -> (Stage, Ended) {
        let Self { stage, mut running, .. } = self;
        fs::write(stage.home().join("go"), "").unwrap();
        let ended = running.launch.take().unwrap().ended(running.child.take().unwrap());
        (stage, ended.expect_code(0))
    }
}

/// What these children do, they show by files where none of them could write under Landlock.
fn unheld(stage: &Stage) {
    let file = stage.config_dir().join("config.toml");
    let text = fs::read_to_string(&file).unwrap();
    let off = "[delegation]\nsandbox = \"off\"\n";
    let text = if text.contains("[delegation]\n") { text.replace("[delegation]\n", off) } else { text + off };
    fs::write(file, text).unwrap();
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            kill_process(Pid::from_child(&child), Signal::TERM).ok();
            child.wait().ok();
        }
    }
}

/// A file's JSON.
pub(crate) fn read(file: &std::path::Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// A client of the Model Context Protocol, by streamable HTTP.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    host: String,
    path: String,
    pub(crate) token: String,
    session: Option<String>,
    version: &'static str,
}

/// Versions of the protocol: with sessions, and without.
const OLDER: &str = "2025-11-25";
const NEWEST: &str = "2026-07-28";

/// A call that was made, and whose answer is still to come.
pub(crate) struct Call(TcpStream);

impl Client {
    /// From the file that tells Claude Code of a server; it has said hello.
    pub(crate) fn of(file: &Value) -> Self {
        let mut client = Self::introduced(file);
        let hello = json!({"protocolVersion": OLDER, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        let (status, headers, _) = client.request(0, "initialize", &hello).answer();
        assert_eq!(status, 200, "{headers}");
        let session = headers.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        client.session = session.map(str::to_owned);
        client.notify("notifications/initialized", &json!({}));
        client
    }

    /// The same by the newest version, which knows no hello.
    pub(crate) fn newest(file: &Value) -> Self {
        Self { version: NEWEST, ..Self::introduced(file) }
    }

    fn introduced(file: &Value) -> Self {
        let server = &file["mcpServers"]["subagents"];
        let token = server["headers"]["Authorization"].as_str().unwrap().strip_prefix("Bearer ").unwrap();
        Self::stranger(server["url"].as_str().unwrap(), token)
    }

    /// One that hasn't.
    pub(crate) fn stranger(url: &str, token: &str) -> Self {
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        Self {
            host: host.to_owned(),
            path: path.to_owned(),
            token: token.to_owned(),
            session: None,
            version: OLDER,
        }
    }

    /// Calls a tool, and doesn't wait. `id` tells the calls of a client apart.
    pub(crate) fn begin(&self, id: u64, tool: &str, arguments: &Value) -> Call {
        self.request(id, "tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Calls `delegate_subagent` to its end.
    pub(crate) fn delegate(&self, arguments: &Value) -> Value {
        self.begin(1, "delegate_subagent", arguments).result()
    }

    pub(crate) fn request(&self, id: u64, method: &str, params: &Value) -> Call {
        let mut params = params.clone();
        if self.version == NEWEST {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = NEWEST.into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).answer();
    }

    fn send(&self, body: &Value) -> Call {
        let (Self { host, path, token, version, .. }, more) = (self, self.headers(body));
        let body = body.to_string();
        let length = body.len();
        let head = format!(
            "POST /{path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: {version}\r\n{more}Content-Length: {length}\r\n\r\n"
        );
        let mut connection = TcpStream::connect(host).unwrap();
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        // One that is refused for its size isn't read to its end.
        connection.write_all((head + &body).as_bytes()).ok();
        Call(connection)
    }
}

impl Client {
    /// Those that only one version of the protocol has.
    fn headers(&self, body: &Value) -> String {
        let line = |name: &str, value: &str| format!("{name}: {value}\r\n");
        let session = self.session.as_ref().map(|id| line("Mcp-Session-Id", id)).unwrap_or_default();
        match (self.version, body["method"].as_str(), body["params"]["name"].as_str()) {
            (NEWEST, Some(method), Some(name)) => line("Mcp-Method", method) + &line("Mcp-Name", name),
            _ => session,
        }
    }
}

impl Call {
    /// All that is said, as it comes.
    pub(crate) fn messages(self) -> impl Iterator<Item = Value> {
        let lines = BufReader::new(self.0).lines().map_while(Result::ok);
        lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?.trim()).ok())
    }

    /// Waits until the server has taken it.
    pub(crate) fn taken(&self, client: &Client) {
        self.0.peek(&mut [0]).unwrap();
        // What a session is sent is taken in its order.
        client.request(1, "tools/list", &json!({})).answer();
    }

    /// Status, headers and body.
    pub(crate) fn answer(mut self) -> (u16, String, String) {
        let mut answer = Vec::new();
        // A connection that was reset has said what it had to say.
        self.0.read_to_end(&mut answer).ok();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, head.to_lowercase(), body.to_owned())
    }

    /// What the tool has brought.
    pub(crate) fn result(self) -> Value {
        let (status, headers, body) = self.answer();
        let events = body
            .lines()
            .filter_map(|line| line.strip_prefix("data: ").or_else(|| line.strip_prefix("data:")));
        let messages =
            events.chain([body.as_str()]).filter_map(|text| serde_json::from_str::<Value>(text).ok());
        let mut results = messages.filter(|message| message.get("id").is_some());
        results.next().unwrap_or_else(|| panic!("{status}: {headers}\n{body}"))["result"].clone()
    }
}

/// Why a call was refused; panics if it wasn't.
#[track_caller]
pub(crate) fn refusal(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    super::tooling::text(&result["content"])
}

/// What came of a call; panics if it was refused.
#[track_caller]
pub(crate) fn outcome(result: &Value) -> &Value {
    assert_ne!(result["isError"], true, "{result}");
    &result["structuredContent"]
}
