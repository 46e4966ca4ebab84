//! How children end, and what they leave behind.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use subagents::launch::pty::{Child, Exit, Patience, Step};

use super::pane::{PATIENCE, Pane, run};

const IMPATIENT: Patience =
    Patience { after_hangup: Duration::from_millis(300), after_terminate: Duration::from_millis(300) };

/// Starts three that outlive a hang-up: one in the group that is deaf, one in a session of its own, and one whose
/// parent is gone; then the script goes on.
const FAMILY: &str = "(trap '' HUP TERM; while :; do sleep 0.05; done) & setsid sleep 1000 & (setsid sleep 1000 &) ; echo ready;";

/// The ids of what descends from the child, leader included.
fn family(child: &Child) -> BTreeSet<i32> {
    child.descendants().into_iter().map(|process| process.id).chain([child.id()]).collect()
}

/// Waits until none of them runs.
fn assert_gone(ids: &BTreeSet<i32>) {
    let deadline = Instant::now() + PATIENCE;
    let runs = |id: &i32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z"))
    };
    while let Some(id) = ids.iter().find(|id| runs(id)) {
        assert!(Instant::now() < deadline, "{id} still runs");
        std::thread::yield_now();
    }
}

/// A family that is complete: the shell, its deaf child and that one's sleep, two more sleeps.
async fn started(script: &str) -> (Pane, BTreeSet<i32>) {
    let mut pane = Pane::sh(&format!("{FAMILY}{script}"));
    pane.expect("ready").await;
    let deadline = Instant::now() + PATIENCE;
    let sleeps =
        |child: &Child| child.descendants().iter().filter(|process| process.command == "sleep 1000").count();
    while sleeps(&pane.child) < 2 {
        assert!(Instant::now() < deadline, "{:?}", pane.child.descendants());
        std::thread::yield_now();
    }
    let family = family(&pane.child);
    assert!(family.len() >= 4, "{:?}", pane.child.descendants());
    (pane, family)
}

#[test]
fn p3_the_exit_code_is_passed_on() {
    run(async {
        assert_eq!(Pane::sh("exit 7").end().await.code(), 7);
        assert_eq!(Pane::sh("kill -KILL $$").end().await, Exit::Signal(9));
    });
}

#[test]
fn p3_the_end_of_the_output_is_not_the_end_of_the_child() {
    run(async {
        let mut pane =
            Pane::sh("echo shown; trap '' HUP; exec >/dev/null 2>&1 </dev/null; sleep 0.3; exit 5");
        while pane.read().await {}
        assert!(pane.screen.text().contains("shown"));
        assert_eq!(pane.child.wait().await.unwrap(), Exit::Code(5));
    });
}

#[test]
fn p3_the_end_of_the_child_does_not_wait_for_output_that_others_hold_open() {
    run(async {
        let mut pane = Pane::sh("trap '' HUP; sleep 1000 & echo last words; exit 3");
        assert_eq!(pane.child.wait().await.unwrap(), Exit::Code(3));
        let started = Instant::now();
        let mut output = Vec::new();
        pane.terminal.drain(Duration::from_secs(20), |bytes| output.extend_from_slice(bytes)).await.unwrap();
        assert!(started.elapsed() < Duration::from_secs(15));
        assert!(String::from_utf8_lossy(&output).contains("last words"));
        let swept = pane.child.sweep().await;
        assert!(swept.iter().any(|process| process.command == "sleep 1000"), "{swept:?}");
    });
}

#[test]
fn p3_draining_ends_although_others_write_without_end() {
    run(async {
        let mut pane = Pane::sh("trap '' HUP; yes & exit 0");
        assert_eq!(pane.child.wait().await.unwrap(), Exit::Code(0));
        let mut count = 0;
        pane.terminal.drain(Duration::from_millis(300), |bytes| count += bytes.len()).await.unwrap();
        assert!(count > 0);
    });
}

#[test]
fn p5_a_child_that_dies_at_once_leaves_its_text_and_code() {
    run(async {
        let mut pane = Pane::sh("echo 'cannot start: no such thing' >&2; exit 42");
        assert_eq!(pane.end().await.code(), 42);
        assert_eq!(pane.screen.row_text(0), "cannot start: no such thing");
    });
}

#[test]
fn a_program_that_is_not_there_is_named() {
    run(async {
        let mut command = super::pane::shell("");
        command.program = "/no/such/program".into();
        let spawned = subagents::launch::pty::spawn(
            &command,
            &super::pane::environment(),
            std::path::Path::new("/"),
            subagents::launch::screen::Size::new(80, 24),
        );
        let error = spawned.err().unwrap().to_string();
        assert!(error.starts_with("/no/such/program can't be started"), "{error}");
    });
}

#[test]
fn stopping_is_gentle_first() {
    run(async {
        for (trap, exit, steps) in [
            ("trap 'exit 9' HUP", Exit::Code(9), vec![Step::Hangup]),
            ("trap '' HUP; trap 'exit 8' TERM", Exit::Code(8), vec![Step::Hangup, Step::Terminate]),
            ("trap '' HUP TERM", Exit::Signal(9), vec![Step::Hangup, Step::Terminate, Step::Kill]),
        ] {
            let mut pane = Pane::sh(&format!("{trap}; echo ready; while :; do sleep 0.01; done"));
            pane.expect("ready").await;
            // What is enough may take its time on a busy machine.
            let patience = match steps.len() {
                1 => Patience { after_hangup: PATIENCE, ..IMPATIENT },
                2 => Patience { after_terminate: PATIENCE, ..IMPATIENT },
                _ => IMPATIENT,
            };
            let stopped = pane.child.stop(patience).await.unwrap();
            assert_eq!((stopped.exit, stopped.steps), (exit, steps), "{trap}");
            let again = pane.child.stop(IMPATIENT).await.unwrap();
            assert_eq!((again.exit, again.steps), (exit, vec![]), "{trap}");
        }
    });
}

#[test]
fn a_stopped_child_can_be_stopped_too() {
    run(async {
        let mut pane = Pane::sh("echo ready; kill -STOP $$; sleep 1000");
        pane.expect("ready").await;
        let stopped = pane.child.stop(Patience { after_hangup: PATIENCE, ..IMPATIENT }).await.unwrap();
        assert_eq!((stopped.exit, stopped.steps), (Exit::Signal(1), vec![Step::Hangup]));
    });
}

#[test]
fn nothing_is_left_after_stopping() {
    run(async {
        let (mut pane, family) = started("while :; do sleep 0.01; done").await;
        pane.child.stop(IMPATIENT).await.unwrap();
        let swept = pane.child.sweep().await;
        assert!(swept.len() >= 2, "{swept:?}");
        assert_gone(&family);
    });
}

#[test]
fn nothing_is_left_after_the_child_ended_by_itself() {
    run(async {
        let (mut pane, family) = started("read -r x; exit 0").await;
        pane.send(b"\n");
        assert_eq!(pane.child.wait().await.unwrap(), Exit::Code(0));
        pane.child.sweep().await;
        assert_gone(&family);
    });
}

#[test]
fn nothing_is_left_after_the_child_was_killed_or_dropped() {
    run(async {
        let (mut pane, family) = started("while :; do sleep 0.01; done").await;
        pane.child.signal(Signal::KILL);
        assert_eq!(pane.child.wait().await.unwrap(), Exit::Signal(9));
        drop(pane);
        assert_gone(&family);
        let (pane, family) = started("while :; do sleep 0.01; done").await;
        drop(pane);
        assert_gone(&family);
    });
}

#[test]
fn h05_what_is_shared_goes_on() {
    run(async {
        let (mut pane, family) = started("read -r x; exit 0").await;
        pane.child = pane.child.sparing(|process| process.command == "sleep 1000");
        pane.send(b"\n");
        pane.child.wait().await.unwrap();
        pane.child.sweep().await;
        drop(pane.child);
        let living = family.iter().filter(|id| fs::exists(format!("/proc/{id}")).unwrap());
        let shared: BTreeSet<i32> = living.copied().collect();
        assert!(!shared.is_empty() && shared.len() < family.len(), "{shared:?} of {family:?}");
        for id in &shared {
            rustix::process::kill_process(rustix::process::Pid::from_raw(*id).unwrap(), Signal::KILL)
                .unwrap();
        }
        assert_gone(&shared);
    });
}
