//! `subagents inbox`: what waits is listed with all that would be done, and answered by id.

use serde_json::{Value, json};

use crate::host::{SESSION, speaking, with_a_host};
use crate::stage::Stage;

/// A session with two dialogs, of which one can be answered, and one that is settled.
pub(crate) fn with_dialogs(stage: Stage) -> Stage {
    with_a_host(stage, |ask| match ask["ask"].as_str().unwrap() {
        "dialogs" => json!({"tell": "dialogs", "dialogs": [
            dialog("d7d4620597", "Bash", &json!({"command": "rm -rf \u{202e}/tmp/x"}), None, "inbox"),
            dialog("e100000000", "Edit", &json!({"file_path": "/w/a", "old_string": "a", "new_string": "b"}), Some("rev"), "agent"),
        ]}),
        "stats" => {
            json!({"tell": "stats", "stats": {"agents": [{"agent": "rev", "route": "glm/glm-5", "requests": 2}]}})
        }
        "about" => json!({
            "tell": "about", "session": SESSION, "name": "shop", "folder": "/work/shop", "version": "1", "started": 1,
            "status": {
                "state": {"kind": "waiting", "dialog": null, "more": 0, "reach": "unseen"},
                "evidence": {"kind": "none"}, "since": "2026-11-30T10:00:00Z",
            },
            "title": "", "attached": 0, "size": {"columns": 80, "rows": 24}, "background": [],
        }),
        "answer" if ask["dialog"] == "d7d4620597" => json!({"tell": "answered"}),
        "answer" if ask["dialog"] == "settled" => {
            json!({"tell": "refused", "reason": "it has been settled already"})
        }
        _ => json!({"tell": "no_such_dialog"}),
    })
}

fn dialog(id: &str, tool: &str, input: &Value, agent: Option<&str>, reach: &str) -> Value {
    json!({
        "id": id, "tool": tool, "input": input, "agent": agent, "agent_id": agent, "since": "2026-11-30T10:00:00Z",
        "reach": reach,
    })
}

#[test]
fn an_empty_inbox_says_so() {
    assert_eq!(Stage::new().run(&["inbox"]).ok(), "Nothing waits for you.\n");
}

#[test]
fn what_waits_is_listed_with_what_it_would_do_and_how_to_answer() {
    let stage = with_dialogs(Stage::new());
    let text = stage.run(&["inbox"]).ok();
    assert!(text.contains(r"command: rm -rf \u{202e}/tmp/x"), "{text}");
    assert!(text.contains("the main session in shop (/work/shop)"), "{text}");
    assert!(text.contains("agent rev on glm/glm-5 in shop"), "{text}");
    assert!(text.contains("subagents inbox allow d7d4620597"), "{text}");
    assert!(text.contains("in the session only: subagents attach shop"), "{text}");
    assert!(text.contains("shop waits for you, and Claude Code doesn't tell what for"), "{text}");
    let json = stage.run(&["inbox", "--json"]).json("inbox");
    assert_eq!(json["unseen"][0]["name"], "shop");
    assert_eq!(json["dialogs"][0]["session"], SESSION);
    assert_eq!(json["dialogs"][0]["answerable"], true);
    assert_eq!(json["dialogs"][1]["route"], "glm/glm-5");
    assert_eq!(json["dialogs"][1]["answerable"], false);
}

#[test]
fn a_dialog_is_answered_by_its_id_or_the_beginning_of_it() {
    let stage = with_dialogs(Stage::new());
    assert_eq!(stage.run(&["inbox", "allow", "d7d4620597"]).ok(), "allowed d7d4620597: Bash in shop\n");
    assert_eq!(
        stage.run(&["inbox", "deny", "d7d4", "--reason", "no"]).ok(),
        "denied d7d4620597: Bash in shop\n"
    );
    let json = stage.run(&["inbox", "allow", "d7d4", "--json"]).json("inbox-answer");
    assert_eq!((&json["id"], &json["decision"]), (&json!("d7d4620597"), &json!("allow")));
}

#[test]
fn an_answer_that_comes_too_late_says_what_became_of_it() {
    let stage = with_dialogs(Stage::new());
    assert!(stage.run(&["inbox", "allow", "settled"]).failed(1).contains("settled already"));
    let message = stage.run(&["inbox", "allow", "ffff"]).failed(2);
    assert!(message.contains("no dialog `ffff` waits in any session"), "{message}");
}

#[test]
fn a_slip_of_the_finger_answers_nothing() {
    let stage = with_dialogs(Stage::new());
    for short in ["", "d", "d7d"] {
        let message = stage.run(&["inbox", "allow", short]).failed(2);
        assert!(message.contains("give 4 characters or more"), "{short}: {message}");
    }
}

#[test]
fn what_a_session_writes_in_a_refusal_steers_no_terminal() {
    let stage =
        with_a_host(Stage::new(), |_| json!({"tell": "refused", "reason": "no \u{1b}]0;x\u{7}\u{202e}"}));
    let ran = stage.run(&["inbox"]);
    assert!(ran.stderr.contains(r"\u{1b}]0;x\u{7}\u{202e}"), "{}", ran.stderr);
    let message = stage.run(&["inbox", "allow", "d7d4620597"]).failed(1);
    assert!(message.contains(r"\u{1b}]0;x\u{7}\u{202e}"), "{message}");
}

#[test]
fn a_session_of_another_version_doesnt_hide_the_others() {
    let stage = speaking(Stage::new(), 9, |_| json!({}));
    let ran = stage.run(&["inbox"]);
    assert!(ran.stderr.contains("speaks another protocol (9; ours is 1)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("subagents stop shop"), "{}", ran.stderr);
    assert_eq!(ran.ok(), "Nothing waits for you.\n");
    let json = stage.run(&["inbox", "--json"]).json("inbox");
    assert_eq!(json["silent"][0]["name"], "shop");
}
