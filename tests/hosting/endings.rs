//! However a session, its host or the terminal that shows it ends: what is told, and how the terminal is left.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use subagents::launch::attach::{RealTerminal, Wishes, attach};
use subagents::launch::live;

use crate::ground::{self, ECHO, Ground, until};
use crate::window::{Kind, Window};

/// Draws as Claude Code does, with everything switched on, and ends at a key.
const FULL: &str = "stty raw -echo; \
    printf '\\033[?1049h\\033[?1000;1002;1003;1006h\\033[?2004h\\033[?1004h\\033[?2031h\\033[>5u\\033[?25l\\033[2J\\033[Hfull'; \
    head -c1 >/dev/null; exit 7";

fn shown(ground: &Ground) -> Window {
    ground.begin("shop");
    let mut window = Window::attached(ground, "shop");
    window.expect("full");
    window.until("its modes", |window| window.vt().alternate_screen() && window.vt().hide_cursor());
    window
}

#[test]
fn p3_p4_the_childs_exit_code_is_ours_and_the_terminal_is_as_it_was() {
    let ground = Ground::new(FULL);
    let mut window = shown(&ground);
    window.send("q");
    assert_eq!(window.code(), 7);
    window.assert_given_back();
    let tail = window.tail(200);
    assert!(tail.ends_with("subagents: session shop has ended with exit code 7\r\n"), "{tail:?}");
}

#[test]
fn p3_a_signal_counts_from_128_and_end_of_output_is_no_end() {
    let ground = Ground::new(
        "stty -echo; echo ready; read -r x; exec >/dev/null 2>&1 </dev/null; sleep 0.2; kill -KILL $$",
    );
    ground.begin("shop");
    let mut window = Window::attached(&ground, "shop");
    window.expect("ready");
    window.send("\n");
    assert_eq!(window.code(), 137);
}

#[test]
fn p5_a_child_that_ends_early_leaves_its_text_and_code() {
    let ground = Ground::new("echo 'no key: set ONE'; exit 9");
    let ran = ground.0.run(&["run", "--detach", "--name", "shop"]);
    assert_eq!(ran.code, 9);
    assert!(ran.stderr.contains("no key: set ONE"), "{}", ran.stderr);
    assert!(ran.stderr.contains("session shop has ended with exit code 9"), "{}", ran.stderr);
    assert_eq!(ground.living(), []);
    let json = ground.0.run(&["run", "--detach", "--name", "shop", "--json"]).json("run-detach");
    assert_eq!(json["ended"]["code"], 9);
    assert!(json["ended"]["text"].as_str().unwrap().contains("no key: set ONE"), "{json}");
}

#[test]
fn the_last_words_on_the_main_screen_stay() {
    let ground = Ground::new("stty -echo; echo ready; read -r x; echo 'last words'; exit 3");
    ground.begin("shop");
    let mut window = Window::attached(&ground, "shop");
    window.expect("ready");
    window.send("\n");
    assert_eq!(window.code(), 3);
    let rows: Vec<String> = window.text().lines().map(str::to_owned).collect();
    let told = rows.iter().position(|row| row.starts_with("subagents: session shop")).unwrap();
    assert!(rows[..told].iter().any(|row| row == "last words"), "{rows:?}");
    window.assert_given_back();
}

#[test]
fn p4_g20_every_signal_that_ends_us_gives_the_terminal_back() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let ground = Ground::new(FULL);
        let mut window = shown(&ground);
        window.signal(signal);
        assert_eq!(window.code(), 128 + signal.as_raw(), "{signal:?}");
        window.assert_given_back();
        assert_eq!(ground.living().len(), 1, "the session goes on");
    }
}

#[test]
fn p4_a_session_that_is_stopped_from_elsewhere_gives_the_terminal_back() {
    let ground = Ground::new(FULL);
    let mut window = shown(&ground);
    ground.0.run(&["stop", "shop"]).ok();
    assert_eq!(window.code(), 129);
    window.assert_given_back();
}

#[test]
fn p4_a_host_that_is_killed_is_an_interruption_and_says_how_to_go_on() {
    let ground = Ground::new(FULL);
    let mut window = shown(&ground);
    let live = ground.session("shop");
    ground::signal(&live, Signal::KILL);
    assert_eq!(window.code(), 1);
    window.assert_given_back();
    let told = format!(
        "session shop was interrupted, because its own process has gone: subagents resume {}",
        live.session
    );
    assert!(window.text().replace('\n', "").contains(&told), "{}", window.text());
    let listed = ground.0.run(&["sessions", "--all", "--json"]).ok();
    assert!(listed.contains("\"interrupted\""), "{listed}");
}

/// What a host that was killed has left, and its entry.
fn with_a_leftover() -> (Ground, live::Live) {
    let ground = Ground::new("(trap '' HUP; exec sleep 98765) & echo ready; exec cat");
    let live = ground.begin("shop");
    until("its child", || leftovers(&ground) == 1);
    ground::signal(&live, Signal::KILL);
    ground.until_gone(&live);
    (ground, live)
}

fn leftovers(ground: &Ground) -> usize {
    let line = |id: u32| std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    ground.processes().into_iter().filter(|id| line(*id) == b"sleep\x0098765\0").count()
}

#[test]
fn h01_what_an_interrupted_session_left_is_ended_by_stop() {
    let (ground, live) = with_a_leftover();
    let other = ground.begin("other");
    until("its child too", || leftovers(&ground) == 2);
    let told = ground.0.run(&["stop", &live.session.to_string()]).ok();
    assert!(told.contains("ended too: sleep 98765"), "{told}");
    until("its end", || leftovers(&ground) == 1);
    assert_eq!(ground.living(), [other], "another session is left alone");
    let told = ground.0.run(&["stop", &live.session.to_string()]).ok();
    assert!(!told.contains("ended too"), "{told}");
}

#[test]
fn h01_what_an_interrupted_session_left_is_ended_when_it_is_resumed() {
    let (ground, live) = with_a_leftover();
    let transcript = ground.0.at(&format!("home/.claude/projects/p/{}.jsonl", live.session));
    std::fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    std::fs::write(transcript, "{}\n").unwrap();
    let ran = ground.0.run(&["resume", "shop", "--detach"]);
    assert!(ran.stderr.contains("had left running: sleep 98765"), "{}", ran.stderr);
    until("the new one alone", || leftovers(&ground) == 1);
}

/// Not a test: what the next one starts. Without its variable it does nothing.
#[test]
fn entry() {
    let Some(folder) = std::env::var_os("HOSTING_LIVE").map(PathBuf::from) else { return };
    let live = live::living(&folder).remove(0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let terminal = RealTerminal::open().unwrap();
        let wishes =
            Wishes { leader: "ctrl-]".parse().unwrap(), describe: &|_, _| panic!("as it was told to") };
        attach(&live, &terminal, &wishes).await.unwrap();
    });
}

#[test]
fn p4_g20_a_panic_gives_the_terminal_back_before_it_is_told() {
    let ground = Ground::new(FULL);
    ground.begin("shop");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "endings::entry", "--nocapture", "-q"])
        .env("HOSTING_LIVE", ground.live_folder());
    let mut window = Window::open(&command, (80, 24), Kind::Answers);
    window.expect("full");
    window.send("\x1ds");
    assert_eq!(window.code(), 101);
    window.assert_given_back();
    assert!(window.text().contains("as it was told to"), "{}", window.text());
}

#[test]
fn p4_g20_stopped_and_continued_it_gives_the_terminal_back_and_takes_it_again() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    // A shell with job control, as a person has it.
    let mut shell = ground.0.command(&[]);
    let attach = format!("{} attach shop", env!("CARGO_BIN_EXE_subagents"));
    shell = {
        let mut bash = Command::new("bash");
        bash.args(["--norc", "--noprofile", "--noediting", "-i"])
            .current_dir(ground.0.at("project"))
            .env("PS1", "prompt> ");
        bash.envs(shell.get_envs().filter_map(|(name, value)| Some((name, value?))));
        bash
    };
    let mut window = Window::open(&shell, (80, 24), Kind::Answers);
    window.expect("prompt> ");
    window.send(format!("{attach}\n"));
    window.expect("ready");
    window.send("one");
    window.expect("one");
    let attached = foreground(&ground);
    for word in ["two", "three"] {
        rustix::process::kill_process(attached, Signal::TSTP).unwrap();
        window.until("the prompt", |window| window.tail(20).ends_with("prompt> "));
        window.assert_given_back();
        window.send("echo in between\n");
        window.until("the shell's work", |window| window.tail(40).ends_with("in between\r\nprompt> "));
        window.send("fg\n");
        window.until("the session again", |window| window.row(0) == "ready");
        window.send(word);
        window.expect(word);
    }
    window.send("\x1dd");
    window.until("the prompt", |window| window.tail(20).ends_with("prompt> "));
    window.assert_given_back();
    window.send("exit 5\n");
    assert_eq!(window.code(), 5);
}

/// The process that is attached on this machine.
fn foreground(ground: &Ground) -> rustix::process::Pid {
    let is_attached = |process: &u32| {
        let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("subagents\0attach\0")
    };
    crate::ground::pid(ground.processes().into_iter().find(is_attached).unwrap())
}

#[test]
fn h09_a_terminal_that_goes_away_ends_us_at_once_and_the_session_goes_on() {
    for hears in [true, false] {
        let ground = Ground::new(ECHO);
        let live = ground.begin("shop");
        let mut window = if hears {
            Window::attached(&ground, "shop")
        } else {
            // Not the terminal's own first process: nobody tells it that the terminal goes.
            let attach = format!("setsid {} attach shop; :", env!("CARGO_BIN_EXE_subagents"));
            let mut shell = Command::new("/bin/sh");
            shell
                .args(["-c", &attach])
                .envs(ground.0.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
            Window::open(&shell, (80, 24), Kind::Answers)
        };
        window.expect("ready");
        let attached = foreground(&ground);
        let begun = Instant::now();
        window.close();
        let is_there = || {
            rustix::process::test_kill_process(attached).is_ok() && {
                let stat = std::fs::read_to_string(format!("/proc/{}/stat", attached.as_raw_nonzero()))
                    .unwrap_or_default();
                !stat.contains(") Z") && !stat.is_empty()
            }
        };
        until("its end", || !is_there());
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        assert_eq!(ground.living(), [live]);
    }
}
