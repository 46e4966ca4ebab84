//! A window of a real terminal with a command in it: what it is sent, what it shows, how it is left.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use pty_process::blocking;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

use crate::ground::{Ground, PATIENCE};

/// All that a full-screen program switches on, switched off.
const LEFT: [&str; 10] = [
    "\x1b[?1049l",
    "\x1b[?25h",
    "\x1b[?1000l",
    "\x1b[?1002l",
    "\x1b[?1003l",
    "\x1b[?1006l",
    "\x1b[?2004l",
    "\x1b[?1004l",
    "\x1b[<u",
    "\x1b[?2026l",
];

/// What a terminal says of itself when it is asked for its colours.
const ANSWERS: &[u8] = b"\x1b]10;rgb:1111/2222/3333\x1b\\\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\\x1b[?62;22c";

pub(crate) struct Window {
    pub(crate) child: Child,
    master: File,
    screen: vt100::Parser,
    /// All that was written to it.
    pub(crate) bytes: Vec<u8>,
    before: Termios,
    /// As far as the questions were looked for.
    asked: usize,
    kind: Kind,
}

/// Whether it answers when it is asked for its colours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Answers,
    Silent,
}

impl Window {
    /// A session in a window of 80 columns and 24 rows.
    pub(crate) fn attached(ground: &Ground, name: &str) -> Self {
        Self::open(&ground.0.command(&["attach", name]), (80, 24), Kind::Answers)
    }

    pub(crate) fn open(command: &Command, (columns, rows): (u16, u16), kind: Kind) -> Self {
        let (pty, pts) = blocking::open().unwrap();
        pty.resize(pty_process::Size::new(rows, columns)).unwrap();
        let mut on_terminal =
            blocking::Command::new(command.get_program()).args(command.get_args()).env_clear();
        if let Some(folder) = command.get_current_dir() {
            on_terminal = on_terminal.current_dir(folder);
        }
        for (name, value) in command.get_envs() {
            on_terminal = on_terminal.env(name, value.unwrap());
        }
        let master = File::from(OwnedFd::from(pty));
        let before = tcgetattr(&master).unwrap();
        fcntl_setfl(&master, OFlags::NONBLOCK | OFlags::RDWR).unwrap();
        let child = on_terminal.spawn(pts).unwrap();
        let length = |length| NonZeroU16::new(length).unwrap();
        let screen = vt100::Parser::new(length(rows), length(columns), 0);
        Self { child, master, screen, bytes: Vec::new(), before, asked: 0, kind }
    }

    /// Sends all of it, and takes what comes meanwhile.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let mut rest = bytes.as_ref();
        while !rest.is_empty() {
            let (readable, writable) = self.wait(PollFlags::IN | PollFlags::OUT);
            if readable {
                assert!(self.take(), "the terminal's other end is closed");
            }
            if writable {
                match self.master.write(rest) {
                    Ok(count) => rest = &rest[count..],
                    Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}"),
                }
            }
        }
    }

    /// Reads until the window shows the text.
    #[track_caller]
    pub(crate) fn expect(&mut self, text: &str) {
        self.until(text, |window| window.text().contains(text));
    }

    #[track_caller]
    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        while !is_so(self) {
            let is_there = self.wait(PollFlags::IN).0 && self.take();
            assert!(is_there, "`{what}` was not to be seen:\n{}\n{}", self.text(), self.tail(2000));
        }
    }

    pub(crate) fn text(&self) -> String {
        self.screen.screen().contents()
    }

    pub(crate) fn row(&self, row: u16) -> String {
        self.screen.screen().rows(0, 1000).nth(row.into()).unwrap_or_default()
    }

    pub(crate) fn vt(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        let size = Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 };
        let length = |length| NonZeroU16::new(length).unwrap();
        self.screen.screen_mut().set_size(length(rows), length(columns));
        tcsetwinsize(&self.master, size).unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn modes(&self) -> Termios {
        tcgetattr(&self.master).unwrap()
    }

    /// Reads to the end of the command, and gives how it ended.
    #[track_caller]
    pub(crate) fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let status = self.child.try_wait().unwrap();
            while self.poll(PollFlags::IN, Duration::from_millis(10)).0 && self.take() {}
            if let Some(status) = status {
                return status;
            }
            assert!(Instant::now() < deadline, "it doesn't end:\n{}", self.text());
        }
    }

    /// The same; the exit code.
    #[track_caller]
    pub(crate) fn code(&mut self) -> i32 {
        self.end().code().unwrap()
    }

    /// After the end: the terminal is as it was found.
    #[track_caller]
    pub(crate) fn assert_given_back(&self) {
        // Once is what is meant where no number stands.
        let tail = self.tail(4000).replace("\x1b[<1u", "\x1b[<u");
        let at = tail.rfind(LEFT[0]).unwrap_or_else(|| panic!("nothing was left: {tail:?}"));
        let begin = tail[..at].rfind("\x1b[0m").unwrap_or(0);
        let missing: Vec<_> = LEFT.iter().filter(|sequence| !tail[begin..].contains(*sequence)).collect();
        assert!(missing.is_empty(), "{missing:?} in {:?}", &tail[begin..]);
        self.assert_modes_are_back();
    }

    #[track_caller]
    pub(crate) fn assert_modes_are_back(&self) {
        let (before, now) = (&self.before, self.modes());
        let modes =
            |modes: &Termios| (modes.input_modes, modes.output_modes, modes.control_modes, modes.local_modes);
        assert_eq!(modes(&now), modes(before));
    }

    /// The last that was written.
    pub(crate) fn tail(&self, length: usize) -> String {
        String::from_utf8_lossy(&self.bytes[self.bytes.len().saturating_sub(length)..]).into_owned()
    }

    /// The window is closed: there is no terminal any more. How the command ended.
    pub(crate) fn close(mut self) -> ExitStatus {
        self.master = File::open("/dev/null").unwrap();
        self.child.wait().unwrap()
    }

    /// Takes what there is; false: the terminal's other end is closed.
    pub(crate) fn take(&mut self) -> bool {
        let mut buffer = vec![0; 64 * 1024];
        match self.master.read(&mut buffer) {
            Ok(0) => false,
            Ok(count) => {
                self.bytes.extend_from_slice(&buffer[..count]);
                self.screen.process(&buffer[..count]);
                self.answer();
                true
            }
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        }
    }

    fn answer(&mut self) {
        const LAST: &[u8] = b"\x1b[c";
        match self.bytes[self.asked..].windows(LAST.len()).position(|bytes| bytes == LAST) {
            Some(at) => {
                self.asked += at + LAST.len();
                if self.kind == Kind::Answers {
                    self.master.write_all(ANSWERS).unwrap();
                }
            }
            None => self.asked = self.asked.max((self.bytes.len() + 1).saturating_sub(LAST.len())),
        }
    }

    /// Whether it can be read and written, once one of both can be.
    #[track_caller]
    fn wait(&self, what: PollFlags) -> (bool, bool) {
        let ready = self.poll(what, PATIENCE);
        assert!(ready != (false, false), "nothing more came:\n{}\n{:?}", self.text(), self.tail(2000));
        ready
    }

    fn poll(&self, what: PollFlags, time: Duration) -> (bool, bool) {
        let mut polled = [PollFd::new(&self.master, what)];
        poll(&mut polled, Some(&Timespec::try_from(time).unwrap())).unwrap();
        let ready = polled[0].revents();
        (ready.intersects(PollFlags::IN | PollFlags::HUP), ready.contains(PollFlags::OUT))
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
