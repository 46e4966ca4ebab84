//! A child with its screen, as a host has them: one loop reads, answers and shows.

use std::path::Path;
use std::time::{Duration, Instant};

use subagents::config::Environment;
use subagents::launch::Command;
use subagents::launch::pty::{self, Child, Exit, Terminal};
use subagents::launch::screen::{Screen, Size};
use tokio::time::timeout;

/// Longer than any step takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Pane {
    pub(crate) terminal: Terminal,
    pub(crate) child: Child,
    pub(crate) screen: Screen,
    /// All output so far, in the pieces that it came in.
    pub(crate) pieces: Vec<Vec<u8>>,
}

/// `sh -c SCRIPT` with an environment of nothing but `PATH`.
pub(crate) fn shell(script: &str) -> Command {
    Command {
        program: "/bin/sh".into(),
        args: vec!["-c".to_owned(), script.to_owned()],
        env_set: Vec::new(),
        env_remove: Vec::new(),
        files: Vec::new(),
        agents: serde_json::Map::new(),
        warnings: Vec::new(),
    }
}

pub(crate) fn environment() -> Environment {
    Environment::from_iter([("PATH", std::env::var("PATH").unwrap())])
}

/// Runs a test's steps on one thread, as a host does.
pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

impl Pane {
    pub(crate) fn sh(script: &str) -> Self {
        Self::new(&shell(script), &environment(), Path::new("/"), Size::new(80, 24))
    }

    pub(crate) fn new(command: &Command, environment: &Environment, folder: &Path, size: Size) -> Self {
        let (terminal, child) =
            pty::spawn(command, environment, folder, size).unwrap_or_else(|error| panic!("{error}"));
        Self { terminal, child, screen: Screen::new(size), pieces: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.terminal.write(bytes).unwrap();
    }

    /// Takes the next output; false at its end.
    pub(crate) async fn read(&mut self) -> bool {
        let mut buffer = vec![0; 16 * 1024];
        let read = timeout(PATIENCE, self.terminal.read(&mut buffer)).await;
        let count = read.unwrap_or_else(|_| panic!("nothing more came:\n{}", self.screen.text())).unwrap();
        buffer.truncate(count);
        self.screen.feed(&buffer, Instant::now());
        let answers = self.screen.take_answers();
        self.send(&answers);
        self.pieces.push(buffer);
        count > 0
    }

    /// Reads until the screen shows the text.
    pub(crate) async fn expect(&mut self, text: &str) {
        self.until(text, |screen| screen.text().contains(text)).await;
    }

    /// Reads until the screen is as it should be.
    pub(crate) async fn until(&mut self, what: &str, is_so: impl Fn(&Screen) -> bool) {
        while !is_so(&self.screen) {
            assert!(self.read().await, "`{what}` was not to be seen:\n{}", self.screen.text());
        }
    }

    /// Reads to the end of the output, then waits for the child's.
    pub(crate) async fn end(&mut self) -> Exit {
        while self.read().await {}
        timeout(PATIENCE, self.child.wait()).await.unwrap().unwrap()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.pieces.concat()
    }
}
