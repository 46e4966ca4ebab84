//! Dialogs of the real Claude Code, answered from outside and by keys.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use subagents::launch::state::{AnswerError, Answerer, Decision, Outcome, Reach, State};

use super::hosted::Hosted;
use super::reply::{Script, agent, bash};
use super::stage::Stage;
use super::upstream::Upstream;

/// A command that Claude Code asks about, and that doesn't end before [`ring`].
const WAITS: &str = "mkfifo bell; read word < bell; echo heard $word";

/// Lets the command end.
fn ring(project: &Path) {
    let rung = Command::new("sh").args(["-c", "echo ring > bell"]).current_dir(project).status();
    assert!(rung.unwrap().success());
}

fn denied() -> Outcome {
    Outcome::Denied { reason: None }
}

#[test]
fn a_dialog_that_is_allowed_from_the_inbox_closes_and_the_tool_runs() {
    let main = Upstream::start(Script::main([vec![bash(WAITS)]]));
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    let dialog = hosted.dialog();
    assert_eq!((dialog.tool.as_str(), &dialog.agent, dialog.reach), ("Bash", &None, Reach::Inbox));
    assert_eq!(*dialog.input, json!({"command": WAITS, "description": "Try it"}));
    hosted.answer(&dialog, Decision::Allow);
    assert!(hosted.is(&State::Working), "it works at once");
    hosted.until("running", |_| stage.project().join("bell").exists());
    ring(&stage.project());
    hosted.until("idle", |hosted| hosted.is(&State::Idle));
    let answer = hosted.settled();
    assert_eq!((answer.dialog, answer.outcome, answer.by), (dialog, Outcome::Allowed, Answerer::Inbox));
    assert!(main.questions().iter().any(|question| question.holds("heard ring")));
}

#[test]
fn a_dialog_that_is_denied_from_the_inbox_tells_the_model_why() {
    let main = Upstream::start(Script::main([vec![bash("touch made")]]));
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    let dialog = hosted.dialog();
    hosted.answer(&dialog, Decision::Deny { reason: Some("Use the door, not the window.".into()) });
    hosted.until("idle", |hosted| hosted.is(&State::Idle));
    assert!(main.questions().iter().any(|question| question.holds("Use the door, not the window.")));
    assert!(!stage.project().join("made").exists());
    assert_eq!(hosted.settled().by, Answerer::Inbox);
    let error = hosted.desk.answer(&dialog.id, Decision::Allow, Answerer::Inbox).unwrap_err();
    assert!(error.to_string().contains("denied from the inbox"), "{error}");
}

#[test]
fn a_dialog_that_is_allowed_by_a_key_leaves_the_inbox_long_before_the_tool_has_run() {
    let main = Upstream::start(Script::main([vec![bash(WAITS)]]));
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    let dialog = hosted.dialog();
    hosted.keys("\r");
    hosted.until("working", |hosted| hosted.is(&State::Working));
    assert!(hosted.desk.dialogs().is_empty());
    let error = hosted.desk.answer(&dialog.id, Decision::Allow, Answerer::Inbox).unwrap_err();
    assert!(matches!(&error, AnswerError::Settled(answer) if answer.by == Answerer::Terminal), "{error}");
    hosted.until("running", |_| stage.project().join("bell").exists());
    ring(&stage.project());
    let answer = hosted.settled();
    assert_eq!((answer.outcome, answer.by), (Outcome::Allowed, Answerer::Terminal));
}

#[test]
fn esc_at_a_dialog_is_a_denial_by_a_key_and_leaves_the_session_idle() {
    let main = Upstream::start(Script::main([vec![bash("touch made")]]));
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    hosted.dialog();
    hosted.keys("\x1b");
    let answer = hosted.settled();
    assert_eq!((answer.outcome, answer.by), (denied(), Answerer::Terminal));
    assert!(hosted.is(&State::Idle) && hosted.desk.dialogs().is_empty());
    assert!(!stage.project().join("made").exists());
}

#[test]
fn an_agents_dialog_is_drawn_at_once_and_is_answered_in_the_session() {
    let script = Script::main([vec![agent("reviewer")]]).with_agents(vec![bash("touch made")]);
    let main = Upstream::start(script);
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    let dialog = hosted.dialog();
    assert_eq!((dialog.agent.as_deref(), dialog.reach), (Some("reviewer"), Reach::Agent));
    let error = hosted.desk.answer(&dialog.id, Decision::Allow, Answerer::Inbox).unwrap_err();
    assert!(error.to_string().contains("answer it in the session"), "{error}");
    hosted.keys("\r");
    let answer = hosted.settled();
    assert_eq!(
        (answer.dialog.id, answer.outcome, answer.by),
        (dialog.id, Outcome::Allowed, Answerer::Terminal)
    );
    hosted.until("idle", |hosted| hosted.is(&State::Idle) && hosted.desk.dialogs().is_empty());
    assert!(fs::exists(stage.project().join("made")).unwrap());
}

#[test]
fn esc_while_the_model_is_asked_leaves_the_session_idle() {
    let main = Upstream::start(Script::talker("main").silent());
    let stage = Stage::new();
    let mut hosted = Hosted::start(&stage, &main);
    hosted.until("asked", |_| !main.questions().is_empty());
    hosted.until("working", |hosted| hosted.is(&State::Working));
    hosted.keys("\x1b");
    hosted.until("idle", |hosted| hosted.is(&State::Idle));
}
