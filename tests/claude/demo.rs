//! `subagents demo` by somebody who has nothing yet: no configuration, no login, no settings.

use std::fs;

use tempfile::TempDir;

use super::claude_code;
use super::launch::Launch;
use super::terminal::Terminal;

/// A HOME with nothing in it, and a PATH with Claude Code in it.
fn newcomer(args: &[&str]) -> (TempDir, Launch) {
    let home = TempDir::with_prefix("subagents-test-").unwrap();
    let launch = Launch::new(args, home.path().to_owned(), home.path().join("stats.json"));
    let path =
        format!("{}:{}", claude_code::real().parent().unwrap().display(), std::env::var("PATH").unwrap());
    let launch = launch.env("HOME", home.path().to_str().unwrap()).env("PATH", &path);
    (home, launch)
}

/// The demonstration's routes and what was asked there, whatever the table looks like.
fn shows_all_routes(text: &str) {
    for route in ["default", "local/demo-small", "cloud/demo-large"] {
        assert!(text.contains(route), "{route}: {text}");
    }
}

fn nothing_is_left(home: &TempDir) {
    let left: Vec<_> = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_demonstration_answers_one_prompt() {
    let (home, launch) = newcomer(&["demo", "--", "-p", "Please ask both."]);
    let ended = launch.run().expect_code(0);
    for part in [
        "Both sample agents have answered",
        "I am demo-small, asked at /local",
        "demo-large, asked at /cloud",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {ended:#?}");
    }
    shows_all_routes(&ended.stderr);
    nothing_is_left(&home);
}

#[test]
fn the_demonstration_runs_on_a_terminal() {
    let (home, launch) = newcomer(&["demo"]);
    let mut terminal = Terminal::run(&launch);
    for part in [
        "scout: I am demo-small, asked at /local",
        "critic: I am demo-large, asked at /cloud",
        "asked at /main",
    ] {
        terminal.expect(part);
    }
    let (code, screen) = terminal.leave();
    assert_eq!(code, 0, "{screen}");
    shows_all_routes(&screen);
    nothing_is_left(&home);
}

#[test]
fn without_claude_code_and_npm_the_demonstration_says_what_to_install() {
    let (home, launch) = newcomer(&["demo"]);
    let ended = launch.env("PATH", "/nowhere").run().expect_code(127);
    assert!(ended.stderr.contains("npm isn't installed"), "{ended:#?}");
    assert!(!home.path().join(".claude").exists());
}
