//! A run of `subagents` on a real terminal, whose screen another terminal's engine reads.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pty_process::{Size, blocking};

use super::launch::{BINARY, Launch, PATIENCE};

const ROWS: u16 = 40;
const COLUMNS: u16 = 120;

/// A person takes as long to read a question that has been drawn.
const READING: Duration = Duration::from_millis(1500);

/// The terminal, with all that has been written to it.
pub(crate) struct Terminal {
    child: Child,
    input: File,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

impl Terminal {
    pub(crate) fn run(launch: &Launch) -> Self {
        Self::sized(launch, (COLUMNS, ROWS))
    }

    pub(crate) fn sized(launch: &Launch, (columns, rows): (u16, u16)) -> Self {
        let (pty, pts) = blocking::open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        let command =
            blocking::Command::new(BINARY).args(&launch.args).current_dir(&launch.folder).env_clear();
        let variables = launch.environment.iter().map(|(name, value)| (name, value));
        let child = command.envs(variables).spawn(pts).unwrap();
        let input = File::from(OwnedFd::from(pty));
        let output = pieces(input.try_clone().unwrap());
        let size = |length: u16| length.try_into().unwrap();
        Self { child, input, output, screen: vt100::Parser::new(size(rows), size(columns), 0) }
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the screen shows the text.
    pub(crate) fn expect(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.text().contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("`{text}` is not on the screen:\n{}", self.text())
                }
            }
        }
    }

    /// Goes down to a choice of a question and takes it. Claude Code refuses keys that come sooner than a person
    /// can have read the question, and goes back to its first choice.
    pub(crate) fn choose(&mut self, choice: &str) {
        let deadline = Instant::now() + PATIENCE;
        let marked = format!("❯ {choice}");
        self.expect(&format!("  {choice}"));
        while self.text().contains(&format!("  {choice}")) || self.text().contains(&marked) {
            assert!(Instant::now() < deadline, "`{choice}` can't be chosen:\n{}", self.text());
            self.read_until_quiet();
            self.keys("\x1b[B");
            self.expect(&marked);
            self.read_until_quiet();
            self.keys("\r");
            self.read_until_quiet();
        }
    }

    /// Waits until this isn't on the screen any more.
    pub(crate) fn expect_gone(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.text().contains(text) {
            assert!(Instant::now() < deadline, "`{text}` stays on the screen:\n{}", self.text());
            self.read(Duration::from_millis(50));
        }
    }

    /// Takes as long as a person does to read a question.
    pub(crate) fn ponder(&mut self) {
        self.read(READING);
    }

    /// Reads what comes within this time.
    pub(crate) fn read(&mut self, time: Duration) {
        let deadline = Instant::now() + time;
        while let Ok(bytes) = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.screen.process(&bytes);
        }
    }

    fn read_until_quiet(&mut self) {
        while let Ok(bytes) = self.output.recv_timeout(READING) {
            self.screen.process(&bytes);
        }
    }

    /// Waits until the run has ended; its exit code, and what it has left on the screen.
    pub(crate) fn end(&mut self) -> (i32, String) {
        let deadline = Instant::now() + PATIENCE;
        while let Ok(bytes) = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.screen.process(&bytes);
        }
        assert!(Instant::now() < deadline, "it has not ended:\n{}", self.text());
        (self.child.wait().unwrap().code().unwrap_or(-1), self.text())
    }

    /// As if its power had gone.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Claude Code's own way out.
    pub(crate) fn leave(mut self) -> (i32, String) {
        self.keys("/exit");
        self.expect("/exit");
        self.keys("\r");
        self.end()
    }

    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    pub(crate) fn text(&self) -> String {
        self.screen.screen().contents()
    }
}

/// What is written to the terminal, until nobody has it open any more.
fn pieces(mut terminal: File) -> Receiver<Vec<u8>> {
    let (send, pieces) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        // EIO is the end of a terminal's output on Linux.
        while let Ok(count @ 1..) = terminal.read(&mut buffer) {
            if send.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    pieces
}
