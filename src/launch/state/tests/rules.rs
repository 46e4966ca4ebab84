//! Rules that no recording shows, each by a sequence of its own.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A sequence, written as recordings are.
fn replay(lines: &Value) -> Replay {
    let lines: Vec<Line> = serde_json::from_value(lines.clone()).unwrap();
    Replay::of(&lines)
}

#[track_caller]
fn check(lines: &Value, expect: &[&str]) {
    assert_eq!(replay(lines).log, expect);
}

fn hook(at: i64, event: &str) -> Value {
    json!({"at": at, "hook": {"hook_event_name": event}})
}

fn bash(at: i64, event: &str, command: &str) -> Value {
    let input = json!({"command": command});
    json!({"at": at, "hook": {"hook_event_name": event, "tool_name": "Bash", "tool_input": input}})
}

fn asked(at: i64) -> Value {
    bash(at, "PermissionRequest", "ls")
}

fn title(at: i64, mark: &str) -> Value {
    json!({"at": at, "title": format!("{mark} Claude Code")})
}

#[test]
fn nothing_is_allowed_because_time_passed() {
    let mut replay = replay(&json!([asked(0)]));
    let log = replay.log.clone();
    replay.pass_until(400 * 24 * 3_600_000);
    replay.feed(Input::Time, moment(400 * 24 * 3_600_000));
    assert_eq!(replay.log, log);
    assert_eq!(replay.machine.dialogs().len(), 1);
}

#[test]
fn a_late_answer_is_told_who_was_first() {
    let by_key = replay(&json!([asked(0), {"at": 900, "key": "3"}, {"at": 1000, "gone": "d1"}]));
    let error = by_key.machine.check(&DialogId("d1".into())).unwrap_err();
    let want = "dialog `d1` of Bash has been settled already: denied by a key in the session at 1970-01-01T00:00:01Z";
    assert_eq!(error.to_string(), want);
    let unknown = by_key.machine.check(&DialogId("d2".into())).unwrap_err();
    assert!(matches!(unknown, AnswerError::NoSuch(_)));
}

#[test]
fn an_answer_from_the_inbox_is_final_until_the_session_shows_that_a_key_was_faster() {
    let answered = |decision: &str| json!({"at": 1000, "answer": {"id": "d1", "decision": decision}});
    let key = json!({"at": 950, "key": "\r"});
    check(
        &json!([asked(0), key, answered("deny"), bash(2000, "PostToolUse", "ls")]),
        &[
            "0 begins: Bash of main",
            "0 waiting for d1 +0 Inbox (PermissionRequest)",
            "1000 settled: d1 Denied { reason: None } by Inbox at 1000",
            "1000 working (Answer { by: Inbox })",
            "2000 settled: d1 Allowed by Terminal at 1000",
        ],
    );
    check(
        &json!([asked(0), answered("allow"), bash(2000, "PostToolUse", "ls"), hook(2100, "PostToolBatch")]),
        &[
            "0 begins: Bash of main",
            "0 waiting for d1 +0 Inbox (PermissionRequest)",
            "1000 settled: d1 Allowed by Inbox at 1000",
            "1000 working (Answer { by: Inbox })",
        ],
    );
}

#[test]
fn another_tools_run_settles_nothing() {
    check(
        &json!([asked(0), bash(100, "PostToolUse", "pwd"), hook(200, "PostToolBatch")]),
        &[
            "0 begins: Bash of main",
            "0 waiting for d1 +0 Inbox (PermissionRequest)",
            // It may have been this one, with its input changed by the person.
            "200 settled: d1 Unknown by Elsewhere at 200",
            "200 working (PostToolBatch)",
        ],
    );
}

#[test]
fn a_title_that_turns_between_two_dialogs_closes_neither() {
    let lines = json!([
        title(0, "◐"),
        asked(1000),
        title(1100, "✳"),
        asked(1200),
        title(5000, "◐"),
        title(5300, "✳"),
    ]);
    assert_eq!(replay(&lines).machine.dialogs().len(), 2);
}

#[test]
fn a_title_that_was_busy_before_the_dialog_was_drawn_closes_nothing() {
    let lines = json!([title(0, "◐"), asked(100), title(960, "◑"), title(1920, "◐")]);
    assert_eq!(replay(&lines).machine.dialogs().len(), 1);
}

#[test]
fn g18_titles_and_requests_change_nothing_within_half_a_second() {
    let mut lines = vec![hook(0, "UserPromptSubmit"), hook(10, "Stop")];
    for at in (20..10_000).step_by(490) {
        lines.push(title(at, if at % 980 == 20 { "◐" } else { "✳" }));
        lines.push(json!({"at": at, "requests": at % 2}));
    }
    lines.push(title(10_000, "✳"));
    lines.push(json!({"at": 10_000, "requests": 0}));
    check(&json!(lines), &["0 working (UserPromptSubmit)", "10 idle (Stop)"]);
}

#[test]
fn a_title_that_lags_behind_a_stop_is_not_believed() {
    let lines = json!([
        hook(0, "UserPromptSubmit"),
        title(10, "◐"),
        hook(950, "Stop"),
        title(970, "◑"),
        title(1800, "✳")
    ]);
    check(&lines, &["0 working (UserPromptSubmit)", "950 idle (Stop)"]);
    // Its last turn came before.
    let lines = json!([hook(0, "UserPromptSubmit"), title(10, "◐"), hook(950, "Stop"), title(2500, "✳")]);
    check(&lines, &["0 working (UserPromptSubmit)", "950 idle (Stop)"]);
}

#[test]
fn a_still_title_that_lags_behind_a_prompt_is_not_believed() {
    let turn = [hook(0, "UserPromptSubmit"), title(10, "◐"), hook(900, "Stop")];
    let log = ["0 working (UserPromptSubmit)", "900 idle (Stop)", "910 working (UserPromptSubmit)"];
    // The next prompt was waiting already. What the last turn has drawn comes after its hook.
    let next = [hook(910, "UserPromptSubmit"), title(930, "◑"), title(960, "✳")];
    let lines = |last: Value| json!([&turn[..], &next[..], &[last]].concat());
    check(&lines(title(2800, "◐")), &log);
    // It stays: nothing came of the prompt.
    check(&lines(hook(3000, "Nothing")), &[&log[..], &["5960 idle (Title)"]].concat());
}

#[test]
fn a_still_title_from_before_a_prompt_is_not_believed_while_it_may_be_late() {
    let lines = json!([title(0, "✳"), hook(3000, "UserPromptSubmit"), title(6500, "◐"), hook(7000, "Stop")]);
    check(&lines, &["500 idle (Title)", "3000 working (UserPromptSubmit)", "7000 idle (Stop)"]);
}

#[test]
fn the_title_that_a_dialog_has_drawn_is_not_believed_after_its_answer() {
    let answer = json!({"at": 2000, "answer": {"id": "d1", "decision": "allow"}});
    let lines = json!([
        hook(0, "UserPromptSubmit"),
        title(600, "◐"),
        asked(1500),
        answer,
        title(2010, "✳"),
        title(3900, "◐")
    ]);
    let log = replay(&lines).log;
    assert_eq!(log.last().unwrap(), "2000 working (Answer { by: Inbox })", "{log:?}");
}

#[test]
fn agents_in_the_background_are_at_work_although_the_main_session_has_stopped() {
    let task = json!({"id": "a1", "status": "running", "agent_type": "reviewer"});
    let stop = json!({"at": 0, "hook": {"hook_event_name": "Stop", "background_tasks": [task]}});
    let stopped = json!({"at": 900, "hook": {"hook_event_name": "SubagentStop", "agent_id": "a1"}});
    check(
        &json!([stop, stopped]),
        &[r#"0 working (Agents { names: ["reviewer"] })"#, "900 idle (SubagentStop)"],
    );
    // One that was killed says nothing.
    check(
        &json!([stop, title(900, "◐"), title(1500, "✳")]),
        &[r#"0 working (Agents { names: ["reviewer"] })"#, "2000 idle (Title)"],
    );
}

#[test]
fn auto_modes_dialog_is_known_by_its_notification_only_and_begins_once() {
    for kind in ["permission_prompt", "agent_needs_input", "worker_permission_prompt"] {
        let notified = |at: i64| json!({"at": at, "hook": {"hook_event_name": "Notification", "notification_type": kind}});
        let lines = json!([hook(0, "UserPromptSubmit"), notified(6000), notified(7000), title(9000, "◐")]);
        check(
            &lines,
            &[
                "0 working (UserPromptSubmit)",
                "6000 begins: something",
                "6000 waiting for - +0 Unseen (Notification)",
                "9500 working (UserPromptSubmit)",
            ],
        );
    }
}

#[test]
fn without_any_evidence_the_state_is_unknown() {
    check(&json!([{"at": 0, "requests": 0}, {"at": 40_000, "requests": 0}]), &["30000 unknown (None)"]);
    check(
        &json!([{"at": 100, "requests": 1}, {"at": 2000, "requests": 0}]),
        // That no request is on its way doesn't tell whether a tool runs, a person is awaited, or nothing happens.
        &["600 working (Requests { in_flight: 1 })", "2500 unknown (None)"],
    );
}

#[test]
fn a_bell_counts_where_hooks_tell_nothing() {
    let mut replay = Replay::new();
    replay.feed(Input::Screen(&Event::Bell), moment(0));
    assert_eq!(replay.log, ["0 begins: something", "0 waiting for - +0 Unseen (Bell)"]);
    let mut replay = Replay::new();
    replay.feed(Input::Hook(&HookEvent::Stopped { running: vec![] }), moment(0));
    replay.feed(Input::Screen(&Event::Bell), moment(0));
    assert_eq!(replay.log, ["0 idle (Stop)"]);
}

#[test]
fn nothing_comes_after_the_end() {
    let mut replay =
        replay(&json!([asked(0), {"at": 10, "exit": 3}, hook(20, "UserPromptSubmit"), title(900, "◐")]));
    assert_eq!(replay.machine.status().state, State::Exited { code: 3 });
    assert_eq!(replay.machine.deadline(replay.now), None);
    replay.feed(Input::Ended(State::Failed { reason: "again".into() }), moment(1000));
    assert_eq!(replay.machine.status().state, State::Exited { code: 3 });
}

#[test]
fn the_shape_of_a_status_is_an_interface() {
    let status = replay(&json!([asked(0)])).machine.status().clone();
    let dialog = json!({"id": "d1", "tool": "Bash", "input": {"command": "ls"}, "agent": null, "agent_id": null,
        "since": "1970-01-01T00:00:00Z", "reach": "inbox"});
    let want = json!({
        "state": {"kind": "waiting", "dialog": dialog, "more": 0, "reach": "inbox"},
        "evidence": {"kind": "hook", "event": "PermissionRequest"},
        "since": "1970-01-01T00:00:00Z",
    });
    assert_eq!(serde_json::to_value(&status).unwrap(), want);
    assert_eq!(serde_json::from_value::<Status>(want).unwrap(), status);
    let exited = serde_json::to_value(State::Exited { code: 3 }).unwrap();
    assert_eq!(exited, json!({"kind": "exited", "code": 3}));
}

/// Blinks of a tool that waits, from `from` until `to`.
fn blinks(from: i64, to: i64) -> impl Iterator<Item = Value> {
    (from..to).step_by(600).map(|at| drawn(at, false))
}

fn drawn(at: i64, is_question: bool) -> Value {
    json!({"at": at, "drawn": is_question})
}

fn key(at: i64) -> Value {
    json!({"at": at, "key": ""})
}

fn exit() -> Value {
    json!({"at": 900_000, "exit": 0})
}

const EXITS: &str = "900000 exited { code: 0 } (Child)";

const BEGINS: [&str; 3] =
    ["0 working (UserPromptSubmit)", "1000 begins: something", "1000 waiting for - +0 Unseen (Notification)"];

/// A session that waits for something unknown from second 1 on, and what happens then.
fn check_unseen(then: impl IntoIterator<Item = Value>, end: Option<&str>) {
    let notified = json!({"at": 1000, "hook": {"hook_event_name": "Notification", "notification_type": "permission_prompt"}});
    let begin = [hook(0, "UserPromptSubmit"), title(700, "✳"), notified];
    let lines: Vec<Value> = begin.into_iter().chain(then).collect();
    let mut replay = replay(&json!(lines));
    replay.pass_until(900_000);
    assert_eq!(replay.log, BEGINS.into_iter().chain(end).collect::<Vec<_>>());
}

#[test]
fn a_wait_for_something_unknown_ends_when_it_blinks_no_more_after_a_key() {
    let refused = || blinks(1200, 6000).chain([key(6000), drawn(6010, false)]);
    check_unseen(refused(), Some("8010 idle (Screen)"));
    // Without a key, in a dialog that goes on, and where nothing ever blinks.
    check_unseen(blinks(1200, 6000), None);
    check_unseen(refused().chain(blinks(6500, 900_000)).chain([exit()]), Some(EXITS));
    check_unseen([key(2000), drawn(2010, false), key(3000), drawn(3010, false)], None);
}

#[test]
fn without_the_focus_nothing_blinks_and_nothing_follows_from_that() {
    let focus = |at: i64, has_focus: bool| json!({"at": at, "focus": has_focus});
    let left = || blinks(1200, 6000).chain([key(6000), drawn(6010, false), focus(7000, false)]);
    check_unseen(left(), None);
    check_unseen(left().chain([focus(20_000, true)]), Some("22000 idle (Screen)"));
    check_unseen(
        left().chain([focus(20_000, true)]).chain(blinks(20_500, 900_000)).chain([exit()]),
        Some(EXITS),
    );
}

#[test]
fn what_is_asked_before_the_session_waits_for_the_person() {
    let asks = [drawn(100, false), drawn(200, true), drawn(700, true)];
    let waits = ["2200 begins: something", "2200 waiting for - +0 Unseen (Screen)"];
    let check_then = |then: Vec<Value>, end: &[&str]| {
        let lines: Vec<Value> = asks.iter().cloned().chain(then).collect();
        check(&json!(lines), &[&waits[..], end].concat());
    };
    // However long, whatever it draws, and whichever bell it rings.
    check_then(vec![drawn(40_000, true), json!({"at": 50_000, "bell": ""})], &[]);
    let trusted = vec![key(40_000), drawn(40_010, false), drawn(40_250, true), title(40_270, "✳")];
    check_then(trusted, &["40010 starting (None)", "40770 idle (Title)"]);
    // A session without a title.
    check_then(vec![drawn(40_000, true), drawn(40_010, false)], &["40010 starting (None)"]);
    check_then(vec![hook(40_000, "UserPromptSubmit")], &["40000 working (UserPromptSubmit)"]);
    check_then(vec![json!({"at": 40_000, "exit": 1})], &["40000 exited { code: 1 } (Child)"]);
}

#[test]
fn g18_a_start_is_no_wait_however_slow_it_is() {
    for slow in [1, 10, 50] {
        let start = [(10, false), (110, false), (190, true), (195, false), (400, false)];
        let lines = start.map(|(at, is_question)| drawn(at * slow, is_question));
        let titled = title(193 * slow, "✳");
        let mut lines = Vec::from(lines);
        lines.insert(3, titled);
        check(&json!(lines), &[&format!("{} idle (Title)", 193 * slow + 500)]);
    }
}

/// Anything that can happen to a session with two agents.
fn heard() -> impl Strategy<Value = Value> {
    let events = ["UserPromptSubmit", "Stop", "PostToolBatch", "SessionEnd", "Notification"];
    let of_agents = ["PermissionRequest", "PostToolUse", "PostToolBatch", "SubagentStop", "SubagentStart"];
    prop_oneof![
        prop::sample::select(events.to_vec()).prop_map(|event| json!({"hook": {"hook_event_name": event,
            "notification_type": "permission_prompt"}})),
        (prop::sample::select(of_agents.to_vec()), prop::option::of(1..3_u8), 0..3_u8).prop_map(
            |(event, agent, command)| json!({"hook": {"hook_event_name": event, "tool_name": "Bash",
                "tool_input": command, "agent_id": agent.map(|id| id.to_string()), "agent_type": "r"}})
        ),
        prop::sample::select(vec!["✳", "◐", "◑", ""]).prop_map(|title| json!({"title": title})),
        (0..2_u64).prop_map(|count| json!({"requests": count})),
        Just(json!({"key": "\r"})),
        (1..6_u8).prop_map(|id| json!({"gone": format!("d{id}")})),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_each_dialog_begins_once_is_settled_once_and_never_by_the_inbox_alone(
        lines in prop::collection::vec((heard(), 0..2000_i64), 0..60),
    ) {
        let mut at = 0;
        let lines: Vec<Value> = lines.into_iter().map(|(mut line, pause)| {
            at += pause;
            line["at"] = json!(at);
            line
        }).chain([json!({"at": 1_000_000, "exit": 0})]).collect();
        let replay = replay(&json!(lines));
        let mut settled = BTreeMap::<&str, usize>::new();
        for line in &replay.log {
            if let Some((_, id)) = line.split_once("settled: ") {
                *settled.entry(id.split(' ').next().unwrap()).or_default() += 1;
            }
            prop_assert!(!line.contains("by Inbox"), "{line}");
        }
        let begun = replay.log.iter().filter(|line| line.contains("begins: Bash")).count();
        prop_assert_eq!(settled.len(), begun);
        prop_assert!(settled.values().all(|count| *count == 1));
    }
}
