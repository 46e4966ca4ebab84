//! A home of its own, with a stand-in for Claude Code.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use subagents::launch::live;
use tempfile::TempDir;

use crate::Fallible;
use crate::window::{Size, Window};

/// Its sessions end with it.
pub(crate) struct Machine {
    folder: TempDir,
    variables: Vec<(&'static str, String)>,
}

impl Machine {
    /// The child says `ready`, echoes until Ctrl-D, and then does what this shell script says. Its settings are left in
    /// the home, where a session's router can be found.
    pub(crate) fn new(then: &str) -> Fallible<Self> {
        let machine = Self { folder: tempfile::tempdir()?, variables: Vec::new() };
        for folder in ["home", "project", "config", "bin"] {
            fs::create_dir(machine.at(folder))?;
        }
        let child = format!(
            "#!/bin/sh\n[ \"$1\" != --version ] || {{ echo '2.1.332 (Claude Code)'; exit; }}\n\
             while [ $# -gt 0 ] && [ \"$1\" != --settings ]; do shift; done\n\
             [ $# = 0 ] || {{ cp \"$2\" \"$HOME/new-$$\"; mv \"$HOME/new-$$\" \"$HOME/$$.settings\"; }}\n\
             trap : INT; stty -icanon -echo -icrnl -opost min 1 time 0 intr '^D'; printf 'ready\\r\\n'; cat\n\
             stty opost; {then}\n"
        );
        fs::write(machine.at("bin/claude"), child)?;
        fs::set_permissions(machine.at("bin/claude"), fs::Permissions::from_mode(0o755))?;
        Ok(machine)
    }

    /// With one more environment variable for everything that runs on it.
    pub(crate) fn with_variable(mut self, name: &'static str, value: String) -> Self {
        self.variables.push((name, value));
        self
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// The child with nothing between.
    pub(crate) fn alone(&self, size: Size) -> Fallible<Window> {
        self.window(&self.child(), &[], size)
    }

    pub(crate) fn tmux(&self, size: Size) -> Fallible<Window> {
        let socket = self.at("tmux").display().to_string();
        self.window("tmux", &["-f", "/dev/null", "-S", &socket, "new-session", &self.child()], size)
    }

    /// One of our own commands that shows a session.
    pub(crate) fn subagents(&self, words: &[&str], size: Size) -> Fallible<Window> {
        self.window(env!("CARGO_BIN_EXE_subagents"), words, size)
    }

    /// Begins so many sessions at once, called `s0` and so on.
    pub(crate) fn begin(&self, count: usize) -> Fallible<()> {
        let begin = |number: usize| {
            let name = format!("s{number}");
            self.ours(&["run", "--detach", "--name", &name]).stdout(Stdio::null()).spawn()
        };
        for begun in (0..count).map(begin).collect::<Vec<_>>() {
            if !begun?.wait()?.success() {
                return Err("a session didn't begin".into());
            }
        }
        Ok(())
    }

    /// The processes of the hosts.
    pub(crate) fn hosts(&self) -> Vec<u32> {
        let living = live::living(&self.at("home/.local/share/subagents/live"));
        living.into_iter().map(|live| live.process).collect()
    }

    fn child(&self) -> String {
        self.at("bin/claude").display().to_string()
    }

    fn window(&self, program: &str, words: &[&str], size: Size) -> Fallible<Window> {
        let mut window = Window::open(&self.command(program, words), size)?;
        window.expect(b"ready")?;
        Ok(window)
    }

    fn ours(&self, words: &[&str]) -> Command {
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
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let ends = [
            self.ours(&["stop", "--all"]),
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
