//! What holds a child that only reads to it, beside its tools.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::launch::{BINARY, headless};
use super::reply::{Script, bash};
use super::room::DONE;
use super::stage::Stage;
use super::tooling::own;
use super::upstream::{DOWN, Upstream};

/// Whether this kernel can keep a child from writing, beside its tools.
#[expect(clippy::print_stderr, reason = "whoever runs the tests should know what they don't show")]
fn has_landlock(stage: &Stage) -> bool {
    let info = stage.bare(&["info", "--json"]).run().expect_code(0);
    let info: Value = serde_json::from_str(&info.stdout).unwrap();
    let has_landlock = info["sandbox"] == "landlock";
    if !has_landlock {
        eprintln!("skipped: this kernel has no Landlock");
    }
    has_landlock
}

/// A hook of the user's, which no tool of the child's limits: it tries to write in the project and beside Claude Code's
/// settings, and tells that it ran where a child may write.
fn hook() -> Value {
    let command = "if [ -n \"$SUBAGENTS_DELEGATION\" ]; then echo x > from-a-hook; echo x > ~/.claude/beside; \
        echo x > ~/beside; echo \"$TMPDIR\" > \"$TMPDIR/own\" && cp \"$TMPDIR/own\" ~/.claude/projects/ran; fi; true";
    let hooks = json!([{"hooks": [{"type": "command", "command": command}]}]);
    json!({"hooks": {"SessionStart": hooks}})
}

/// What a child that only reads was told by its tools, and what is left in the project.
fn look_and_write(stage: &Stage, config: &str) -> (Upstream, Upstream, Vec<String>) {
    let call = own("delegate_subagent", json!({"prompt": "Look.", "agent": "scout"}));
    let main = Upstream::start(Script::main([vec![call]]));
    let write = json!({"name": "Write", "input": {"file_path": "made", "content": "x"}});
    let tries = vec![write, bash("echo x > made"), own("git_status", json!({}))];
    let glm = Upstream::start(Script::main([tries]));
    stage.providers(&glm.url(), &glm.url()).config_more(config);
    stage.agent("scout", "glm/glm-5").settings(&hook());
    let mut init = std::process::Command::new("git");
    let init = init.args(["init", "-q", "-b", "trunk"]).current_dir(stage.project()).status();
    assert!(init.unwrap().success());
    stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let names = std::fs::read_dir(stage.project()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap()).filter(|name| name != ".git");
    (main, glm, names.collect())
}

fn heard(upstream: &Upstream, text: &str) -> bool {
    upstream.questions().iter().any(|request| request.holds(text))
}

#[test]
fn d5_a_child_that_only_reads_looks_at_git_and_writes_nothing() {
    for config in ["", "[delegation]\nsandbox = \"require\"\n"] {
        let stage = Stage::new();
        if has_landlock(&stage) {
            holds(&stage, config);
        }
    }
}

/// Its tools are withheld, and what no tool limits is stopped by the kernel.
fn holds(stage: &Stage, config: &str) {
    let (main, glm, names) = look_and_write(stage, config);
    for text in
        ["No such tool available: Write", "No such tool available: Bash", "## No commits yet on trunk"]
    {
        assert!(heard(&glm, text), "{text}");
    }
    let ran = std::fs::read_to_string(stage.home().join(".claude/projects/ran")).unwrap();
    assert!(ran.contains("/delegations/"), "{ran}");
    assert!(heard(&main, "\\\"sandbox\\\":\\\"landlock\\\""));
    assert_eq!(names, [""; 0]);
    for name in [".claude/beside", "beside"] {
        assert!(!stage.home().join(name).exists(), "{name}");
    }
}

/// `subagents delegate ARGS…` on a kernel that has no Landlock; `None`: there is no such to be had.
#[expect(clippy::print_stderr, reason = "whoever runs the tests should know what they don't show")]
fn without_landlock(stage: &Stage, args: &[&str]) -> Option<Output> {
    let main = Upstream::start(Script::talker("main"));
    let launch = stage.subagents(&main, &[&["delegate"], args].concat());
    let mut python = Command::new("python3");
    python.args(["-c", include_str!("no_landlock.py"), BINARY]).args(&launch.args).env_clear();
    python.envs(launch.environment).current_dir(launch.folder).stdin(Stdio::null());
    let output = python.output().ok().filter(|output| output.status.code() != Some(77));
    if output.is_none() {
        eprintln!("skipped: there is no Python here, or no seccomp");
    }
    output
}

#[test]
fn d5_what_is_required_and_missing_is_refused_before_anything_starts() {
    let stage = Stage::with_script(&format!("echo x >> \"$HOME/started\"; {DONE}"));
    stage.agent("scout", "glm/glm-5");
    let started = || stage.home().join("started").exists();
    let wants = |sandbox: &str| {
        stage.providers(DOWN, DOWN).config_more(&format!("[delegation]\nsandbox = \"{sandbox}\"\n"));
    };
    wants("require");
    let Some(refused) = without_landlock(&stage, &["scout", "Look."]) else { return };
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(5) && said.contains("this system has no Landlock"), "{refused:?}");
    assert!(!started());
    // What may write isn't held, and what is only wished for stops nothing.
    let written = without_landlock(&stage, &["scout", "Write.", "--write"]).unwrap();
    assert!(written.status.success() && started(), "{written:?}");
    wants("best-effort");
    let looked = without_landlock(&stage, &["scout", "Look.", "--json"]).unwrap();
    let told: Value = serde_json::from_slice(&looked.stdout).unwrap();
    assert_eq!((&told["ended"], &told["sandbox"]), (&json!("success"), &json!("none")));
}

#[test]
fn d5_without_a_sandbox_its_tools_alone_hold_a_child() {
    let stage = Stage::new();
    let (main, glm, names) = look_and_write(&stage, "[delegation]\nsandbox = \"off\"\n");
    assert!(heard(&glm, "No such tool available: Write"));
    assert!(heard(&main, "\\\"sandbox\\\":\\\"none\\\""));
    assert_eq!(names, ["from-a-hook"]);
}
