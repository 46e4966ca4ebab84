//! What is typed in an attached terminal, on its way to the child and back.

use std::fs;

use crate::ground::{ECHO, Ground, until};
use crate::window::{Kind, Window};

#[test]
fn p1_keys_reach_the_child_and_come_back() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    let mut window = Window::attached(&ground, "shop");
    window.expect("ready");
    for (keys, echo) in [
        ("plain text", "plain text"),
        ("\x1b[13;2u", "^[[13;2u"),
        ("\x1b\r", "^[^M"),
        ("\x1b", "^["),
        ("\x03", "^C"),
        ("\x1b[A\x1bOB", "^[[A^[OB"),
        ("\u{6f22}", "M-fM-<M-\""),
        ("\x1b[<35;10;10M", "^[[<35;10;10M"),
        ("\x1b[200~a\rb\x1b[201~", "^[[200~a^Mb^[[201~"),
    ] {
        window.send(format!("{keys}|"));
        window
            .until(echo, |window| window.text().replace('\n', "").trim_end().ends_with(&format!("{echo}|")));
    }
}

/// A child that keeps what it gets, and sends it back.
const KEEP: &str = "stty raw -echo; printf 'ready\\r\\n'; exec tee \"$HOME/kept\"";

#[test]
fn p1_g05_a_large_paste_arrives_whole_and_comes_back_whole() {
    for size in [64 * 1024_usize, 1024 * 1024] {
        let ground = Ground::new(KEEP);
        ground.begin("shop");
        let mut window = Window::attached(&ground, "shop");
        window.expect("ready");
        // With the leader's byte in it, and lines: what comes back is drawn, so it is what a terminal can show.
        let text: Vec<u8> = (0..size)
            .map(|at| if at % 79 == 78 { b'\r' } else { b"abcdefghijklmnopqrstuvw"[at % 23] })
            .collect();
        let paste = [b"\x1b[200~\x1dd".as_slice(), &text, b"\x1b[201~."].concat();
        window.send(&paste);
        let kept = ground.0.at("home/kept");
        until("the whole paste", || fs::metadata(&kept).is_ok_and(|file| file.len() >= paste.len() as u64));
        assert!(fs::read(&kept).unwrap() == paste, "other bytes arrived");
        // The last of it is on the screen, behind its last line's beginning.
        let last: Vec<u8> = text.rsplit(|byte| *byte == b'\r').next().unwrap().to_vec();
        let last = String::from_utf8(last).unwrap() + ".";
        window.until(&last, |window| window.text().contains(&last));
    }
}

#[test]
fn the_leader_detaches_and_the_session_goes_on() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    for leader in ["\x1d", "\x1b[93;5u", "\x1b[27;5;93~"] {
        let mut window = Window::attached(&ground, "shop");
        window.expect("ready");
        window.send(format!("{leader}d"));
        assert_eq!(window.code(), 0);
        window.assert_given_back();
        assert!(window.tail(200).contains("subagents attach shop"), "{}", window.tail(200));
    }
    let mut window = Window::attached(&ground, "shop");
    window.send("still here");
    window.expect("still here");
    assert_eq!(ground.living().len(), 1);
}

#[test]
fn the_leader_twice_is_the_sessions_and_the_line_of_ours_leaves_nothing() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    let mut window = Window::attached(&ground, "shop");
    window.send("\x1d\x1d");
    window.expect("^]");
    let lines =
        [("s", " · 0 requests"), ("?", "d leaves the session alone"), ("x", "does nothing after Ctrl-]")];
    for (round, (key, line)) in lines.into_iter().enumerate() {
        window.send(format!("\x1d{key}"));
        window.until(line, |window| window.row(23).contains(line));
        window.send("~");
        // Only what was for the session.
        let expect = "^]".to_owned() + &"~".repeat(round + 1);
        window.until("nothing of it", |window| window.row(23).is_empty() && window.row(1) == expect);
    }
}

#[test]
fn a_line_goes_away_by_itself_and_nothing_that_was_drawn_meanwhile_is_lost() {
    let script = "stty raw -echo; printf 'ready\\r\\n'; head -c1 >\"$HOME/key\"; printf 'drawn behind it'; exec cat -v";
    let ground = Ground::new(script);
    ground.begin("shop");
    let mut window = Window::attached(&ground, "shop");
    window.expect("ready");
    window.send("\x1d?");
    window.until("help", |window| window.row(23).contains("d leaves the session alone"));
    // The mouse is the session's, and doesn't take the line away.
    window.send("\x1b[<35;1;1M");
    ground.file_with("home/key", "\x1b");
    assert!(window.row(23).contains("d leaves the session alone"));
    window.until("nothing of it", |window| window.row(23).is_empty());
    window.expect("drawn behind it");
}

#[test]
fn another_leader_is_taken_from_the_configuration() {
    let ground = Ground::with(
        crate::stage::Stage::new().with("config/config.toml", "[attach]\nleader = \"ctrl-b\"\n"),
        ECHO,
    );
    ground.begin("shop");
    let mut window = Window::attached(&ground, "shop");
    window.send("\x1d\x02\x02");
    window.expect("^]^B");
    window.send("\x02d");
    assert_eq!(window.code(), 0);
}

#[test]
fn what_is_typed_ahead_is_the_sessions() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    let mut window = Window::open(&ground.0.command(&["attach", "shop"]), (80, 24), Kind::Silent);
    // It waits for the colours, which don't come.
    window.until("a question", |window| window.tail(100).contains("\x1b[c"));
    window.send("early");
    window.expect("early");
}
