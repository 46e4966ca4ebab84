//! One run of the `subagents` binary, from its command line to what is left of it.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::figures::Figures;

/// Longer than a run takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(100);

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_subagents");

/// What no launch inherits from whoever runs the tests. Whatever isn't loopback meets a proxy that isn't there.
const ENVIRONMENT: [(&str, &str); 5] = [
    ("LANG", "C.UTF-8"),
    ("TERM", "xterm-256color"),
    ("HTTPS_PROXY", "http://127.0.0.1:1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
];

/// `run` with its figures, and a Claude Code that answers one prompt and ends. It may be given more options.
pub(crate) fn headless<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let first = ["run", "--stats-file", "STATS", "--"];
    first.iter().chain(more).chain(&["-p", "Please do it."]).copied().collect()
}

/// A command line with its environment.
pub(crate) struct Launch {
    pub(crate) args: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) folder: PathBuf,
    stats_file: PathBuf,
}

/// What a run has left.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    stats_file: PathBuf,
}

impl Launch {
    /// `STATS` among the arguments stands for the file that [`Ended::figures`] reads.
    pub(crate) fn new(args: &[&str], folder: PathBuf, stats_file: PathBuf) -> Self {
        let path = std::env::var("PATH").unwrap();
        let fixed = ENVIRONMENT.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let environment = fixed.chain([("PATH".to_owned(), path)]).collect();
        let named = |arg: &&str| {
            if *arg == "STATS" { stats_file.to_str().unwrap().to_owned() } else { (*arg).to_owned() }
        };
        Self { args: args.iter().map(named).collect(), environment, folder, stats_file }
    }

    /// Sets a variable, in place of one that was there.
    pub(crate) fn env(self, name: &str, value: &str) -> Self {
        let mut launch = self.without(name);
        launch.environment.push((name.to_owned(), value.to_owned()));
        launch
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.environment.retain(|(own, _)| own != name);
        self
    }

    /// Starts it without a terminal.
    pub(crate) fn start(&self) -> Child {
        self.start_with(Stdio::null())
    }

    /// The same with an input.
    pub(crate) fn start_with(&self, input: Stdio) -> Child {
        let mut command = Command::new(BINARY);
        command.args(&self.args).current_dir(&self.folder).env_clear();
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs it to its end, without a terminal.
    pub(crate) fn run(self) -> Ended {
        let child = self.start();
        self.ended(child)
    }

    /// Waits for what [`Self::start`] has started.
    pub(crate) fn ended(self, child: Child) -> Ended {
        let output = output(child);
        let code = output.status.code().unwrap_or(-1);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ended {
            code,
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            stats_file: self.stats_file,
        }
    }

    pub(crate) fn figures(&self) -> Figures {
        Figures::read(&self.stats_file)
    }

    /// Waits until there is a stats file, which is written whole or not at all.
    pub(crate) fn expect_stats_file(&self) {
        let deadline = Instant::now() + PATIENCE;
        while !self.stats_file.exists() {
            assert!(Instant::now() < deadline, "{} has not been written", self.stats_file.display());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Ended {
    pub(crate) fn figures(&self) -> Figures {
        Figures::read(&self.stats_file)
    }

    /// The stats file, unchecked.
    pub(crate) fn stats(&self) -> Value {
        serde_json::from_slice(&std::fs::read(&self.stats_file).unwrap()).unwrap()
    }

    /// Fails with all that was said, unless the exit code is this one.
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
}

fn output(child: Child) -> Output {
    let process = Pid::from_child(&child);
    let (send, ended) = channel();
    std::thread::spawn(move || send.send(child.wait_with_output()));
    if let Ok(output) = ended.recv_timeout(PATIENCE) {
        return output.unwrap();
    }
    // The end of the run is what shows how far it came.
    kill_process(process, Signal::TERM).ok();
    panic!("it has not ended: {:#?}", ended.recv_timeout(PATIENCE))
}
