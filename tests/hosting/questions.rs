//! P7: what a child asks is answered once, by its own screen, with the colours of the terminal it was started from.

use crate::ground::Ground;
use crate::window::{Kind, Window};

/// Asks what Claude Code asks at its start, and keeps the answers.
const ASK: &str = "stty raw -echo; printf '\\033[c\\033[>0q\\033[?u\\033]11;?\\033\\\\\\033[6n'; \
                   (dd bs=1 2>/dev/null | cat -v >\"$HOME/answers\") </dev/tty & printf 'ready\\r\\n'; wait";

/// Up to the cursor's place, the last that was asked for.
fn answers(ground: &Ground) -> String {
    ground.file_with("home/answers", ";1R")
}

#[test]
fn p7_g14_questions_are_answered_once_and_never_reach_the_terminal_outside() {
    // With the person's terminal attached before the child asks.
    let ground = Ground::new(&format!("stty -echo; printf first; read -r x; {ASK}"));
    ground.begin("shop");
    let mut window = Window::attached(&ground, "shop");
    window.expect("first");
    let before = window.bytes.len();
    window.send("\n");
    window.expect("ready");
    window.send("typed");
    let answers = ground.file_with("home/answers", "typed");
    for part in ["^[[?", "^[P>|", "^[[?0u", "^[]11;rgb:fdfd/f6f6/e3e3^[\\", "^[[1;6R"] {
        assert_eq!(answers.matches(part).count(), if part == "^[[?" { 2 } else { 1 }, "{part} in {answers}");
    }
    assert!(answers.ends_with("typed"), "{answers}");
    let outside = String::from_utf8_lossy(&window.bytes[before..]).into_owned();
    for question in ["\x1b[c", "\x1b[>0q", "\x1b[?u", "\x1b]11;?", "\x1b[6n"] {
        assert!(!outside.contains(question), "{outside:?}");
    }
}

#[test]
fn p7_a_child_is_told_the_colours_of_the_terminal_that_it_is_started_from() {
    let ground = Ground::new(ASK);
    let start = ground.0.command(&["run", "--detach", "--name", "shop"]);
    let mut window = Window::open(&start, (80, 24), Kind::Answers);
    assert_eq!(window.code(), 0);
    window.assert_modes_are_back();
    assert!(answers(&ground).contains("^[]11;rgb:fdfd/f6f6/e3e3^[\\"), "{}", answers(&ground));
    // And a dark one where nobody tells.
    let ground = Ground::new(ASK);
    let start = ground.0.command(&["run", "--detach", "--name", "shop"]);
    let mut window = Window::open(&start, (80, 24), Kind::Silent);
    assert_eq!(window.code(), 0);
    assert!(answers(&ground).contains("^[]11;rgb:0000/0000/0000^[\\"), "{}", answers(&ground));
}

#[test]
fn g14_an_answer_that_comes_late_is_no_input() {
    let ground = Ground::new(crate::ground::ECHO);
    ground.begin("shop");
    let mut window = Window::open(&ground.0.command(&["attach", "shop"]), (80, 24), Kind::Silent);
    window.expect("ready");
    window.send("a\x1b]11;rgb:0000/0000/0000\x07b\x1b[?62;22cc");
    window.expect("abc");
}
