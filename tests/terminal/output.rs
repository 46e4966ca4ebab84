//! Sizes, bulk, whole frames: what goes through a terminal.

use std::path::Path;

use subagents::config::Environment;
use subagents::launch::pty::{Exit, MARK};
use subagents::launch::screen::Size;

use super::pane::{Pane, environment, run, shell};

#[test]
fn p2_the_child_has_the_size_from_its_first_moment_and_hears_of_another() {
    run(async {
        let script = "stty size; trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.01; done";
        let mut pane = Pane::new(&shell(script), &environment(), Path::new("/"), Size::new(101, 31));
        pane.expect("31 101").await;
        pane.expect("ready").await;
        pane.terminal.resize(Size::new(63, 17)).unwrap();
        pane.expect("17 63").await;
        assert_eq!(pane.end().await, Exit::Code(0));
    });
}

#[test]
fn g09_a_storm_of_sizes_is_a_few_for_the_child_and_ends_with_the_last() {
    run(async {
        let script = "x=; n=0; trap 'n=$((n+1)); stty size' WINCH; echo ready; while [ \"$x\" != end ]; do read -r x; done; echo \"heard $n\"";
        let mut pane = Pane::sh(script);
        pane.expect("ready").await;
        for columns in 81..=130 {
            pane.terminal.resize(Size::new(columns, 24)).unwrap();
        }
        pane.expect("24 130").await;
        pane.terminal.resize(Size::new(130, 24)).unwrap();
        pane.send(b"end\n");
        pane.expect("heard ").await;
        let shown = pane.screen.text();
        assert!(["heard 1", "heard 2", "heard 3"].iter().any(|few| shown.contains(few)), "{shown}");
        assert_eq!(pane.end().await, Exit::Code(0));
    });
}

#[test]
fn p1_g05_a_large_paste_into_a_child_that_echoes_comes_back_whole() {
    run(async {
        let mut pane = Pane::sh("stty raw -echo; printf 'ready\\r\\n'; cat");
        pane.expect("ready").await;
        let before = pane.bytes().len();
        // More than both directions of the terminal hold together.
        let paste: Vec<u8> = (0..1024 * 1024_u32).map(|at| b'a' + u8::try_from(at % 23).unwrap()).collect();
        pane.send(b"\x1b[200~");
        pane.send(&paste);
        pane.send(b"\x1b[201~");
        let expect = [b"\x1b[200~".as_slice(), &paste, b"\x1b[201~"].concat();
        while pane.bytes().len() < before + expect.len() {
            assert!(pane.read().await);
        }
        assert!(pane.bytes()[before..] == expect, "other bytes came back");
        assert_eq!(pane.terminal.waiting(), 0);
    });
}

#[test]
fn input_for_a_child_that_takes_none_is_bounded_and_refused_whole() {
    run(async {
        let mut pane = Pane::sh("stty raw -echo; echo ready; sleep 1000");
        pane.expect("ready").await;
        let piece = vec![b'x'; 1024 * 1024];
        for _ in 0..4 {
            pane.terminal.write(&piece).unwrap();
        }
        let waiting = pane.terminal.waiting();
        assert!(pane.terminal.write(&piece).is_err());
        assert_eq!(pane.terminal.waiting(), waiting);
    });
}

#[test]
fn p6_the_childs_environment_differs_only_in_the_documented_ways() {
    run(async {
        let given = [
            ("PATH", std::env::var("PATH").unwrap()),
            ("KEPT", "yes".to_owned()),
            ("KEY", "secret".to_owned()),
        ];
        let outer = ["TMUX", "TERM_PROGRAM", "KITTY_WINDOW_ID", "WT_SESSION", "STY", "ZELLIJ"]
            .map(|name| (name, "outer".to_owned()));
        let environment: Environment = given.into_iter().chain(outer).collect();
        let mut command = shell("exec env");
        command.env_set.push(("SET".to_owned(), "by the command".to_owned()));
        command.env_remove.push("KEY".to_owned());
        let mut pane = Pane::new(&command, &environment, Path::new("/"), Size::new(400, 40));
        pane.end().await;
        let shown = pane.screen.text();
        let mut names: Vec<&str> = shown.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
        names.sort_unstable();
        // `PWD` and its like are the shell's own.
        names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name));
        assert_eq!(
            names,
            ["CLAUDE_CODE_FORCE_SYNC_OUTPUT", "COLORTERM", "KEPT", "PATH", "SET", MARK, "TERM"]
        );
        assert!(shown.contains("TERM=xterm-256color") && shown.contains("SET=by the command"));
    });
}

#[test]
fn g16_a_frame_in_pieces_is_never_half_on_the_screen() {
    run(async {
        // Each piece is written after the one before has been read.
        let script = "printf old; read -r x; printf '\\033[?2026h\\033[2J\\033[H'; read -r x; printf 'new '; read -r x; \
                      printf 'frame\\033[?2026l'; read -r x";
        let mut pane = Pane::sh(&format!("stty -echo; {script}"));
        pane.expect("old").await;
        for _ in 0..3 {
            pane.send(b"\n");
            assert!(pane.read().await);
            let row = pane.screen.row_text(0);
            assert!(["old", "", "new frame", "new"].contains(&row.as_str()));
            // Only the clock may show half of it, and only after it has run out.
            assert!(row == "old" || row == "new frame" || pane.screen.deadline().is_none(), "{row}");
        }
        pane.expect("new frame").await;
    });
}
