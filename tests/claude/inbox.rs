//! Dialogs of the real Claude Code, answered from the inbox and by keys; and a session from its start to its resumption.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::hosted::{Hosted, NAME};
use super::reply::{Script, agent, bash};
use super::stage::Stage;
use super::upstream::Upstream;

/// A command that Claude Code asks about, and that doesn't end before [`ring`].
const WAITS: &str = "mkfifo bell; read word < bell; echo heard $word";

/// Lets the command end, once it runs.
fn ring(hosted: &mut Hosted<'_>, project: &Path) {
    hosted.until("running", |_| project.join("bell").exists().then_some(()));
    let rung = Command::new("sh").args(["-c", "echo ring > bell"]).current_dir(project).status();
    assert!(rung.unwrap().success());
}

fn answer(decision: &str, by: &str) -> (String, String) {
    (decision.to_owned(), by.to_owned())
}

#[test]
fn a_dialog_that_is_allowed_from_the_inbox_closes_and_the_tool_runs() {
    let main = Upstream::start(Script::main([vec![bash(WAITS)]]));
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    let dialog = hosted.dialog();
    assert_eq!((&dialog["tool"], &dialog["agent"]), (&json!("Bash"), &Value::Null));
    assert_eq!(dialog["input"], json!({"command": WAITS, "description": "Try it"}));
    hosted.answer(&["allow"], &dialog).expect_code(0);
    assert_eq!(hosted.listed()["state"], "working", "it works at once");
    ring(&mut hosted, &stage.project());
    hosted.until_state("idle");
    assert_eq!(hosted.settled(1), answer("allow", "inbox"));
    assert!(main.questions().iter().any(|question| question.holds("heard ring")));
}

#[test]
fn a_dialog_that_is_denied_from_the_inbox_is_settled() {
    let main = Upstream::start(Script::main([vec![bash("touch made")]]));
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    let dialog = hosted.dialog();
    hosted.answer(&["deny"], &dialog).expect_code(0);
    hosted.until_state("idle");
    assert!(main.questions().iter().any(|question| question.holds("without a reason")));
    assert!(!stage.project().join("made").exists());
    assert_eq!(hosted.settled(1), answer("deny", "inbox"));
    let late = hosted.answer(&["allow"], &dialog).expect_code(1);
    assert!(late.stderr.contains("denied from the inbox"), "{late:#?}");
}

#[test]
fn a_dialog_that_is_allowed_by_a_key_leaves_the_inbox_long_before_the_tool_has_run() {
    let main = Upstream::start(Script::main([vec![bash(WAITS)]]));
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    let dialog = hosted.dialog();
    hosted.terminal.keys("\r");
    hosted.until_state("working");
    assert!(hosted.dialogs().is_empty());
    let late = hosted.answer(&["allow"], &dialog).expect_code(1);
    assert!(late.stderr.contains("by a key in the session"), "{late:#?}");
    ring(&mut hosted, &stage.project());
    assert_eq!(hosted.settled(1), answer("allow", "terminal"));
}

#[test]
fn esc_at_a_dialog_is_a_denial_by_a_key_and_leaves_the_session_idle() {
    let main = Upstream::start(Script::main([vec![bash("touch made")]]));
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    hosted.dialog();
    hosted.terminal.keys("\x1b");
    assert_eq!(hosted.settled(1), answer("deny", "terminal"));
    assert!(hosted.listed()["state"] == "idle" && hosted.dialogs().is_empty());
    assert!(!stage.project().join("made").exists());
}

#[test]
fn an_agents_dialog_is_drawn_at_once_and_is_answered_in_the_session() {
    let script = Script::main([vec![agent("reviewer")]]).with_agents(vec![bash("touch made")]);
    let main = Upstream::start(script);
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    let dialog = hosted.dialog();
    assert_eq!((&dialog["agent"], &dialog["answerable"]), (&json!("reviewer"), &json!(false)));
    let refused = hosted.answer(&["allow"], &dialog).expect_code(1);
    assert!(refused.stderr.contains("answer it in the session"), "{refused:#?}");
    hosted.terminal.keys("\r");
    assert_eq!(hosted.settled(1), answer("allow", "terminal"));
    hosted.until_state("idle");
    assert!(hosted.dialogs().is_empty() && fs::exists(stage.project().join("made")).unwrap());
}

#[test]
fn esc_while_the_model_is_asked_leaves_the_session_idle() {
    let main = Upstream::start(Script::talker("main").silent());
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    hosted.until("asked", |_| (!main.questions().is_empty()).then_some(()));
    hosted.until_state("working");
    hosted.terminal.keys("\x1b");
    hosted.until_state("idle");
}

#[test]
fn what_is_asked_before_the_session_waits_for_the_person_in_the_session() {
    let main = Upstream::start(Script::talker("main"));
    let stage = Stage::new();
    fs::write(stage.home().join(".claude.json"), r#"{"hasCompletedOnboarding": true, "theme": "dark"}"#)
        .unwrap();
    let mut hosted = Hosted::with(&stage, &main, &[]);
    hosted.until_state("waiting");
    assert_eq!((hosted.unseen(), hosted.dialogs().len()), (1, 0));
    hosted.terminal.choose("Yes, I trust this folder");
    hosted.until_state("idle");
    assert_eq!(hosted.unseen(), 0);
}

#[test]
fn a_dialog_that_no_hook_ends_is_over_once_it_is_refused() {
    let main = Upstream::start(Script::main([vec![bash(WAITS)]]));
    let stage = Stage::new();
    let mut hosted = Hosted::in_mode(&stage, &main, "auto", &["Please do it."]);
    hosted.terminal.expect("Auto mode can't check actions in this session");
    hosted.until_state("waiting");
    hosted.terminal.ponder();
    hosted.terminal.keys("\r");
    hosted.terminal.expect("Do you want to proceed?");
    hosted.terminal.ponder();
    hosted.terminal.ponder();
    assert_eq!((hosted.listed()["state"].as_str(), hosted.unseen()), (Some("waiting"), 1), "it goes on");
    hosted.terminal.keys("\r");
    hosted.terminal.expect("Interrupted");
    hosted.until_state("idle");
    assert_eq!(hosted.unseen(), 0);
}

/// Says something to Claude Code.
fn say(hosted: &mut Hosted<'_>, words: &str) {
    hosted.terminal.keys(words);
    hosted.terminal.expect(words);
    hosted.terminal.keys("\r");
}

fn whole(stage: &Stage, made: &str) -> Option<()> {
    stage.project().join(made).exists().then_some(())
}

#[test]
fn h01_a_session_is_lived_in_from_terminals_and_inbox_and_goes_on_after_the_kill_of_its_host() {
    let calls = ["touch one", "touch two", "touch three"].map(|command| vec![bash(command)]);
    let (main, second) = (Upstream::start(Script::main(calls)), Upstream::start(Script::talker("second")));
    let stage = Stage::new();
    let mut hosted = Hosted::with(&stage, &main, &[]);
    hosted.until_state("idle");
    say(&mut hosted, "Please do it.");
    hosted.dialog();
    hosted.terminal.keys("\r");
    hosted.until("the first file", |_| whole(&stage, "one"));
    let dialog = hosted.dialog();
    assert_eq!(dialog["input"]["command"], "touch two");
    hosted.answer(&["allow"], &dialog).expect_code(0);
    hosted.until("the second file", |_| whole(&stage, "two"));
    let dialog = hosted.dialog();
    assert_eq!(dialog["input"]["command"], "touch three");
    hosted.answer(&["deny", "--reason", "Use the door, not the window."], &dialog).expect_code(0);
    hosted.terminal.expect("upstream heard: ");
    assert!(main.questions().iter().any(|question| question.holds("Use the door, not the window.")));
    let answers = [("allow", "terminal"), ("allow", "inbox"), ("deny", "inbox")];
    assert_eq!(hosted.settled(3), answer("deny", "inbox"));
    assert_eq!(hosted.answers(), answers.map(|(decision, by)| answer(decision, by)));
    assert!(!stage.project().join("three").exists());
    hosted.terminal.keys("\x1dd");
    assert_eq!(hosted.terminal.end().0, 0);

    let mut again = Hosted::attach(&stage, &main, (72, 50));
    again.terminal.expect("upstream heard: ");
    let line = "─".repeat(72);
    again.until("drawn anew for its size", |again| again.terminal.text().contains(&line).then_some(()));
    let (code, screen) = again.kill();
    assert!(code == 1 && screen.contains("was interrupted"), "{code}: {screen}");
    assert_eq!(hosted.listed()["state"], "interrupted");

    let resumed = stage.subagents(&second, &["resume", NAME, "--detach"]).run().expect_code(0);
    assert!(resumed.stderr.contains("which was interrupted"), "{resumed:#?}");
    let mut resumed = Hosted::attach(&stage, &second, (100, 30));
    resumed.terminal.expect("upstream heard: ");
    resumed.until_state("idle");
    say(&mut resumed, "Go on.");
    resumed.terminal.expect("second says hello.");
    let heard = ["Please do it.", "Use the door, not the window.", "Go on."];
    assert!(second.questions().iter().any(|asked| heard.iter().all(|words| asked.holds(words))));
    stage.subagents(&second, &["stop", NAME]).run().expect_code(0);
    let listed = resumed.listed();
    let asked = main.questions().len() + second.questions().len();
    assert_eq!((&listed["state"], &listed["requests"]), (&json!("ended"), &json!(asked)));
}
