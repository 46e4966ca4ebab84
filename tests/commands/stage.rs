//! A machine for one test: a home, a configuration folder, a project; and what the binary did there.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use subagents::launch::live;

/// Nothing of the real machine is seen by what runs here.
pub(crate) struct Stage {
    root: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

/// What one run of the binary did.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Stage {
    /// With empty folders `home`, `project` and `config/agents`.
    pub(crate) fn new() -> Self {
        let stage = Self { root: tempfile::tempdir().unwrap(), variables: Vec::new() };
        for folder in ["home", "project", "config/agents"] {
            fs::create_dir_all(stage.at(folder)).unwrap();
        }
        stage
    }

    /// A path on this machine.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// A file, and the folders above it.
    pub(crate) fn with(self, path: &str, text: &str) -> Self {
        let file = self.at(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    /// A file or folder that nobody else may write, whatever the umask.
    pub(crate) fn only_own(self, path: &str) -> Self {
        let file = self.at(path);
        let mode = if file.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        self
    }

    pub(crate) fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    /// The binary in the project's folder, without a terminal.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_subagents"));
        command
            .args(arguments)
            .current_dir(self.at("project"))
            .env_clear()
            .env("HOME", self.at("home"))
            .env("PATH", "/usr/bin:/bin")
            .env("SUBAGENTS_CONFIG_DIR", self.at("config"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// With something on stdin.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A child that doesn't read it has ended already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Ran::of(child.wait_with_output().unwrap())
    }
}

/// Sessions that were left in the background end with it. Those that a test stands in for name the test itself.
impl Drop for Stage {
    fn drop(&mut self) {
        let living = live::living(&self.at("home/.local/share/subagents/live"));
        for live in living.into_iter().filter(|live| live.process != std::process::id()) {
            let process = i32::try_from(live.process).ok().and_then(Pid::from_raw);
            process.map(|process| kill_process(process, Signal::KILL));
        }
    }
}

impl Ran {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// What it printed on stdout, where it succeeded.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        self.stdout
    }

    /// The JSON that it printed, held against `docs/json/SCHEMA.schema.json`.
    pub(crate) fn json(self, schema: &str) -> Value {
        let value: Value = serde_json::from_str(&self.stdout).unwrap();
        let file = format!("{}/docs/json/{schema}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let schema: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let wrong: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{file}: {wrong:?}\n{value:#}");
        value
    }

    /// What it said on stderr, where it failed with this code.
    pub(crate) fn failed(self, code: i32) -> String {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        self.stderr
    }
}
