//! A terminal with a command in it: what it is sent, and what comes.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use pty_process::blocking;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};

use crate::Fallible;

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_mins(2);

/// Columns and rows.
pub(crate) type Size = (u16, u16);

/// What terminals have been since there are any.
pub(crate) const SMALL: Size = (80, 24);

pub(crate) struct Window {
    child: Child,
    terminal: File,
    /// What came and was not asked for yet.
    rest: Vec<u8>,
    buffer: Vec<u8>,
}

impl Window {
    pub(crate) fn open(command: &Command, (columns, rows): Size) -> Fallible<Self> {
        let (pty, pts) = blocking::open()?;
        pty.resize(pty_process::Size::new(rows, columns))?;
        let mut on_terminal =
            blocking::Command::new(command.get_program()).args(command.get_args()).env_clear();
        if let Some(folder) = command.get_current_dir() {
            on_terminal = on_terminal.current_dir(folder);
        }
        for (name, value) in command.get_envs() {
            on_terminal = on_terminal.env(name, value.unwrap_or_default());
        }
        let terminal = File::from(OwnedFd::from(pty));
        fcntl_setfl(&terminal, OFlags::NONBLOCK | OFlags::RDWR)?;
        let child = on_terminal.spawn(pts)?;
        Ok(Self { child, terminal, rest: Vec::new(), buffer: vec![0; 256 * 1024] })
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> Fallible<()> {
        Ok(self.terminal.write_all(bytes)?)
    }

    /// Forgets what came, and what comes within this time.
    pub(crate) fn drain(&mut self, time: Duration) -> Fallible<()> {
        let deadline = Instant::now() + time;
        while self.take(deadline)? {
            self.rest.clear();
        }
        self.rest.clear();
        Ok(())
    }

    /// Reads until this has come.
    pub(crate) fn expect(&mut self, bytes: &[u8]) -> Fallible<()> {
        let deadline = Instant::now() + PATIENCE;
        while !self.rest.windows(bytes.len()).any(|window| window == bytes) {
            // What has been looked at can only hold the beginning of it.
            self.rest.drain(..self.rest.len().saturating_sub(bytes.len()));
            if !self.take(deadline)? {
                return Err(format!("`{}` never came", String::from_utf8_lossy(bytes)).into());
            }
        }
        Ok(())
    }

    /// How long the echoes of so many keys take, the fastest first, with this long between an echo and the next key.
    pub(crate) fn echoes(&mut self, keys: usize, pause: Duration) -> Fallible<Vec<Duration>> {
        let mut times = Vec::with_capacity(keys);
        for key in 0..keys {
            self.drain(pause)?;
            let sent = Instant::now();
            self.send(b"Z")?;
            self.expect(b"Z")?;
            times.push(sent.elapsed());
            if key % 40 == 39 {
                self.send(b"\r\n")?;
            }
        }
        times.sort();
        Ok(times)
    }

    /// What came since the last call or within this time, and when it came.
    pub(crate) fn pieces(&mut self, time: Duration) -> Fallible<Vec<(Instant, Vec<u8>)>> {
        let deadline = Instant::now() + time;
        let mut pieces = Vec::new();
        while self.take(deadline)? {
            pieces.push((Instant::now(), std::mem::take(&mut self.rest)));
        }
        Ok(pieces)
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Takes what there is; false: nothing came in time.
    fn take(&mut self, deadline: Instant) -> Fallible<bool> {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut polled = [PollFd::new(&self.terminal, PollFlags::IN)];
        if poll(&mut polled, Some(&Timespec::try_from(left)?))? == 0 {
            return Ok(false);
        }
        match self.terminal.read(&mut self.buffer) {
            Ok(count) => self.rest.extend_from_slice(&self.buffer[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
