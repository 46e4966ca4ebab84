//! What goes wrong around a session, ten times each: nothing of what was answered is lost, and the session goes on or
//! can be taken up again.

use std::fs;
use std::process::{Child, Command, Stdio};

use rusqlite::Connection;
use rustix::process::{Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::Value;
use subagents::launch::live::Live;
use subagents::ledger::Ledger;

use crate::ground::{self, Ground, pid, until};
use crate::traffic;
use crate::traffic::{ask, kept, ledger_file};
use crate::window::{Kind, Window};

const ROUNDS: usize = 10;

/// What is asked in each round.
const QUESTIONS: usize = 5;

/// A session that goes on after each round. `end` is given it with a terminal at it, and ends it.
fn ended_ten_times(state: &str, end: impl Fn(&Ground, &Live, &mut Window)) {
    let ground = traffic::ground();
    let mut live = ground.begin("shop");
    remember_as_claude_code_does(&ground, &live);
    for round in 1..=ROUNDS {
        let mut window = Window::attached(&ground, "shop");
        window.expect("ready");
        window.send("hello");
        window.expect("hello");
        ask(&ground, &live, QUESTIONS);
        // To the last second: what was just answered may still be on its way to the disk.
        kept(&ground, &live, QUESTIONS * round);
        end(&ground, &live, &mut window);
        window.assert_given_back();
        ground.until_gone(&live);
        assert_eq!(kept(&ground, &live, QUESTIONS * round).lost, 0);
        assert_eq!(listed(&ground, &live)["state"], state, "round {round}");
        ground.0.run(&["resume", "shop", "--detach"]).ok();
        live = ground.session("shop");
    }
}

/// The session's own record, without which it isn't taken up again.
fn remember_as_claude_code_does(ground: &Ground, live: &Live) {
    let transcript = ground.0.at(&format!("home/.claude/projects/p/{}.jsonl", live.session));
    fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    fs::write(transcript, "{}\n").unwrap();
}

fn listed(ground: &Ground, live: &Live) -> Value {
    let json = ground.0.run(&["sessions", "--all", "--json"]).json("sessions");
    let id = live.session.to_string();
    json["sessions"].as_array().unwrap().iter().find(|one| one["session"] == id.as_str()).unwrap().clone()
}

/// The process of the session's child.
fn child(ground: &Ground) -> u32 {
    let line = |id: u32| fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    ground.processes().into_iter().find(|id| line(*id) == b"cat\0-v\0").unwrap()
}

#[test]
fn h01_a_killed_host_is_interrupted_and_resumed_ten_times() {
    ended_ten_times("interrupted", |_, live, window| {
        ground::signal(live, Signal::KILL);
        assert_eq!(window.code(), 1);
    });
}

#[test]
fn h01_a_killed_child_ends_its_session_and_is_resumed_ten_times() {
    ended_ten_times("ended", |ground, live, window| {
        kill_process(pid(child(ground)), Signal::KILL).unwrap();
        assert_eq!(window.code(), 137);
        ground.until_gone(live);
        assert_eq!(listed(ground, live)["exit_code"], 137);
    });
}

#[test]
fn h09_a_hangup_of_everything_ends_all_and_is_resumed_ten_times() {
    ended_ten_times("ended", |ground, live, window| {
        for process in ground.processes() {
            // One may have ended by another's end.
            kill_process(pid(process), Signal::HUP).ok();
        }
        // By its own signal, or told by the host.
        assert_eq!(window.code(), 129);
        ground.until_gone(live);
        until("nothing that runs", || ground.processes().is_empty());
    });
}

#[test]
fn p8_the_end_of_the_child_ends_its_router() {
    let ground = traffic::ground();
    let live = ground.begin("shop");
    ask(&ground, &live, 1);
    kill_process(pid(child(&ground)), Signal::KILL).unwrap();
    ground.until_gone(&live);
    until("nothing that listens", || !traffic::listens(&ground, &live));
    until("nothing that runs", || ground.processes().is_empty());
}

#[test]
fn p8_the_death_of_the_router_in_a_terminal_does_not_kill_the_child() {
    let ground = traffic::ground();
    // A shell, as a person has it: it has the terminal, and goes on.
    let run = format!("{} run --name here --stats-file figures; sleep 1000", env!("CARGO_BIN_EXE_subagents"));
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", &run])
        .current_dir(ground.0.at("project"))
        .envs(ground.0.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut window = Window::open(&shell, (80, 24), Kind::Silent);
    window.expect("ready");
    until("its entry", || ground.living().len() == 1);
    let live = ground.session("here");
    ask(&ground, &live, 1);
    ground::signal(&live, Signal::KILL);
    until("nothing that listens", || !traffic::listens(&ground, &live));
    window.send("still here");
    window.expect("still here");
}

#[test]
fn g09_ten_storms_of_sizes_lose_no_key_and_end_with_the_right_size() {
    let ground = traffic::ground();
    ground.begin("shop");
    let mut window = Window::attached(&ground, "shop");
    window.expect("ready");
    let mut typed = String::new();
    for round in 0..ROUNDS {
        for step in 0..50 {
            window.resize(60 + step, 20 + step % 7);
            if step % 10 == 0 {
                let key = char::from(b'a' + u8::try_from(round).unwrap());
                typed.push(key);
                window.send(key.to_string());
            }
        }
        window.resize(100, 30);
        window.until("all that was typed", |window| window.row(1) == typed);
        let size = fs::read_link(format!("/proc/{}/fd/0", child(&ground))).unwrap();
        let size_of = || {
            let terminal = fs::File::open(&size).unwrap();
            let size = rustix::termios::tcgetwinsize(&terminal).unwrap();
            (size.ws_col, size.ws_row)
        };
        until("the last size", || size_of() == (100, 30));
    }
}

/// From now on the process can write no file, as on a full disk; or can again.
fn fill(live: &Live, limit: Option<u64>) {
    let before = rustix::process::getrlimit(Resource::Fsize);
    prlimit(Some(pid(live.process)), Resource::Fsize, Rlimit { current: limit, maximum: before.maximum })
        .unwrap();
}

/// A host that isn't ended by the signal that comes with that: a full disk has none.
fn begin_on_a_small_disk(ground: &Ground) -> Live {
    let plain = ground.0.command(&[]);
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", "trap '' XFSZ; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_subagents")])
        .args(["run", "--detach", "--name", "shop"])
        .current_dir(ground.0.at("project"))
        .env_clear()
        .envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdin(Stdio::null());
    assert!(shell.output().unwrap().status.success());
    ground.session("shop")
}

#[test]
fn a_disk_that_is_full_ten_times_costs_nothing_that_the_queue_can_hold() {
    let ground = traffic::ground();
    let live = begin_on_a_small_disk(&ground);
    let mut window = Window::attached(&ground, "shop");
    for round in 1..=ROUNDS {
        fill(&live, Some(0));
        ask(&ground, &live, QUESTIONS);
        window.send("x");
        window.until("what was typed", |window| window.row(1) == "x".repeat(round));
        assert_eq!(kept(&ground, &live, QUESTIONS * (round - 1)).lost, 0);
        fill(&live, None);
        assert_eq!(kept(&ground, &live, QUESTIONS * round).lost, 0);
    }
}

#[test]
fn what_a_full_disk_costs_is_counted_and_told_once_there_is_room() {
    let ground = traffic::ground();
    let live = begin_on_a_small_disk(&ground);
    fill(&live, Some(0));
    // More than the queue holds.
    let asked = 2000;
    ask(&ground, &live, asked);
    let mut window = Window::attached(&ground, "shop");
    window.expect("ready");
    fill(&live, None);
    let report = kept(&ground, &live, asked);
    assert!(report.lost > 0 && report.total.ok > 0, "{report:?}");
    assert_eq!(report.total.ok + report.lost, asked as u64);
    // Nothing has to come after it, not even the session's end.
    ground::signal(&live, Signal::KILL);
    ground.until_gone(&live);
    assert_eq!(kept(&ground, &live, asked), report);
}

#[test]
fn a_database_that_is_locked_ten_times_costs_nothing() {
    let ground = traffic::ground();
    let live = ground.begin("shop");
    let blocker = Connection::open(ledger_file(&ground)).unwrap();
    for round in 1..=ROUNDS {
        blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
        ask(&ground, &live, QUESTIONS);
        assert_eq!(kept(&ground, &live, QUESTIONS * (round - 1)).lost, 0);
        blocker.execute_batch("COMMIT").unwrap();
        assert_eq!(kept(&ground, &live, QUESTIONS * round).lost, 0);
    }
}

#[test]
fn a_database_that_is_locked_at_the_start_of_ten_sessions_costs_none_of_them() {
    let ground = traffic::ground();
    fs::create_dir_all(ledger_file(&ground).parent().unwrap()).unwrap();
    let blocker = Connection::open(ledger_file(&ground)).unwrap();
    // Nobody can make its tables, or even look whether there are any.
    blocker.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let begin = |number: usize| -> Child {
        let name = format!("s{number}");
        let mut command = ground.0.command(&["run", "--detach", "--name", &name]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for start in (0..ROUNDS).map(begin).collect::<Vec<_>>() {
        let output = start.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && told.contains("is remembered once it can be written"), "{told}");
    }
    let living = ground.living();
    for live in &living {
        ask(&ground, live, QUESTIONS);
    }
    blocker.execute_batch("COMMIT").unwrap();
    for live in &living {
        assert_eq!(kept(&ground, live, QUESTIONS).lost, 0);
    }
    let sessions = Ledger::look(&ledger_file(&ground)).unwrap().sessions().unwrap();
    assert_eq!((living.len(), sessions.len()), (ROUNDS, ROUNDS));
}

/// Makes Claude Code a file that is there and can't be run.
fn break_claude_code(ground: &Ground) {
    fs::write(ground.0.at("bin/claude"), "#!/nowhere/at/all\n").unwrap();
}

#[test]
fn a_launch_that_comes_to_no_child_leaves_nothing_and_changes_nothing() {
    let ground = traffic::ground();
    let live = ground.begin("shop");
    remember_as_claude_code_does(&ground, &live);
    ask(&ground, &live, QUESTIONS);
    ground.0.run(&["stop", "shop"]).ok();
    ground.until_gone(&live);
    let launched = || Ledger::look(&ledger_file(&ground)).unwrap().launched(live.session).unwrap();
    let (before, row) = (launched(), listed(&ground, &live));
    break_claude_code(&ground);
    let agent = "---\nname: later\ndescription: Came later.\n---\nYou are later.\n";
    fs::write(ground.0.at("config/agents/later.md"), agent).unwrap();
    for arguments in [
        &["run", "--name", "other"][..],
        &["run", "--detach", "--name", "other"],
        &["resume", "shop", "--current", "--detach"],
        &["resume", "shop", "--current"],
        &["resume", "shop"],
    ] {
        let ran = ground.0.run(arguments);
        assert_ne!(ran.code, 0, "{arguments:?}");
    }
    assert_eq!((launched(), listed(&ground, &live)), (before, row));
    let json = ground.0.run(&["sessions", "--all", "--json"]).json("sessions");
    assert_eq!(json["sessions"].as_array().unwrap().len(), 1, "{json}");
}
