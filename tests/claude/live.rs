//! A session while it runs: its figures, its hooks, its log, and the signals that end it. A script stands in Claude
//! Code's place; what it would ask the router, the test asks.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use super::launch::{Ended, Launch, headless};
use super::reply::Script;
use super::stage::{GLM_KEY, Stage, USER_TOKEN};
use super::upstream::{DOWN, Upstream};

/// An old version that says its process id and where its settings are, then waits to be let go.
const WAITS: &str = "[ \"$1\" != --version ] || { echo '2.1.74 (Claude Code)'; exit; }
    while [ \"$1\" != --settings ]; do shift; done
    echo \"$$ $2\"; until [ -e \"$HOME/go\" ]; do sleep 0.05; done";

/// A session that has started, and what its child was told.
struct Live {
    stage: Stage,
    launch: Launch,
    child: Child,
    script: Pid,
    settings: Value,
}

impl Live {
    /// `change` may add to the launch.
    fn start(change: impl FnOnce(Launch) -> Launch) -> Self {
        let stage = Stage::with_script(WAITS);
        stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
        let main = Upstream::start(Script::talker("main"));
        let launch = change(stage.subagents(&main, &headless(&[])));
        let mut child = launch.start();
        let said = BufReader::new(child.stdout.take().unwrap()).lines().next().unwrap().unwrap();
        let (script, file) = said.split_once(' ').unwrap();
        let settings = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        let script = Pid::from_raw(script.parse().unwrap()).unwrap();
        Self { stage, launch, child, script, settings }
    }

    fn base_url(&self) -> &str {
        self.settings["env"]["ANTHROPIC_BASE_URL"].as_str().unwrap()
    }

    fn hook_url(&self) -> &str {
        self.settings["hooks"]["Stop"][0]["hooks"][0]["url"].as_str().unwrap()
    }

    fn stats_url(&self) -> String {
        self.hook_url().replace("/hook", "/stats")
    }

    /// Posts an event as Claude Code does.
    fn hook(&self, event: &Value) -> (u16, Value) {
        ask("POST", self.hook_url(), &event.to_string())
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Lets the script end, and waits for all.
    fn end(self) -> (Stage, Ended) {
        fs::write(self.stage.home().join("go"), "").unwrap();
        self.ended()
    }

    fn ended(self) -> (Stage, Ended) {
        (self.stage, self.launch.ended(self.child))
    }
}

/// One request on a connection of its own: the answer's status and its JSON.
pub(crate) fn ask(method: &str, url: &str, body: &str) -> (u16, Value) {
    ask_with("X-Nothing: more", method, url, body)
}

/// The same with more headers.
pub(crate) fn ask_with(headers: &str, method: &str, url: &str, body: &str) -> (u16, Value) {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let length = body.len();
    let mut connection = TcpStream::connect(host).unwrap();
    write!(
        connection,
        "{method} /{path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {USER_TOKEN}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap_or(Value::Null))
}

#[test]
fn figures_are_there_for_whoever_knows_the_token_while_a_session_runs() {
    let live = Live::start(|launch| launch);
    let (status, figures) = ask("GET", &live.stats_url(), "");
    let keys: Vec<&str> = figures.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(status, 200);
    assert_eq!(
        keys,
        ["version", "session", "started", "hooks", "bypass", "unseen", "routes", "agents", "strays"]
    );
    assert_eq!((&figures["version"], &figures["hooks"]), (&json!(1), &json!(false)));
    assert_eq!(figures["routes"][1]["route"], "glm/glm-5");
    live.hook(&json!({"hook_event_name": "SessionEnd", "reason": "other"}));
    assert_eq!(ask("GET", &live.stats_url(), "").1["hooks"], true);
    let token = live.base_url().rsplit('/').next().unwrap();
    let hook_url = live.hook_url();
    let root = &hook_url[..hook_url.find("/.subagents/").unwrap()];
    assert_eq!(ask("GET", &format!("{root}/.subagents/{token}/stats"), "").0, 401, "the router's token");
    live.end().1.expect_code(0);
}

#[test]
fn a_hook_is_never_kept_waiting() {
    let live = Live::start(|launch| launch);
    let events = [
        json!({"hook_event_name": "UserPromptSubmit", "prompt": "x".repeat(100_000)}),
        json!({"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"subagent_type": "reviewer"}}),
        json!({"hook_event_name": "SubagentStart", "agent_id": "a", "agent_type": "reviewer"}),
        json!({"hook_event_name": "SubagentStop", "agent_id": "a"}),
        json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash"}),
        json!({"hook_event_name": "Notification", "notification_type": "idle_prompt"}),
        json!({"hook_event_name": "Stop"}),
        json!("not an event"),
    ];
    let time = |event: &Value| {
        let asked = Instant::now();
        assert_eq!(live.hook(event), (200, json!({})));
        asked.elapsed()
    };
    let mut times: Vec<Duration> = events.iter().cycle().take(40).map(time).collect();
    times.sort();
    // The median: what else the machine does is not measured here.
    assert!(times[times.len() / 2] < Duration::from_millis(50), "{times:?}");
    live.end().1.expect_code(0);
}

#[test]
fn a07_a_prompt_that_no_request_follows_is_a_bypass() {
    let live = Live::start(|launch| launch);
    for event in ["UserPromptSubmit", "Stop"] {
        live.hook(&json!({"hook_event_name": event}));
    }
    let (_stage, ended) = live.end();
    let stats = ended.stats();
    assert!(stats["bypass"].as_str().is_some_and(|cause| cause.contains("no request reached")), "{stats}");
    assert!(ended.stderr.contains("Bypassed: "), "{ended:#?}");
    ended.expect_code(0);
}

#[test]
fn f13_where_no_agent_was_seen_an_old_version_is_told() {
    let live = Live::start(|launch| launch);
    live.hook(&json!({"hook_event_name": "UserPromptSubmit"}));
    ask("POST", &format!("{}/v1/messages", live.base_url()), &json!({"model": "claude-opus-5"}).to_string());
    assert_eq!(ask("GET", &live.stats_url(), "").1["unseen"], json!(["reviewer"]));
    let ended = live.end().1;
    let told = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let expect = "Never seen on the wire: reviewer. Claude Code 2.1.74 is older than 2.1.332,";
    assert!(told.contains(expect) && told.contains("anthropics/claude-code#33513"), "{ended:#?}");
    ended.expect_code(0);
}

#[test]
fn f13_an_agent_that_was_started_or_called_off_its_route_was_seen() {
    let started = json!({"hook_event_name": "SubagentStart", "agent_id": "a", "agent_type": "reviewer"});
    let input = json!({"subagent_type": "reviewer", "model": "opus"});
    let strayed = json!({"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": input});
    for event in [started, strayed] {
        let live = Live::start(|launch| launch);
        ask(
            "POST",
            &format!("{}/v1/messages", live.base_url()),
            &json!({"model": "claude-opus-5"}).to_string(),
        );
        live.hook(&event);
        let (_stage, ended) = live.end();
        assert_eq!(ended.stats()["unseen"], json!([]), "{event}");
        assert!(!ended.stderr.contains("Never seen"), "{ended:#?}");
        ended.expect_code(0);
    }
}

#[test]
fn h01_h09_sigterm_and_sighup_end_the_child_and_leave_nothing() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let live = Live::start(|launch| launch);
        assert_eq!(fs::read_dir(live.stage.sessions()).unwrap().count(), 1);
        let script = live.script;
        live.signal(signal);
        let (stage, ended) = live.ended();
        ended.expect_code(code);
        assert!(test_kill_process(script).is_err(), "the child is gone");
        assert_eq!(fs::read_dir(stage.sessions()).unwrap().count(), 0);
    }
}

#[test]
fn what_a_dead_process_left_of_a_session_is_replaced() {
    let session = "00000000-0000-4000-8000-000000000007";
    let stage = Stage::with_script("exit 0");
    stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
    let folder = stage.sessions().join(session);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("settings.json"), "a dead one's").unwrap();
    let main = Upstream::start(Script::talker("main"));
    stage.subagents(&main, &["run", "--session", session]).run().expect_code(0);
    assert!(!folder.exists(), "the session's files are gone with it");
}

#[test]
fn l10_an_agent_that_is_switched_off_needs_no_secret_and_no_router() {
    let stage = Stage::with_script("echo \"$ANTHROPIC_BASE_URL\"");
    stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5\nsubagents:\n  visibility: off");
    let main = Upstream::start(Script::talker("main"));
    let ended = stage.subagents(&main, &["run"]).without("GLM_KEY").run().expect_code(0);
    assert_eq!(ended.stdout.trim(), main.url());
}

#[test]
fn i03_the_log_is_private_and_holds_no_secret() {
    let live = Live::start(|launch| launch.env("SUBAGENTS_LOG", "trace"));
    let tokens = [live.base_url().rsplit('/').next(), live.hook_url().rsplit('/').nth(1)].map(Option::unwrap);
    let tokens = tokens.map(str::to_owned);
    for model in ["reviewer@glm/glm-5", "claude-opus-5"] {
        ask("POST", &format!("{}/v1/messages", live.base_url()), &json!({"model": model}).to_string());
    }
    ask("POST", &format!("{}0/v1/messages", live.base_url()), "{}");
    live.hook(&json!({"hook_event_name": "Stop"}));
    let (stage, ended) = live.end();
    let file = stage.home().join(".local/state/subagents/subagents.log");
    let log = fs::read_to_string(&file).unwrap();
    assert!(log.contains("glm/glm-5") && log.contains("502"), "the unreachable route is told: {log}");
    for secret in tokens.iter().map(String::as_str).chain([GLM_KEY, USER_TOKEN]) {
        assert!(!log.contains(secret) && !ended.stderr.contains(secret), "{secret}: {log}");
    }
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!ended.stderr.contains("DEBUG"), "the terminal is not logged to");
    ended.expect_code(0);
}

#[test]
fn nothing_is_logged_unasked_and_a_filter_that_is_none_is_a_mistake() {
    let (stage, ended) = Live::start(|launch| launch).end();
    ended.expect_code(0);
    assert!(!stage.home().join(".local/state").exists());
    let ended = stage.bare(&["doctor"]).env("SUBAGENTS_LOG", "a=b=c").run().expect_code(2);
    assert!(ended.stderr.contains("SUBAGENTS_LOG"), "{ended:#?}");
}
