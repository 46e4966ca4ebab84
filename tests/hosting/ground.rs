//! A machine with a stand-in for Claude Code, and the sessions that live on it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use subagents::launch::live::{self, Live};

use crate::stage::Stage;

/// Longer than any step takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// What a stand-in begins with that prints back what it gets.
pub(crate) const ECHO: &str = "stty raw -echo; printf 'ready\\r\\n'; exec cat -v";

/// A stage, whose sessions end with it.
pub(crate) struct Ground(pub(crate) Stage);

impl Ground {
    /// With this shell script as Claude Code.
    pub(crate) fn new(script: &str) -> Self {
        Self::with(Stage::new(), script)
    }

    pub(crate) fn with(stage: Stage, script: &str) -> Self {
        let version = "if [ \"$1\" = --version ]; then echo '2.1.332 (Claude Code)'; exit; fi";
        let stage = stage.with("bin/claude", &format!("#!/bin/sh\n{version}\n{script}\n"));
        fs::set_permissions(stage.at("bin/claude"), fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", stage.at("bin").display());
        Self(stage.with_variable("PATH", &path))
    }

    /// Starts a session in the background.
    pub(crate) fn begin(&self, name: &str) -> Live {
        self.0.run(&["run", "--detach", "--name", name]).ok();
        self.session(name)
    }

    pub(crate) fn session(&self, name: &str) -> Live {
        let find = || self.living().into_iter().find(|live| live.name == name);
        // In its own terminal a child may write before its session is listed.
        until(&format!("the session {name}"), || find().is_some());
        find().unwrap()
    }

    pub(crate) fn living(&self) -> Vec<Live> {
        live::living(&self.live_folder())
    }

    pub(crate) fn live_folder(&self) -> PathBuf {
        self.0.at("home/.local/share/subagents/live")
    }

    /// The file's text, once it holds this much of it.
    pub(crate) fn file_with(&self, path: &str, part: &str) -> String {
        let read = || fs::read_to_string(self.0.at(path)).unwrap_or_default();
        until(&format!("`{part}` in {path}"), || read().contains(part));
        read()
    }

    pub(crate) fn until_gone(&self, live: &Live) {
        until("the session's end", || self.living().iter().all(|other| other.session != live.session));
    }

    /// The ids of all processes of sessions of this machine, by the home in their environment.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let home = format!("HOME={}", self.0.at("home").display());
        let ids = fs::read_dir("/proc").unwrap().flatten();
        let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        ids.filter(|id| {
            let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes())
        })
        .collect()
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        for process in self.processes() {
            kill_process(pid(process), Signal::KILL).ok();
        }
    }
}

/// Signals a session's own process.
pub(crate) fn signal(live: &Live, signal: Signal) {
    kill_process(pid(live.process), signal).unwrap();
}

pub(crate) fn pid(process: u32) -> Pid {
    Pid::from_raw(process.try_into().unwrap()).unwrap()
}

/// Waits until it is so.
#[track_caller]
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it never came to {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
