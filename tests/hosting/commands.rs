//! `sessions`, `stop`, `logs`: what they say, to people and to programs.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::ground::{ECHO, Ground};
use crate::window::{Kind, Window};

#[test]
fn a_session_is_found_by_its_name_its_id_or_the_beginning_of_that() {
    let ground = Ground::new(ECHO);
    let nobody = ground.0.run(&["attach"]).failed(1);
    assert!(nobody.contains("no session lives"), "{nobody}");
    let live = ground.begin("shop");
    let id = live.session.to_string();
    for given in ["shop", &id, &id[..6], &id[..6].to_uppercase()] {
        assert_eq!(ground.0.run(&["logs", given]).ok(), "ready\n", "{given}");
    }
    assert_eq!(ground.0.run(&["logs"]).ok(), "ready\n", "the only one");
    let unknown = ground.0.run(&["logs", "blog"]).failed(1);
    assert!(unknown.contains("`blog`") && unknown.contains(&id), "{unknown}");
    ground.begin("blog");
    let which = ground.0.run(&["stop"]).failed(1);
    assert!(which.contains("which session?") && which.contains("blog"), "{which}");
    let no_terminal = ground.0.run(&["attach", "shop"]).failed(2);
    assert!(no_terminal.contains("no terminal"), "{no_terminal}");
    assert_eq!(ground.living().len(), 2);
}

#[test]
fn the_list_tells_of_the_living_and_with_all_of_the_rest() {
    let ground = Ground::new(ECHO);
    assert_eq!(ground.0.run(&["sessions"]).ok(), "No session lives.\n");
    let begun = ground.0.run(&["run", "--detach", "--name", "shop", "--json"]).json("run-detach");
    let shop = ground.session("shop").session.to_string();
    assert_eq!(
        (&begun["session"], &begun["name"], &begun["ended"]),
        (&shop.into(), &"shop".into(), &serde_json::Value::Null)
    );
    ground.begin("old");
    let mut window = Window::attached(&ground, "shop");
    window.expect("ready");
    ground.0.run(&["stop", "old"]).ok();
    let json = ground.0.run(&["sessions", "--all", "--json"]).json("sessions");
    let of = |key: &str| {
        json["sessions"].as_array().unwrap().iter().map(|one| one[key].clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("state")[1], "ended");
    assert_eq!((of("attached")[0].as_u64(), of("exit_code")[1].as_u64()), (Some(1), Some(129)));
    let text = ground.0.run(&["sessions"]).ok();
    let rows: Vec<&str> = text.lines().collect();
    assert!(
        rows.len() == 2
            && rows[0].starts_with("NAME")
            && rows[1].starts_with("shop  ")
            && rows[1].contains("(attached)"),
        "{text}"
    );
}

#[test]
fn logs_are_text_with_what_is_hidden_made_visible() {
    let script = "stty -echo; for n in $(seq 100); do echo \"line $n\"; done; printf 'a\\342\\200\\256b\\r\\n'; exec cat";
    let ground = Ground::new(script);
    ground.begin("shop");
    let mut window = Window::attached(&ground, "shop");
    window.until("the end", |window| window.text().contains("line 100"));
    let all = ground.0.run(&["logs", "shop"]).ok();
    assert!(all.starts_with("line 1\nline 2\n") && all.ends_with("line 100\na\\u{202e}b\n"), "{all}");
    let screen = ground.0.run(&["logs", "shop", "--screen"]).ok();
    assert!(
        screen.lines().count() <= 24 && !screen.contains("line 1\n") && screen.ends_with("a\\u{202e}b\n"),
        "{screen}"
    );
    let json = ground.0.run(&["logs", "--json"]).json("logs");
    assert_eq!((&json["name"], json["lines"].as_array().unwrap().len()), (&"shop".into(), 101));
}

#[test]
fn several_are_stopped_at_once() {
    let ground = Ground::new(ECHO);
    for name in ["a", "b", "c"] {
        ground.begin(name);
    }
    let two = ground.0.run(&["stop", "b", "a", "b"]).ok();
    let mut lines: Vec<&str> = two.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["a: ended with exit code 129 (hangup)", "b: ended with exit code 129 (hangup)"]);
    let json = ground.0.run(&["stop", "--all", "--json"]).json("stop");
    assert_eq!((json["stopped"].as_array().unwrap().len(), &json["stopped"][0]["name"]), (1, &"c".into()));
    assert_eq!(ground.0.run(&["stop", "--all", "--json"]).json("stop")["stopped"], serde_json::json!([]));
}

#[test]
fn who_watches_hears_of_changes() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    let mut watch = ground.0.command(&["sessions", "--watch"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    // A session's state may change at any time, and then it is told again.
    let mut expect =
        |text: &str| assert!(lines.by_ref().any(|line| line.unwrap().starts_with(text)), "{text}");
    expect("shop: ");
    ground.begin("blog");
    expect("blog: ");
    ground.0.run(&["stop", "shop"]).ok();
    expect("shop: gone");
    drop(lines);
    assert!(watch.wait().unwrap().success(), "nobody reads it any more");
    // On a terminal the list stays in its place. A wide one: the emulator of these tests wraps always.
    let mut window = Window::open(&ground.0.command(&["sessions", "--watch"]), (200, 24), Kind::Silent);
    window.until("the list", |window| window.row(1).starts_with("blog  "));
    ground.0.run(&["stop", "blog"]).ok();
    window.until("an empty one", |window| window.row(0) == "No session lives." && window.row(1).is_empty());
}
