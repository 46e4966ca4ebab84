//! What a client hears of a child while it waits for it.

use serde_json::{Value, json};

use super::claude_code;
use super::launch::headless;
use super::reply::Script;
use super::room::{Client, DONE, Room};
use super::stage::Stage;
use super::terminal::Terminal;
use super::tooling::{answers, delegate};
use super::upstream::{DOWN, Upstream};

/// A child that uses a tool, says something, and ends.
const BUSY: &str = r#"cat > /dev/null
    echo '{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","name":"Read","input":{"file_path":"/a.rs"}}]}}'
    echo '{"type":"assistant","message":{"id":"b","content":[{"type":"text","text":"So it is."}]}}'
    until [ -e "$HOME/let-go" ]; do sleep 0.05; done
    echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'"#;

fn furnish(stage: &Stage) {
    stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
}

fn params(meta: &Value) -> Value {
    json!({"name": "delegate_subagent", "arguments": {"agent": "reviewer", "prompt": "p"}, "_meta": meta})
}

#[test]
fn whoever_asks_for_progress_gets_it_while_the_child_works_and_none_after_its_end() {
    let main = Upstream::start(Script::talker("main"));
    let room = Room::open(&main, BUSY, furnish);
    let client = room.client();
    let mut asked = client.request(7, "tools/call", &params(&json!({"progressToken": "mine"}))).messages();
    let told = |message: &Value| {
        assert_eq!(message["method"], "notifications/progress", "{message}");
        assert_eq!(message["params"]["progressToken"], "mine");
        (message["params"]["progress"].as_f64().unwrap(), message["params"]["message"].clone())
    };
    // The child can't end before it is let go.
    assert_eq!(told(&asked.next().unwrap()), (1.0, json!("Read /a.rs")));
    assert_eq!(told(&asked.next().unwrap()), (2.0, json!("So it is.")));
    std::fs::write(room.stage.home().join("let-go"), "").unwrap();
    let last = asked.next().unwrap();
    assert_eq!((&last["id"], &last["result"]["structuredContent"]["ended"]), (&json!(7), &json!("success")));
    assert_eq!(asked.next(), None, "the answer is the last that is said");
    let mut silent = client.request(8, "tools/call", &params(&json!({}))).messages();
    assert_eq!(silent.next().unwrap()["id"], 8, "nobody else is told");
    room.end();
}

#[test]
fn a_client_of_the_newest_version_gets_progress_too() {
    let main = Upstream::start(Script::talker("main"));
    let room = Room::open(&main, BUSY, furnish);
    std::fs::write(room.stage.home().join("let-go"), "").unwrap();
    let client = Client::newest(&room.tools());
    let call = client.request(7, "tools/call", &params(&json!({"progressToken": 3})));
    let messages: Vec<Value> = call.messages().collect();
    let lines: Vec<&Value> = messages.iter().map(|message| &message["params"]["message"]).collect();
    assert_eq!(lines, [&json!("Read /a.rs"), &json!("So it is."), &Value::Null], "{messages:#?}");
    assert_eq!(messages[2]["result"]["structuredContent"]["ended"], "success");
    room.end();
}

#[test]
fn claude_code_asks_for_progress_and_shows_it() {
    let main =
        Upstream::start(Script::main([vec![delegate(json!({"agent": "reviewer", "prompt": "Look."}))]]));
    let real = claude_code::real().display();
    let script = format!(r#"case " $* " in *" stream-json "*) {BUSY}; exit;; esac; exec {real} "$@""#);
    let stage = Stage::with_script(&script);
    furnish(&stage);
    let words = ["run", "--", "--permission-mode", "default", "Please do it."];
    let mut terminal = Terminal::run(&stage.subagents(&main, &words));
    terminal.expect("So it is.");
    std::fs::write(stage.home().join("let-go"), "").unwrap();
    terminal.expect("upstream heard: ");
    assert_eq!(terminal.leave().0, 0);
}

#[test]
#[ignore = "is silent for more than a minute"]
fn claude_code_waits_for_a_child_that_says_nothing_for_longer_than_it_gives_a_silent_call() {
    let main =
        Upstream::start(Script::main([vec![delegate(json!({"agent": "reviewer", "prompt": "Think."}))]]));
    let real = claude_code::real().display();
    let thinks = DONE.replace("; echo", "; sleep 75; echo");
    let script = format!(r#"case " $* " in *" stream-json "*) {thinks}; exit;; esac; exec {real} "$@""#);
    let stage = Stage::with_script(&script);
    furnish(&stage);
    // Five minutes, if nothing is said; it looks every half.
    let launch = stage.subagents(&main, &headless(&[])).env("CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT", "35000");
    let ended = launch.run().expect_code(0);
    assert_eq!(answers(&main)[0]["ended"], "success", "{ended:#?}");
}
