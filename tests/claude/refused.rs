//! Launches that are not made: nothing is started, and the exit code says why.

use std::fs;

use super::launch::headless;
use super::reply::Script;
use super::stage::{GLM_KEY, Stage, USER_TOKEN};
use super::upstream::{DOWN, Upstream};

/// Would leave a trace if it were started.
const TRACE: &str = "touch \"$HOME/started\"";

fn not_started(stage: &Stage, main: &Upstream) {
    assert!(!stage.home().join("started").exists(), "Claude Code was started");
    assert!(!stage.sessions().exists(), "a session's folder was made");
    assert_eq!(main.seen().len(), 0);
}

fn play() -> (Upstream, Stage) {
    let stage = Stage::with_script(TRACE);
    stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
    (Upstream::start(Script::talker("main")), stage)
}

#[test]
fn l9_without_claude_code_the_exit_code_is_127() {
    let (main, stage) = play();
    fs::remove_file(stage.claude()).unwrap();
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(127);
    assert!(ended.stderr.contains("npm install -g @anthropic-ai/claude-code"), "{ended:#?}");
    fs::write(stage.config_dir().join("config.toml"), "").unwrap();
    let ended = stage.subagents(&main, &["run"]).env("PATH", "/nowhere").run().expect_code(127);
    assert!(ended.stderr.contains("is not in PATH"), "{ended:#?}");
    not_started(&stage, &main);
}

#[test]
fn a_missing_secret_is_said_before_anything_starts() {
    let (main, stage) = play();
    let ended = stage.subagents(&main, &headless(&[])).without("GLM_KEY").run().expect_code(3);
    for part in ["reviewer", "glm/glm-5", "GLM_KEY"] {
        assert!(ended.stderr.contains(part), "{part}: {ended:#?}");
    }
    not_started(&stage, &main);
}

#[test]
fn another_cloud_and_a_routed_agent_do_not_go_together() {
    let (main, stage) = play();
    let ended =
        stage.subagents(&main, &headless(&[])).env("CLAUDE_CODE_USE_BEDROCK", "1").run().expect_code(3);
    assert!(ended.stderr.contains("CLAUDE_CODE_USE_BEDROCK is set"), "{ended:#?}");
    not_started(&stage, &main);
}

#[test]
fn an_agent_that_is_not_there_is_said_with_those_that_are() {
    let (main, stage) = play();
    let ended = stage.subagents(&main, &["run", "--agent", "nobody"]).run().expect_code(3);
    assert!(ended.stderr.contains("no usable agent `nobody` (there is: reviewer)"), "{ended:#?}");
    not_started(&stage, &main);
}

#[test]
fn l2_a_dry_run_starts_nothing_and_shows_no_secret() {
    let (main, stage) = play();
    let ended = stage.subagents(&main, &["run", "--dry-run", "--", "-p", "it's me"]).run().expect_code(0);
    for part in
        ["--agents", "reviewer@glm/glm-5", "http://127.0.0.1:PORT/s/TOKEN", "-u GLM_KEY", "settings.json"]
    {
        assert!(ended.stdout.contains(part), "{part}: {ended:#?}");
    }
    for secret in [GLM_KEY, USER_TOKEN] {
        assert!(!ended.stdout.contains(secret) && !ended.stderr.contains(secret), "{ended:#?}");
    }
    not_started(&stage, &main);
    // A secret that can't be read is no hindrance, because none is read.
    stage.subagents(&main, &["run", "--dry-run"]).without("GLM_KEY").run().expect_code(0);
}

#[test]
fn l2_a_dry_run_as_json_holds_the_whole_command() {
    let (main, stage) = play();
    let ended = stage.subagents(&main, &["run", "--dry-run", "--json"]).run().expect_code(0);
    let shown: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(shown["program"], stage.claude().to_str().unwrap());
    assert_eq!(shown["agents"]["reviewer"]["model"], "reviewer@glm/glm-5");
    assert_eq!(shown["env"]["remove"], serde_json::json!(["GLM_KEY"]));
    assert_eq!(shown["files"][0]["mode"], "0600");
    not_started(&stage, &main);
}
