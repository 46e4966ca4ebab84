//! Sessions that Claude Code moves into its own background: the router stays for as long as they live.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use super::launch::PATIENCE;
use super::reply::{Script, agent};
use super::stage::{GLM_KEY, Stage};
use super::upstream::Upstream;

/// Looks again and again, with a pause: each look may start a process.
fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What Claude Code answers to a command of its own.
fn claude(stage: &Stage, words: &[&str]) -> String {
    let mut command = Command::new(stage.claude());
    command.args(words).env_clear().env("HOME", stage.home()).env("PATH", std::env::var("PATH").unwrap());
    let output = command.current_dir(stage.project()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether a session lives on this stage.
fn lives(stage: &Stage) -> bool {
    let folder = stage.home().join(".local/share/subagents/live");
    fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some())
}

fn stop_all(stage: &Stage) {
    let jobs: serde_json::Value = serde_json::from_str(&claude(stage, &["agents", "--json"])).unwrap();
    for job in jobs.as_array().unwrap() {
        claude(stage, &["stop", job["id"].as_str().unwrap()]);
    }
}

/// Starts a session that goes to Claude Code's background at once, and sees its sub-agent on its route.
fn expect_routed(first: &[&str]) {
    let stage = Stage::new();
    let glm = Upstream::start(Script::talker("glm"));
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let words = ["--", "--permission-mode", "dontAsk", "--bg", "Please do it."];
    let launch = stage.subagents(&main, &[first, &words].concat());
    let child = launch.start();
    wait("the sub-agent's request has not come", || !glm.questions().is_empty());
    assert_eq!(glm.questions()[0].header("authorization"), format!("Bearer {GLM_KEY}"));
    assert!(lives(&stage), "the router is there");
    stop_all(&stage);
    wait("the router has outlived the session", || !lives(&stage));
    launch.ended(child).expect_code(0);
}

#[test]
fn h05_a_session_in_claude_codes_background_keeps_its_router_in_a_host() {
    expect_routed(&["run", "--detach"]);
}

#[test]
fn h05_a_session_in_claude_codes_background_keeps_its_router_in_a_terminal() {
    expect_routed(&["run"]);
}
