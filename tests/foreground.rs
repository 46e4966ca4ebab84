//! A foreground child on a real terminal: codes, Ctrl-C, Ctrl-Z and the signals that end a session.
//!
//! The process under test is this very binary, started again in a PTY to run only `entry`, which is nothing
//! but `spawn` and `wait` of the shell script that it is told.

#![expect(clippy::unwrap_used, reason = "a test that can't go on says so by panicking")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pty_process::blocking;
use rustix::process::{Pid, Signal, kill_process};
use subagents::config::Environment;
use subagents::launch::{Command, foreground};

/// Longer than any step takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
const SCRIPT: &str = "FOREGROUND_SCRIPT";

/// Not a test: what the tests start. Without its variable it does nothing.
#[test]
#[expect(clippy::disallowed_methods, reason = "the exit code is what the tests look at")]
fn entry() {
    let Ok(script) = std::env::var(SCRIPT) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let code = runtime.block_on(async {
        let command = shell(script);
        let child = foreground::spawn(&command, &Environment::of_process(), Path::new("."))
            .unwrap_or_else(|error| panic!("{error}"));
        let grace = std::env::var("FOREGROUND_GRACE_MS").ok().and_then(|text| text.parse().ok());
        child.with_grace(Duration::from_millis(grace.unwrap_or(20_000))).wait().await.unwrap()
    });
    std::process::exit(i32::from(code));
}

fn shell(script: String) -> Command {
    Command {
        program: "/bin/sh".into(),
        args: vec!["-c".to_owned(), script],
        env_set: vec![("SET_BY_US".to_owned(), "yes".to_owned())],
        env_remove: vec!["REMOVED_BY_US".to_owned()],
        files: Vec::new(),
        agents: serde_json::Map::new(),
        warnings: Vec::new(),
    }
}

/// A terminal with a process on it, and all that it has shown so far.
struct Terminal {
    child: Child,
    input: File,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    fn run(script: &str) -> Self {
        let entry = entry_command();
        let command = blocking::Command::new(&entry[0]).args(&entry[1..]);
        Self::start(command.env(SCRIPT, script).env("REMOVED_BY_US", "no"))
    }

    fn start(command: blocking::Command) -> Self {
        let (pty, pts) = blocking::open().unwrap();
        let child = command.spawn(pts).unwrap();
        let input = File::from(OwnedFd::from(pty));
        let mut reader = input.try_clone().unwrap();
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // EIO is the end of a terminal's output on Linux.
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, input, output, seen: String::new() }
    }

    fn keys(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the text has been shown, and forgets everything up to its end.
    fn expect(&mut self, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.find(text) {
                let rest = self.seen.split_off(at + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("`{text}` was not shown, but: {}", self.seen)
                }
            }
        }
    }

    /// The number that is shown between `before` and a blank.
    fn number(&mut self, before: &str) -> Pid {
        self.expect(before);
        let digits = self.expect(" ");
        Pid::from_raw(digits.trim().parse().unwrap()).unwrap()
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn status(mut self) -> ExitStatus {
        let (send, ended) = channel();
        std::thread::spawn(move || send.send(self.child.wait()));
        ended.recv_timeout(PATIENCE).expect("the process must end").unwrap()
    }

    fn code(self) -> Option<i32> {
        self.status().code()
    }
}

/// A shell with job control that has started the process under test.
fn job_shell(script: &str) -> Terminal {
    let bash = blocking::Command::new("bash").args(["--norc", "--noprofile", "--noediting", "-i"]);
    let mut shell = Terminal::start(bash.env("PS1", "ready> ").env(SCRIPT, script));
    shell.expect("ready> ");
    shell.keys(&format!("{}\n", shlex::try_join(entry_command().iter().map(String::as_str)).unwrap()));
    shell
}

fn entry_command() -> Vec<String> {
    let own = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    ["--exact", "entry", "--nocapture", "-q"].iter().fold(vec![own], |mut words, word| {
        words.push((*word).to_owned());
        words
    })
}

/// Is the process gone? It may still have to be reaped by init.
fn gone(pid: Pid) -> bool {
    let deadline = Instant::now() + PATIENCE;
    while rustix::process::test_kill_process(pid).is_ok() && !zombie(pid) {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

fn zombie(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.is_ok_and(|stat| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
}

#[test]
fn l8_p3_the_childs_exit_code_is_ours() {
    for code in [0, 7, 255] {
        assert_eq!(Terminal::run(&format!("exit {code}")).code(), Some(code));
    }
}

#[test]
fn l8_a_child_that_a_signal_ends_counts_from_128() {
    assert_eq!(Terminal::run("kill -KILL $$").code(), Some(137));
    assert_eq!(Terminal::run("kill -TERM $$").code(), Some(143));
}

#[test]
fn p6_the_child_has_the_terminal_and_the_changed_environment() {
    let mut terminal =
        Terminal::run("test -t 0 && test -t 1 && echo \"tty ${SET_BY_US} ${REMOVED_BY_US-gone}.\"");
    terminal.expect("tty yes gone.");
    assert_eq!(terminal.code(), Some(0));
}

#[test]
fn ctrl_c_and_ctrl_backslash_are_the_childs_alone() {
    let traps = "trap 'echo \"caught it\"' INT; trap 'echo \"quit it\"' QUIT";
    let mut terminal = Terminal::run(&format!("{traps}; echo ready; until read x; do :; done; exit $x"));
    terminal.expect("ready");
    terminal.keys("\x03");
    terminal.expect("caught it");
    terminal.keys("\x1c");
    terminal.expect("quit it");
    terminal.keys("5\n");
    assert_eq!(terminal.code(), Some(5));
}

#[test]
fn ctrl_c_ends_a_child_that_does_not_handle_it() {
    let mut terminal = Terminal::run("echo ready; exec cat");
    terminal.expect("ready");
    terminal.keys("\x03");
    assert_eq!(terminal.code(), Some(130));
}

#[test]
fn ctrl_z_stops_both_and_going_on_lets_both_go_on() {
    let mut shell = job_shell("echo \"child $$ \"; exec cat");
    let child = shell.number("child ");
    // A stop that comes right after the last going on is the hard one, so there are many.
    for round in (0..40).map(|round| format!("round {round}")) {
        shell.keys("\x1a");
        shell.expect("Stopped");
        shell.expect("ready> ");
        shell.keys("fg\n");
        // The shell names the job that goes on, which must not mix with the echo of what follows.
        shell.expect("-q\r\n");
        shell.keys(&format!("{round}\n"));
        // Once by the terminal's echo, once by the child.
        shell.expect(&format!("{round}\r\n"));
        shell.expect(&format!("{round}\r\n"));
    }
    shell.keys("\x04");
    shell.expect("ready> ");
    shell.keys("echo \"code $?.\"\n");
    shell.expect("code 0.");
    assert!(gone(child));
    shell.keys("exit\n");
    assert_eq!(shell.code(), Some(0));
}

#[test]
fn a_child_that_stops_itself_stops_us() {
    let mut shell = job_shell("kill -STOP $$; echo \"went on.\"; exit 4");
    shell.expect("Stopped");
    shell.expect("ready> ");
    shell.keys("fg\n");
    shell.expect("went on.");
    shell.expect("ready> ");
    shell.keys("echo \"code $?.\"; exit\n");
    shell.expect("code 4.");
}

#[test]
fn going_on_alone_takes_the_stopped_child_along() {
    let mut shell = job_shell("echo \"us $PPID \"; kill -STOP $$; echo \"went on.\"; exit 4");
    let us = shell.number("us ");
    shell.expect("Stopped");
    shell.expect("ready> ");
    // To us only, not to the job: the child is our care.
    kill_process(us, Signal::CONT).unwrap();
    shell.expect("went on.");
}

#[test]
fn h01_sigterm_and_sighup_to_us_end_both() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let mut terminal = Terminal::run("echo \"child $$ \"; exec cat");
        let child = terminal.number("child ");
        terminal.signal(signal);
        assert_eq!(terminal.code(), Some(code));
        assert!(gone(child));
    }
}

#[test]
fn a_child_that_ends_in_its_own_way_on_sigterm_keeps_its_code() {
    // A shell that waits heeds a trapped signal at once; one that reads may go on reading.
    let mut terminal = Terminal::run("trap 'kill $!; exit 3' TERM; sleep 1000 & echo ready; wait");
    terminal.expect("ready");
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.code(), Some(3));
}

#[test]
fn a_child_that_ignores_sigterm_is_killed_after_the_grace() {
    let entry = entry_command();
    let command = blocking::Command::new(&entry[0]).args(&entry[1..]);
    let script = "trap '' TERM; echo \"child $$ \"; while :; do read x; done";
    let mut terminal = Terminal::start(command.env(SCRIPT, script).env("FOREGROUND_GRACE_MS", "50"));
    let child = terminal.number("child ");
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.code(), Some(137));
    assert!(gone(child));
}

#[test]
fn p4_a_killed_child_leaves_the_terminal_as_it_found_it() {
    let script = "stty raw -echo; printf '\\033[?1049hfull'; kill -KILL $$";
    let mut terminal = Terminal::run(script);
    terminal.expect("full");
    terminal.expect("\x1b[?1049l");
    terminal.expect("\x1b[?25h");
    assert_eq!(terminal.code(), Some(137));
}

#[test]
fn h09_a_terminal_that_goes_away_ends_both() {
    let entry = entry_command();
    let command = blocking::Command::new(&entry[0]).args(&entry[1..]);
    let (mut pty, pts) = blocking::open().unwrap();
    let mut child = command.env(SCRIPT, "printf %s. $$; exec sleep 600").spawn(pts).unwrap();
    let mut shown = Vec::new();
    while !shown.contains(&b'.') {
        let mut byte = [0];
        pty.read_exact(&mut byte).unwrap();
        shown.extend(byte);
    }
    // What the test's own frame says stands before it, numbers too.
    let shown = String::from_utf8(shown).unwrap();
    let digits = shown.trim_end_matches('.').split_whitespace().next_back().unwrap();
    let grandchild = Pid::from_raw(digits.parse().unwrap()).unwrap();
    // No handle of ours is left: the kernel hangs the terminal up.
    drop(pty);
    assert_eq!(child.wait().unwrap().code(), Some(129));
    assert!(gone(grandchild));
}
