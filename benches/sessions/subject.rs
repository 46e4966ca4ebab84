//! What is measured: a child on a terminal directly, within tmux, and within a host.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use subagents::launch::live;
use tempfile::TempDir;

use crate::window::Window;
use crate::{BULK, Fallible};

/// The last that the child draws.
pub(crate) const LAST: &[u8] = b"ALL-OF-IT";

/// What is between the terminal and the child.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Nothing,
    Tmux,
    Host,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Nothing, Self::Tmux, Self::Host];
}

/// A home of its own, whose sessions end with it.
pub(crate) struct Machine(TempDir);

impl Machine {
    pub(crate) fn new() -> Fallible<Self> {
        let machine = Self(tempfile::tempdir()?);
        for folder in ["home", "project", "config", "bin"] {
            fs::create_dir(machine.at(folder))?;
        }
        let last = String::from_utf8_lossy(LAST);
        // Echoes until Ctrl-D, then draws much.
        let child = format!(
            "#!/bin/sh\n[ \"$1\" != --version ] || {{ echo '2.1.332 (Claude Code)'; exit; }}\n\
             trap : INT; stty -icanon -echo -icrnl -opost min 1 time 0 intr '^D'; printf 'ready\\r\\n'; cat\n\
             stty opost; yes 'some text that fills a line of the terminal' | head -c {BULK}000000; printf '{last}'\n\
             exec sleep 1000\n"
        );
        fs::write(machine.at("bin/claude"), child)?;
        fs::set_permissions(machine.at("bin/claude"), fs::Permissions::from_mode(0o755))?;
        Ok(machine)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// A terminal with the child behind whatever is between.
    pub(crate) fn window(&self, kind: Kind) -> Fallible<Window> {
        let child = self.at("bin/claude");
        let mut window = match kind {
            Kind::Nothing => Window::open(&self.command(&child.display().to_string(), &[]))?,
            Kind::Tmux => {
                let socket = self.at("tmux").display().to_string();
                let child = child.display().to_string();
                let words = ["-f", "/dev/null", "-S", &socket, "new-session", &child];
                Window::open(&self.command("tmux", &words))?
            }
            Kind::Host => {
                self.begin(1)?;
                return self.attach("s0");
            }
        };
        window.expect(b"ready")?;
        Ok(window)
    }

    /// Begins so many sessions at once, called `s0` and so on.
    pub(crate) fn begin(&self, count: usize) -> Fallible<()> {
        let begin = |number: usize| {
            let name = format!("s{number}");
            self.subagents(&["run", "--detach", "--name", &name]).stdout(Stdio::null()).spawn()
        };
        for begun in (0..count).map(begin).collect::<Vec<_>>() {
            if !begun?.wait()?.success() {
                return Err("a session didn't begin".into());
            }
        }
        Ok(())
    }

    pub(crate) fn attach(&self, name: &str) -> Fallible<Window> {
        let mut window = Window::open(&self.subagents(&["attach", name]))?;
        window.expect(b"ready")?;
        Ok(window)
    }

    /// The processes of the hosts.
    pub(crate) fn hosts(&self) -> Vec<u32> {
        let living = live::living(&self.at("home/.local/share/subagents/live"));
        living.into_iter().map(|live| live.process).collect()
    }

    fn subagents(&self, words: &[&str]) -> Command {
        self.command(env!("CARGO_BIN_EXE_subagents"), words)
    }

    fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(self.at("project"))
            .env_clear()
            .env("HOME", self.at("home"))
            .env("PATH", format!("{}:/usr/bin:/bin", self.at("bin").display()))
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .env("SUBAGENTS_CONFIG_DIR", self.at("config"))
            .stdin(Stdio::null());
        command
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let ends = [
            self.subagents(&["stop", "--all"]),
            self.command("tmux", &["-S", &self.at("tmux").display().to_string(), "kill-server"]),
        ];
        for mut end in ends {
            // Where there is nothing of its kind, there is nothing to end.
            let _ = end.stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
    }
}

/// What a process alone takes, in megabytes: what it shares with others counts in part.
pub(crate) fn memory(process: u32) -> Fallible<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).ok_or("no Pss")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1000.0)
}
