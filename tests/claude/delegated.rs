//! How a delegation ends: by itself, by its time, called off, in the background; and how it is gone on with.

use std::fs;
use std::io::Write;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::launch::headless;
use super::reply::{Script, bash};
use super::room::{Client, DONE, Room, SCRIPT, outcome, read, refusal};
use super::stage::Stage;
use super::tooling::{answers, children, delegate, hidden, said, until};
use super::upstream::{DOWN, Upstream};

/// A child that hears nothing, with two of its own: one in its group, one that has left it.
const STUBBORN: &str =
    "sleep 600 & setsid sleep 601 & trap '' TERM; cat > /dev/null; while :; do sleep 0.05; done";

/// The same, but it ends when it is told to.
const FAMILY: &str = "sleep 600 & setsid sleep 601 & cat > /dev/null; exec sleep 602";

fn furnish(stage: &Stage) {
    stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
}

#[test]
fn d6_a_call_that_is_called_off_takes_all_of_its_child_along() {
    let main = Upstream::start(Script::talker("main"));
    let room = Room::open(&main, FAMILY, furnish);
    let client = room.client();
    let call = client.begin(7, "delegate_subagent", &json!({"agent": "reviewer", "prompt": "p"}));
    until("all three run", || {
        let lines = children(&room.stage);
        ["sleep 600", "sleep 601", "sleep 602"]
            .iter()
            .all(|line| lines.iter().any(|child| child.contains(line)))
    });
    client.notify("notifications/cancelled", &json!({"requestId": 7, "reason": "enough"}));
    until("nothing is left of it", || children(&room.stage).is_empty());
    drop(call);
    room.end();
}

#[test]
fn d6_what_a_child_has_handed_on_ends_with_it() {
    let main = Upstream::start(Script::talker("main"));
    // The first does nothing but wait, those that it starts are three processes each.
    let child = format!(
        r#"[ -e "$HOME/child.json" ] && {{ {FAMILY}; }}; while [ "$1" != --mcp-config ]; do shift; done
        cp "$2" "$HOME/copy"; mv "$HOME/copy" "$HOME/child.json"; cat > /dev/null; exec sleep 604"#
    );
    let room = Room::open(&main, &child, furnish);
    let client = room.client();
    let _call = client.begin(7, "delegate_subagent", &json!({"agent": "reviewer", "prompt": "p"}));
    let file = room.stage.home().join("child.json");
    until("the child has its tools", || file.exists());
    let below = Client::of(&read(&file));
    let _nested = below.begin(1, "delegate_subagent", &json!({"agent": "reviewer", "prompt": "p"}));
    outcome(&below.delegate(&json!({"agent": "reviewer", "prompt": "p", "background": true})));
    until("both of its own run", || {
        children(&room.stage).iter().filter(|line| line.contains("sleep 602")).count() == 2
    });
    client.notify("notifications/cancelled", &json!({"requestId": 7, "reason": "enough"}));
    until("nothing is left of any", || children(&room.stage).is_empty());
    room.end();
}

#[test]
fn d6_children_that_wait_for_their_own_do_not_wait_for_ever() {
    let main = Upstream::start(Script::talker("main"));
    let child = r#"while [ "$1" != --mcp-config ]; do shift; done; cp "$2" "$HOME/copy"; mv "$HOME/copy" "$HOME/child.json"
        cat > /dev/null; exec sleep 605"#;
    let room = Room::open(&main, child, |stage| {
        furnish(stage);
        stage.config_more("[delegation]\nparallel = 1\n");
    });
    let client = room.client();
    let call = client.begin(7, "delegate_subagent", &json!({"agent": "reviewer", "prompt": "p"}));
    let file = room.stage.home().join("child.json");
    until("the child has its tools", || file.exists());
    let told = refusal(&Client::of(&read(&file)).delegate(&json!({"agent": "reviewer", "prompt": "p"})));
    assert!(told.starts_with("1 delegations run") && told.ends_with("do the task yourself"), "{told}");
    client.notify("notifications/cancelled", &json!({"requestId": 7, "reason": "enough"}));
    drop(call);
    let (stage, _) = room.end();
    assert_eq!(children(&stage), [""; 0]);
}

#[test]
fn d6_a_caller_that_goes_away_without_a_word_leaves_no_child() {
    let main = Upstream::start(Script::talker("main"));
    let room = Room::open(&main, FAMILY, furnish);
    let call = room.client().begin(7, "delegate_subagent", &json!({"agent": "reviewer", "prompt": "p"}));
    until("it runs", || children(&room.stage).iter().any(|line| line.contains("sleep 602")));
    drop(call);
    // By this version of the protocol it may come back within five minutes; the session's end doesn't wait for that.
    let (stage, _) = room.end();
    assert_eq!(children(&stage), [""; 0]);
}

#[test]
fn d6_by_the_newest_version_of_the_protocol_to_hang_up_calls_the_child_off() {
    let main = Upstream::start(Script::talker("main"));
    let room = Room::open(&main, FAMILY, furnish);
    let client = Client::newest(&room.tools());
    let call = client.begin(7, "delegate_subagent", &json!({"agent": "reviewer", "prompt": "p"}));
    until("it runs", || children(&room.stage).iter().any(|line| line.contains("sleep 602")));
    drop(call);
    until("nothing is left of it", || children(&room.stage).is_empty());
    room.end();
}

#[test]
fn d6_the_time_ends_it_with_what_it_had_so_far() {
    let main = Upstream::start(Script::talker("main"));
    let says =
        r#"echo '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"So far."}]}}';"#;
    let room = Room::open(&main, &format!("{says} {FAMILY}"), furnish);
    let result = room.client().delegate(&json!({"agent": "reviewer", "prompt": "p", "timeout": 2}));
    let answer = outcome(&result);
    assert_eq!(
        (&answer["ended"], &answer["reason"]),
        (&json!("timeout"), &json!("partial: stopped after 2 s"))
    );
    assert!(said(answer).ends_with("\n\nSo far."), "{answer:#}");
    assert!(answer["elapsed_ms"].as_u64().unwrap() >= 2000, "{answer:#}");
    assert_eq!(children(&room.stage), [""; 0]);
    room.end();
}

#[test]
fn d6_one_that_does_not_heed_the_end_is_killed_after_its_grace() {
    let main = Upstream::start(Script::talker("main"));
    let room = Room::open(&main, STUBBORN, furnish);
    let client = room.client();
    // In the background it has ten seconds, and not thirty.
    let task = json!({"agent": "reviewer", "prompt": "p", "timeout": 1, "background": true});
    let begun = Instant::now();
    let id = outcome(&client.delegate(&task))["id"].clone();
    let result = client.delegate(&json!({"collect": id}));
    assert_eq!(outcome(&result)["ended"], "timeout");
    assert!((11..25).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    assert_eq!(children(&room.stage), [""; 0]);
    room.end();
}

#[test]
fn d6_the_end_of_a_session_ends_what_it_has_in_the_background() {
    let main = Upstream::start(Script::talker("main"));
    let room = Room::open(&main, FAMILY, furnish);
    outcome(&room.client().delegate(&json!({"agent": "reviewer", "prompt": "p", "background": true})));
    until("it runs", || children(&room.stage).iter().any(|line| line.contains("sleep 602")));
    let (stage, _) = room.end();
    assert_eq!(children(&stage), [""; 0]);
}

#[test]
fn d6_a_signal_to_the_session_ends_the_real_child() {
    let call = delegate(json!({"agent": "scout", "prompt": "Say hello."}));
    let main = Upstream::start(Script::main([vec![call]]));
    let glm = Upstream::start(Script::talker("glm").silent());
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url());
    hidden(&stage, "scout", "glm/glm-5");
    let launch = stage.subagents(&main, &headless(&[]));
    let session = launch.start();
    until("the child asks", || !glm.questions().is_empty());
    assert!(!children(&stage).is_empty());
    kill_process(Pid::from_child(&session), Signal::TERM).unwrap();
    launch.ended(session);
    assert_eq!(children(&stage), [""; 0]);
}

#[test]
fn d7_one_in_the_background_is_collected_and_one_that_has_ended_is_gone_on_with_as_it_was() {
    let main = Upstream::start(Script::talker("main"));
    let room = Room::open(&main, &format!(r#"printf '%s ' "$@" >> "$HOME/argv"; {DONE}"#), |stage| {
        stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
        stage.config_more("[policy]\nenabled = true\nallowed = [\"local/qwen3\"]\n");
    });
    let client = room.client();
    let chosen = json!({"agent": "reviewer", "prompt": "p", "provider": "local", "model": "qwen3", "max_turns": 7,
        "reasoning_effort": "high", "background": true});
    let begun = client.delegate(&chosen);
    assert_eq!(outcome(&begun)["ended"], "running");
    let id = &outcome(&begun)["id"];
    let done = client.delegate(&json!({"collect": id}));
    assert_eq!(outcome(&done)["text"].as_str().unwrap().lines().last(), Some("done"));
    assert_eq!(outcome(&client.delegate(&json!({"collect": id}))), outcome(&done), "it can be read again");
    let again = client.delegate(&json!({"continue": id, "prompt": "And now?"}));
    let kept = |answer: &Value| ["id", "agent", "route", "effort"].map(|key| outcome(answer)[key].clone());
    assert_eq!(kept(&again), kept(&done));
    let argv = fs::read_to_string(room.stage.home().join("argv")).unwrap();
    let resumed = argv.split("--resume ").nth(1).unwrap();
    assert!(resumed.starts_with(id.as_str().unwrap()), "{argv}");
    assert!(resumed.contains("--effort high") && resumed.contains("--max-turns 7"), "{resumed}");
    for (key, value) in [("agent", json!("reviewer")), ("max_turns", json!(3)), ("tools", json!(["Bash"]))] {
        let mut task = json!({"continue": id, "prompt": "p"});
        task[key] = value;
        assert!(refusal(&client.delegate(&task)).contains("leave the others out"), "{key}");
    }
    let writing = json!({"continue": id, "prompt": "p", "read_only": false});
    assert!(refusal(&client.delegate(&writing)).contains("changes nothing"));
    room.end();
}

#[test]
fn d7_a_continuation_that_writes_is_asked_for_anew_and_no_caller_gets_more_by_one_than_it_has() {
    let main = Upstream::start(Script::talker("main"));
    let child = r#"printf '%s ' "$@" > "$HOME/argv"; while [ "$1" != --mcp-config ]; do shift; done
        cp "$2" "$HOME/child.json"; cat > /dev/null; until [ -e "$HOME/let-go" ]; do sleep 0.05; done
        echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'"#;
    let room = Room::open(&main, child, furnish);
    let client = room.client();
    let (let_go, argv) = (room.stage.home().join("let-go"), room.stage.home().join("argv"));
    fs::write(&let_go, "").unwrap();
    let first = json!({"agent": "reviewer", "prompt": "p", "read_only": false, "max_turns": 50});
    let id = outcome(&room.announced(&client, "t1", "bypassPermissions", &first).1.result())["id"].clone();
    assert!(fs::read_to_string(&argv).unwrap().contains("--permission-mode bypassPermissions"));
    let (verdict, call) = room.announced(&client, "t2", "default", &json!({"continue": id, "prompt": "p"}));
    outcome(&call.result());
    let line = fs::read_to_string(&argv).unwrap();
    assert_eq!(verdict, "allow");
    assert!(
        line.contains("--allowedTools Read Grep") && line.contains("--permission-mode dontAsk"),
        "{line}"
    );
    let writing = json!({"continue": id, "prompt": "p", "read_only": false});
    let (verdict, call) = room.announced(&client, "t3", "default", &writing);
    outcome(&call.result());
    let line = fs::read_to_string(&argv).unwrap();
    assert_eq!(verdict, "ask");
    assert!(line.contains("--allowedTools Edit Write") && line.contains("--max-turns 50"), "{line}");
    // A child has three turns, and so has what it goes on with.
    fs::remove_file(&let_go).unwrap();
    fs::remove_file(&argv).unwrap();
    fs::remove_file(room.stage.home().join("child.json")).unwrap();
    let narrow =
        client.begin(1, "delegate_subagent", &json!({"agent": "reviewer", "prompt": "p", "max_turns": 3}));
    until("the child runs", || !children(&room.stage).is_empty() && argv.exists());
    until("it has its tools", || {
        fs::read(room.stage.home().join("child.json")).is_ok_and(|read| read.ends_with(b"}\n"))
    });
    let below = Client::of(&read(&room.stage.home().join("child.json")));
    fs::write(&let_go, "").unwrap();
    outcome(&below.delegate(&json!({"continue": id, "prompt": "p"})));
    outcome(&narrow.result());
    let line = fs::read_to_string(&argv).unwrap();
    assert!(line.contains("--max-turns 3 ") || line.ends_with("--max-turns 3"), "{line}");
    room.end();
}

#[test]
fn d7_a_conversation_is_gone_on_with_once_at_a_time() {
    let main = Upstream::start(Script::talker("main"));
    let waits = r#"cat > /dev/null; until [ -e "$HOME/let-go" ]; do sleep 0.05; done; rm -f "$HOME/let-go"
        echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'"#;
    let room = Room::open(&main, waits, furnish);
    let client = room.client();
    let let_go = || fs::write(room.stage.home().join("let-go"), "").unwrap();
    let first = client.begin(1, "delegate_subagent", &json!({"agent": "reviewer", "prompt": "p"}));
    let_go();
    let id = outcome(&first.result())["id"].clone();
    let task = json!({"continue": id, "prompt": "p"});
    let going_on = client.begin(2, "delegate_subagent", &task);
    until("it runs", || !children(&room.stage).is_empty());
    assert!(refusal(&client.delegate(&task)).contains("it still runs"));
    let_go();
    outcome(&going_on.result());
    let_go();
    outcome(&client.delegate(&task));
    room.end();
}

#[test]
fn d7_the_real_child_goes_on_in_its_own_conversation() {
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url());
    hidden(&stage, "scout", "glm/glm-5");
    let main = Upstream::start(Script::main([vec![delegate(
        json!({"agent": "scout", "prompt": "The first task."}),
    )]]));
    stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let id = answers(&main)[0]["id"].as_str().unwrap().to_owned();
    // Another session's model has no business with it, a person may go on.
    let other =
        Upstream::start(Script::main([vec![delegate(json!({"continue": id, "prompt": "The second."}))]]));
    stage.subagents(&other, &headless(&[])).run().expect_code(0);
    assert_eq!(glm.questions().len(), 1);
    let ended = stage.subagents(&main, &["delegate", "--continue", &id, "The third."]).run().expect_code(0);
    let last = glm.questions().pop().unwrap();
    assert!(last.holds("The first task.") && last.holds("The third."), "{ended:#?}");
    assert_eq!(last.model(), "glm-5");
}

#[test]
fn d2_a_shells_output_that_is_held_open_does_not_hold_up_the_end() {
    let call = delegate(json!({"agent": "scout", "prompt": "p", "read_only": false, "tools": ["Bash"]}));
    let main = Upstream::start(Script::main([vec![call]]));
    let glm = Upstream::start(Script::main([vec![bash("setsid sleep 603 & echo started")]]));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url());
    hidden(&stage, "scout", "glm/glm-5");
    let words = headless(&["--permission-mode", "bypassPermissions"]);
    let ended = stage.subagents(&main, &words).env("IS_SANDBOX", "1").run().expect_code(0);
    assert_eq!(answers(&main)[0]["ended"], "success", "{ended:#?}");
    assert_eq!(children(&stage), [""; 0]);
}

#[test]
fn a9_one_that_is_called_off_while_it_waits_is_never_started() {
    let main = Upstream::start(Script::talker("main"));
    let child = r#"echo x >> "$HOME/ran"; cat > /dev/null; until [ -e "$HOME/let-go" ]; do sleep 0.05; done
        echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'"#;
    let room = Room::open(&main, child, |stage| {
        furnish(stage);
        stage.config_more("[delegation]\nparallel = 1\n");
    });
    let client = room.client();
    let (task, ran) = (json!({"agent": "reviewer", "prompt": "p"}), room.stage.home().join("ran"));
    let first = client.begin(7, "delegate_subagent", &task);
    until("the first runs", || ran.exists());
    let second = client.begin(8, "delegate_subagent", &task);
    second.taken(&client);
    client.notify("notifications/cancelled", &json!({"requestId": 8, "reason": "enough"}));
    fs::write(room.stage.home().join("let-go"), "").unwrap();
    outcome(&first.result());
    // Whoever came before it has had its turn by then.
    outcome(&client.begin(9, "delegate_subagent", &task).result());
    assert_eq!(fs::read_to_string(ran).unwrap(), "x\nx\n");
    room.end();
}

#[test]
fn a10_what_the_tools_are_stays_the_same_whatever_a_catalogue_says() {
    let (main, glm) = (Upstream::start(Script::talker("main")), Upstream::start(Script::talker("glm")));
    let room = Room::open(&main, DONE, |stage| {
        stage.providers(&glm.url(), DOWN).agent("reviewer", "glm/glm-5");
        stage.config_more("[policy]\nenabled = true\nallowed = [\"glm/glm-5\"]\n");
    });
    let client = room.client();
    let tools = || client.request(1, "tools/list", &json!({})).result();
    let before = tools();
    // The provider is asked, and has no list.
    let listed = client.begin(2, "list_subagent_models", &json!({"provider": "glm"})).result();
    assert_eq!(outcome(&listed)["models"][0]["model"], "glm-5", "{listed}");
    assert!(glm.seen().iter().any(|asked| asked.target.contains("models")), "it was asked");
    assert_eq!(tools(), before);
    room.end();
}

#[test]
fn d6_a_signal_to_the_server_of_a_pipe_ends_what_it_has_started() {
    let main = Upstream::start(Script::talker("main"));
    let stage = Stage::with_script(SCRIPT);
    furnish(&stage);
    let mut server =
        stage.subagents(&main, &["mcp"]).env("CHILD", FAMILY).start_with(std::process::Stdio::piped());
    let mut stdin = server.stdin.take().unwrap();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}});
    let task = json!({"name": "delegate_subagent", "arguments": {"agent": "reviewer", "prompt": "p"}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": task}),
    ] {
        writeln!(stdin, "{message}").unwrap();
    }
    until("its child runs", || children(&stage).iter().any(|line| line.contains("sleep 602")));
    kill_process(Pid::from_child(&server), Signal::TERM).unwrap();
    // The client's end of the pipe is open all the while.
    let server = std::cell::RefCell::new(server);
    until("nothing is left", || {
        children(&stage).is_empty() && server.borrow_mut().try_wait().unwrap().is_some()
    });
    drop(stdin);
}
