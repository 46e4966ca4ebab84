//! Sessions that are taken up again: with the real Claude Code where what it remembers matters, else with a script.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use subagents::ledger::{By, Filter, Kind, Ledger, Session};

use super::launch::PATIENCE;
use super::live::ask;
use super::reply::{Script, agent};
use super::stage::{GLM_KEY, Stage};
use super::terminal::Terminal;
use super::upstream::{DOWN, Upstream};

fn id() -> String {
    let mut hasher = DefaultHasher::new();
    // What is left of a session is known by its id on the whole machine, so each test has one of its own.
    std::thread::current().name().hash(&mut hasher);
    format!("00000000-0000-4000-8000-{:012x}", hasher.finish() & 0xffff_ffff_ffff)
}

/// Says what it was given and where its settings are, then waits to be let go.
const WAITS: &str = "echo \"$*\" >> \"$HOME/args\"; while [ \"$1\" != --settings ]; do shift; done
    cp \"$2\" \"$HOME/new\"; mv \"$HOME/new\" \"$HOME/settings\"; echo ready
    until [ -e \"$HOME/go\" ]; do sleep 0.05; done";

/// Waits for what another process does.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn ledger(stage: &Stage) -> Ledger {
    Ledger::open(&stage.home().join(".local/share/subagents/ledger.db")).unwrap()
}

fn remembered(stage: &Stage) -> Session {
    let [session] = ledger(stage).sessions().unwrap().try_into().unwrap();
    session
}

/// The process that keeps the one session that lives.
fn process(stage: &Stage) -> Pid {
    let folder = stage.home().join(".local/share/subagents/live");
    let mut files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file: PathBuf = files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    let live: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    Pid::from_raw(live["process"].as_i64().unwrap().try_into().unwrap()).unwrap()
}

/// A crash, of which nobody is told.
fn kill(stage: &Stage) {
    let process = process(stage);
    kill_process(process, Signal::KILL).unwrap();
    until("the host's end", || rustix::process::test_kill_process(process).is_err().then_some(()));
}

/// A stage with a script, and one session that is left alone.
fn detached(glm: &Upstream, main: &Upstream) -> Stage {
    let stage = Stage::with_script(WAITS);
    stage.providers(&glm.url(), DOWN).agent("reviewer", "glm/glm-5");
    let run =
        ["run", "--detach", "--name", "shop", "--session", &id(), "--", "--model", "opus", "Please do it."];
    stage.subagents(main, &run).run().expect_code(0);
    said_something(&stage);
    stage
}

/// As Claude Code does.
fn said_something(stage: &Stage) {
    let folder = stage.home().join(".claude/projects/p");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{}.jsonl", id())), "{}\n").unwrap();
}

fn base_url(stage: &Stage) -> String {
    let settings: Value = serde_json::from_slice(&fs::read(stage.home().join("settings")).unwrap()).unwrap();
    settings["env"]["ANTHROPIC_BASE_URL"].as_str().unwrap().to_owned()
}

fn let_go(stage: &Stage) {
    fs::write(stage.home().join("go"), "").unwrap();
    until("the session's end", || {
        remembered(stage).ending.filter(|_| fs::read_dir(stage.sessions()).unwrap().count() == 0)
    });
}

/// `count` whole requests to the route, one after the other.
fn ask_the_route(stage: &Stage, count: usize) {
    let url = format!("{}/v1/messages", base_url(stage));
    for _ in 0..count {
        let body = r#"{"model":"reviewer@glm/glm-5","messages":[],"output_config":{"effort":"low"}}"#;
        assert_eq!(ask("POST", &url, body).0, 200);
    }
}

#[test]
fn the_recorded_route_counts_whatever_the_agents_file_says_now_and_todays_with_current() {
    let stage = Stage::new();
    let (glm, local) = (Upstream::start(Script::talker("glm")), Upstream::start(Script::talker("local")));
    stage.providers(&glm.url(), &local.url()).agent("reviewer", "glm/glm-5");
    let call = || vec![agent("reviewer")];
    let mains =
        [Script::main([call()]), Script::main([vec![], call()]), Script::main([vec![], vec![], call()])];
    let [first, second, third] = mains.map(Upstream::start);
    let run = ["run", "--name", "shop", "--", "--permission-mode", "acceptEdits", "-p", "Please do it."];
    stage.subagents(&first, &run).run().expect_code(0);
    let before = remembered(&stage);

    stage.agent_saying("reviewer", "local/other", "You are another.");
    let ended = stage.subagents(&second, &["resume", "shop", "--", "-p", "Again."]).run().expect_code(0);
    assert!(ended.stderr.contains("resuming session shop"), "{ended:#?}");
    assert_eq!((glm.questions().len(), local.questions().len()), (2, 0));
    assert!(glm.questions()[1].system().contains("You are reviewer."));
    let again = second.questions()[0].clone();
    assert!(again.holds("Please do it.") && again.holds("Again."), "what was said before is known");
    assert_eq!(again.header("x-claude-code-session-id"), before.id.to_string());

    let current = ["resume", "latest", "--current", "--", "-p", "And now?"];
    let ended = stage.subagents(&third, &current).run().expect_code(0);
    assert!(ended.stderr.contains("local/other") && ended.stderr.contains("prompt"), "{ended:#?}");
    assert_eq!((glm.questions().len(), local.questions().len()), (2, 1));
    assert!(local.questions()[0].system().contains("You are another."));

    let session = remembered(&stage);
    assert_eq!(
        (session.id, session.started, session.kind),
        (before.id, before.started, Some(Kind::Terminal))
    );
    assert_eq!(session.conversations, [before.id.to_string()]);
    let asked = [&first, &second, &third].map(|main| main.questions().len()).iter().sum::<usize>() + 3;
    assert_eq!(session.requests, asked as u64, "one session, with all its requests");
}

#[test]
fn h01_a_conversation_survives_the_kill_of_its_host() {
    let stage = Stage::new();
    let glm = Upstream::start(Script::talker("glm"));
    stage.providers(&glm.url(), DOWN).agent("reviewer", "glm/glm-5");
    let (main, second) = (Upstream::start(Script::talker("main")), Upstream::start(Script::talker("second")));
    let run =
        ["run", "--detach", "--name", "shop", "--", "--permission-mode", "acceptEdits", "Please do it."];
    stage.subagents(&main, &run).run().expect_code(0);
    let kept = |text: &str| {
        let text = text.to_owned();
        let session = remembered(&stage).id;
        let projects = fs::read_dir(stage.home().join(".claude/projects")).into_iter().flatten().flatten();
        let mut transcripts = projects.map(|project| project.path().join(format!("{session}.jsonl")));
        transcripts.any(|file| fs::read_to_string(file).is_ok_and(|said| said.contains(&text))).then_some(())
    };
    until("the answer in Claude Code's own record", || kept("main says hello."));
    kill(&stage);
    assert_eq!(remembered(&stage).ending, None, "interrupted");
    let resume = ["resume", "shop", "--detach", "--", "Go on."];
    let ended = stage.subagents(&second, &resume).run().expect_code(0);
    assert!(ended.stderr.contains("which was interrupted"), "{ended:#?}");
    until("the next answer", || kept("second says hello."));
    let asked = second.questions();
    assert!(asked.iter().any(|request| request.holds("Please do it.") && request.holds("Go on.")));
    kill_process(process(&stage), Signal::TERM).unwrap();
    let session = until("its end", || Some(remembered(&stage)).filter(|session| session.ending.is_some()));
    assert_eq!(session.requests, (main.questions().len() + second.questions().len()) as u64);
}

#[test]
fn a_conversation_that_clear_began_is_the_one_that_goes_on() {
    let stage = Stage::new();
    let glm = Upstream::start(Script::talker("glm"));
    stage.providers(&glm.url(), DOWN).agent("reviewer", "glm/glm-5");
    let (main, second) = (Upstream::start(Script::talker("main")), Upstream::start(Script::talker("second")));
    let run = ["run", "--name", "shop", "--", "--permission-mode", "acceptEdits", "Please do it."];
    let mut terminal = Terminal::run(&stage.subagents(&main, &run));
    terminal.expect("main says hello.");
    let say = |terminal: &mut Terminal, said: &str| {
        terminal.keys(said);
        terminal.expect(said);
        terminal.keys("\r");
    };
    say(&mut terminal, "/clear");
    // What is typed before it is done belongs to the conversation before.
    terminal.expect_gone("main says hello.");
    say(&mut terminal, "Do something else.");
    until("a conversation of its own", || {
        main.questions().iter().any(|request| request.holds("Do something else.")).then_some(())
    });
    terminal.expect("main says hello.");
    assert_eq!(terminal.leave().0, 0);
    let session = remembered(&stage);
    let [first, last] = session.conversations.try_into().unwrap();
    assert!(first == session.id.to_string() && last != first);
    stage.subagents(&second, &["resume", "shop", "--", "-p", "Go on."]).run().expect_code(0);
    let again = second.questions()[0].clone();
    assert!(again.holds("Do something else.") && !again.holds("Please do it."));
    assert_eq!(again.header("x-claude-code-session-id"), last);
    assert_eq!(remembered(&stage).conversations, [first, last]);
}

#[test]
fn every_answered_request_is_in_the_ledger_when_the_host_is_killed() {
    let glm = Upstream::start(Script::talker("glm"));
    let main = Upstream::start(Script::talker("main"));
    let stage = detached(&glm, &main);
    let mut lags = Vec::new();
    for round in 1..=10 {
        ask_the_route(&stage, 20);
        let answered = Instant::now();
        until("the last request", || (remembered(&stage).requests == 20 * round).then_some(()));
        lags.push(answered.elapsed());
        kill(&stage);
        let session = remembered(&stage);
        assert_eq!((session.requests, session.ending, session.kind), (20 * round, None, Some(Kind::Host)));
        let report = ledger(&stage).report(By::Agent, &Filter::default()).unwrap();
        assert_eq!((report.total.ok, report.lost, ledger(&stage).check().unwrap().len()), (20 * round, 0, 0));
        let resumed = stage.subagents(&main, &["resume", &id(), "--detach", "--json"]).run().expect_code(0);
        let resumed: Value = serde_json::from_str(&resumed.stdout).unwrap();
        assert_eq!((&resumed["session"], &resumed["name"]), (&id().into(), &"shop".into()));
    }
    let_go(&stage);
    assert!(remembered(&stage).ending.is_some());
    lags.sort();
    // The median: what else the machine does is not measured here.
    assert!(lags[lags.len() / 2] < Duration::from_millis(200), "to the last second: {lags:?}");
}

#[test]
fn what_lasts_of_a_command_line_is_given_again_and_what_was_said_is_not() {
    let (glm, main) = (Upstream::start(Script::talker("glm")), Upstream::start(Script::talker("main")));
    let stage = detached(&glm, &main);
    let_go(&stage);
    stage.subagents(&main, &["resume", "shop", "--", "-p", "Go on."]).run().expect_code(0);
    let args = fs::read_to_string(stage.home().join("args")).unwrap();
    let [first, second] = args.lines().collect::<Vec<_>>().try_into().unwrap();
    assert!(
        first.contains(&format!("--session-id {}", id())) && first.ends_with("--model opus Please do it."),
        "{args}"
    );
    assert!(second.ends_with(&format!("--model opus --resume {} -p Go on.", id())), "{args}");
    assert!(!second.contains("--session-id") && second.contains("--agents"), "{args}");
}

#[test]
fn a_session_that_lives_is_not_taken_up_a_second_time() {
    let (glm, main) = (Upstream::start(Script::talker("glm")), Upstream::start(Script::talker("main")));
    let stage = detached(&glm, &main);
    for wanted in ["shop", &id(), "00000000"] {
        for more in [&[][..], &["--detach"]] {
            let args = [&["resume", wanted], more].concat();
            let ended = stage.subagents(&main, &args).run().expect_code(1);
            assert!(ended.stderr.contains("runs already"), "{ended:#?}");
        }
    }
    // Behind the first look there is the claim.
    let claimed = ["run", "--session", &id()];
    let ended = stage.subagents(&main, &claimed).run().expect_code(1);
    assert!(ended.stderr.contains("runs already"), "{ended:#?}");
    assert_eq!(fs::read_to_string(stage.home().join("args")).unwrap().lines().count(), 1, "none was started");
    let_go(&stage);
}

#[test]
fn what_is_missing_is_told_before_anything_is_started() {
    let (glm, main) = (Upstream::start(Script::talker("glm")), Upstream::start(Script::talker("main")));
    let stage = detached(&glm, &main);
    let_go(&stage);
    let ended = stage.subagents(&main, &["resume", "shop"]).without("GLM_KEY").run().expect_code(3);
    assert!(ended.stderr.contains("GLM_KEY") && !ended.stderr.contains(GLM_KEY), "{ended:#?}");
    let ended = stage.subagents(&main, &["resume", "nobody"]).run().expect_code(2);
    assert!(ended.stderr.contains("nobody") && ended.stderr.contains("shop"), "{ended:#?}");
    let ended = stage.subagents(&main, &["resume", "shop", "--", "--continue"]).run().expect_code(2);
    assert!(ended.stderr.contains("--continue"), "{ended:#?}");
    fs::rename(stage.claude(), stage.claude().with_extension("gone")).unwrap();
    let ended = stage.subagents(&main, &["resume", "shop"]).run().expect_code(127);
    assert!(ended.stderr.contains("claude"), "{ended:#?}");
    fs::remove_dir_all(stage.home().join(".claude/projects")).unwrap();
    let ended = stage.subagents(&main, &["resume", "shop"]).run().expect_code(1);
    assert!(ended.stderr.contains("cleanupPeriodDays"), "{ended:#?}");
    assert_eq!(fs::read_to_string(stage.home().join("args")).unwrap().lines().count(), 1);
    assert!(remembered(&stage).ending.is_some(), "it is as it was");
}

#[test]
fn i03_no_key_stands_in_what_is_recorded_of_a_launch() {
    let (glm, main) = (Upstream::start(Script::talker("glm")), Upstream::start(Script::talker("main")));
    let stage = Stage::with_script(WAITS);
    let server = "mcpServers:\n  x:\n    command: y\n    env:\n      TOKEN: canary-in-an-agent";
    stage.providers(&glm.url(), DOWN).agent("reviewer", &format!("glm/glm-5\n{server}"));
    stage.config_more(
        "[providers.wrong]\nbase_url = \"http://127.0.0.1:1\"\napi_key = \"canary-in-a-file\"\n",
    );
    let settings = r#"{"env":{"MY_KEY":"canary-in-an-argument"}}"#;
    let run = ["run", "--detach", "--session", &id(), "--name", "shop", "--", "--settings", settings];
    stage.subagents(&main, &run).run().expect_code(0);
    said_something(&stage);
    let_go(&stage);
    let launched = ledger(&stage).launched(remembered(&stage).id).unwrap().unwrap();
    let text = format!("{launched:?}");
    assert!(text.contains("env:GLM_KEY") && !text.contains("canary") && !text.contains(GLM_KEY), "{text}");
    let ended = stage.subagents(&main, &["resume", "shop"]).run().expect_code(3);
    assert!(ended.stderr.contains("--settings"), "{ended:#?}");
    let again = ["resume", "shop", "--", "--settings", settings];
    stage.subagents(&main, &again).run().expect_code(0);
    let args = fs::read_to_string(stage.home().join("args")).unwrap();
    assert!(
        args.lines().nth(1).is_some_and(|args| args.contains("canary-in-an-agent")),
        "filled from its file: {args}"
    );
}
