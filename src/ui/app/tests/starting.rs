//! A session that is being started: whose the keys are meanwhile, and what becomes of the form.

use super::*;

/// A session is being started; what tells that it was.
fn starting(app: &mut App) -> Done {
    tell(app, News::Sessions(sessions()));
    let mut effects = press(app, "n enter");
    let Some(Effect::Run(task)) = effects.pop() else { panic!("{effects:?}") };
    let stdout = json!({"session": id(9)}).to_string();
    Done { task, code: Some(0), stdout, stderr: String::new() }
}

#[test]
fn what_is_typed_while_a_session_starts_is_for_it() {
    let mut app = app(80, 24);
    let done = starting(&mut app);
    assert_eq!(press(&mut app, "x h"), []);
    assert!(text(&app).contains("starting: what is typed goes to the session"));
    tell(&mut app, News::Done(done));
    assert_eq!(press(&mut app, "q"), [], "it isn't in the list yet");
    let new = listed(9, "new", live(state::State::Starting));
    tell(&mut app, News::Sessions([vec![new], sessions()].concat()));
    assert_eq!(press(&mut app, "enter"), [], "it has drawn nothing yet");
    let typed = |bytes: &[u8]| Effect::Type { session: id(9), bytes: bytes.to_vec() };
    let delivered = tell(&mut app, News::Drawn { session: id(9), bytes: b"ready".to_vec() });
    assert_eq!(delivered, [b"x", b"h", b"q", b"\r"].map(|bytes| typed(bytes)));
    assert_eq!(press(&mut app, "z"), [typed(b"z")]);
}

#[test]
fn what_is_typed_for_a_session_that_does_not_come_is_forgotten_and_that_is_told() {
    let mut app = app(80, 24);
    let done = starting(&mut app);
    press(&mut app, "x");
    tell(
        &mut app,
        News::Done(Done {
            code: Some(1),
            stdout: String::new(),
            stderr: "warning: a\nsubagents: no claude".to_owned(),
            ..done
        }),
    );
    assert!(
        text(&app).contains("New session") && text(&app).contains("│no claude"),
        "the form is there again"
    );
    press(&mut app, "esc !");
    assert!(text(&app).contains("What was typed for the session is forgotten"));
    press(&mut app, "esc x");
    assert!(text(&app).contains("End the session api-fix?"), "keys are keys again");
}

#[test]
fn the_leader_ends_the_waiting_for_a_session() {
    let mut app = app(80, 24);
    let done = starting(&mut app);
    press(&mut app, "ctrl-] x");
    assert!(text(&app).contains("End the session api-fix?"));
    press(&mut app, "n");
    tell(&mut app, News::Done(done));
    let new = listed(9, "new", live(state::State::Starting));
    tell(&mut app, News::Sessions([vec![new], sessions()].concat()));
    tell(&mut app, News::Drawn { session: id(9), bytes: b"ready".to_vec() });
    press(&mut app, "x");
    assert!(text(&app).contains("End the session new?"), "it is selected, and the list keeps the keys");
}

#[test]
fn a_new_one_gets_the_keys_once_it_is_there() {
    let mut app = app(80, 24);
    let done = starting(&mut app);
    let task = done.task.clone();
    tell(&mut app, News::Done(done));
    let mut more = sessions();
    more.push(listed(9, "new", live(state::State::Starting)));
    tell(&mut app, News::Sessions(more));
    tell(&mut app, News::Drawn { session: id(9), bytes: b"ready".to_vec() });
    assert_eq!(press(&mut app, "x"), [Effect::Type { session: id(9), bytes: b"x".to_vec() }]);
    let ended = json!({"session": id(8), "ended": {"code": 1, "text": "no network"}}).to_string();
    let done = Done { task, code: Some(1), stdout: ended, stderr: String::new() };
    tell(&mut app, News::Done(done));
    assert!(text(&app).contains("no network"), "why it has ended is shown");
}
