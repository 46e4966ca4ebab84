//! The desk as those who share it see it.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;

use super::*;
use crate::launch::hook::{Agent, Asked, HookAnswer};
use crate::launch::screen;

const PATIENCE: Duration = Duration::from_secs(20);

fn asked(agent: Option<&str>) -> Asked {
    let agent = agent.map(|name| Agent { id: "a1".into(), name: name.into() });
    Asked { tool: "Bash".into(), input: Arc::new(json!({"command": "ls"})), agent }
}

fn no(reason: &str) -> Decision {
    Decision::Deny { reason: Some(reason.into()) }
}

/// What a hook is answered once somebody has done something about its dialog.
async fn held(desk: &Desk, act: impl FnOnce(&DialogId)) -> HookAnswer {
    let asked = asked(None);
    let mut hold = pin!(desk.hold(&asked));
    tokio::select! {
        biased;
        answer = &mut hold => panic!("answered at once: {answer:?}"),
        () = std::future::ready(()) => {}
    }
    act(&desk.dialogs()[0].id);
    timeout(PATIENCE, hold).await.unwrap()
}

#[tokio::test]
async fn the_first_answer_counts_and_the_second_is_told_so() {
    let desk = Desk::new("blue".into());
    let mut answers = desk.answers();
    let answer = held(&desk, |id| {
        desk.answer(id, no("Use the door."), Answerer::Inbox).unwrap();
        let error = desk.answer(id, Decision::Allow, Answerer::Inbox).unwrap_err();
        assert!(error.to_string().contains("denied from the inbox"), "{error}");
    });
    assert_eq!(answer.await, HookAnswer::Refuse { reason: "Use the door.".into() });
    let told = answers.try_recv().unwrap();
    assert_eq!((told.dialog.tool.as_str(), told.by), ("Bash", Answerer::Inbox));
    assert_eq!(told.outcome, Outcome::Denied { reason: Some("Use the door.".into()) });
    assert!(answers.try_recv().is_err() && desk.dialogs().is_empty());
}

#[tokio::test]
async fn of_many_answers_at_once_one_counts() {
    let desk = Desk::new("blue".into());
    let answer = held(&desk, |id| {
        let taken = std::thread::scope(|scope| {
            let answer = |_| scope.spawn(|| desk.answer(id, Decision::Allow, Answerer::Inbox).is_ok());
            let threads: Vec<_> = (0..8).map(answer).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).filter(|ok| *ok).count()
        });
        assert_eq!(taken, 1);
    });
    assert_eq!(answer.await, HookAnswer::Permit);
}

#[tokio::test]
async fn what_only_the_session_can_answer_is_listed_and_never_held() {
    let desk = Desk::new("blue".into());
    let answer = timeout(PATIENCE, desk.hold(&asked(Some("reviewer")))).await.unwrap();
    assert_eq!(answer, HookAnswer::Nothing);
    let dialog = desk.dialogs().remove(0);
    assert_eq!(dialog.agent.as_deref(), Some("reviewer"));
    let error = desk.answer(&dialog.id, Decision::Allow, Answerer::Inbox).unwrap_err();
    assert!(error.to_string().contains("answer it in the session"), "{error}");
    assert_eq!(desk.dialogs(), [dialog]);
}

#[tokio::test]
async fn a_connection_that_is_dropped_settles_its_dialog_as_unknown_and_after_a_key_as_denied() {
    for (key, outcome) in [(false, Outcome::Unknown), (true, Outcome::Denied { reason: None })] {
        let desk = Desk::new("blue".into());
        let mut answers = desk.answers();
        let asked = asked(None);
        assert!(timeout(Duration::ZERO, desk.hold(&asked)).await.is_err(), "it is held");
        assert_eq!(answers.try_recv().unwrap().outcome, Outcome::Unknown);
        let mut hold = Box::pin(desk.hold(&asked));
        assert!(timeout(Duration::ZERO, &mut hold).await.is_err());
        if key {
            desk.received(b"\x1b[I");
            desk.received(b"\x1b");
        }
        drop(hold);
        assert_eq!(answers.try_recv().unwrap().outcome, outcome);
    }
}

#[tokio::test]
async fn a_dialog_that_left_the_screen_lets_its_hook_go_without_a_decision() {
    let desk = Desk::new("blue".into());
    let title = |mark: &str| desk.told(&screen::Event::Title(format!("{mark} Claude Code")));
    let answer = held(&desk, |_| {
        title("✳");
        desk.typed();
        title("◐");
    });
    let keep_time = async {
        desk.keep_time().await;
        HookAnswer::Nothing
    };
    let answer = async {
        tokio::select! { answer = answer => answer, answer = keep_time => answer }
    };
    assert_eq!(timeout(PATIENCE, answer).await.unwrap(), HookAnswer::Nothing);
    assert_eq!(desk.status().state, State::Working);
}

#[tokio::test]
async fn those_who_follow_hear_of_a_wait_once() {
    let desk = Desk::new("blue\u{7}".into());
    let (mut status, mut notices) = (desk.watch(), desk.notices());
    desk.heard(&HookEvent::PermissionAsked(asked(Some("reviewer"))));
    timeout(PATIENCE, status.changed()).await.unwrap().unwrap();
    assert!(matches!(status.borrow_and_update().state, State::Waiting(_)));
    let notice = notices.try_recv().unwrap();
    assert_eq!(notice.text(), "blue?: agent reviewer waits for you to decide about Bash");
    desk.heard(&HookEvent::Notified { kind: "permission_prompt".into(), message: String::new() });
    assert!(notices.try_recv().is_err() && !status.has_changed().unwrap());
}
