//! A text that is shown again and again in one place of a terminal.

use std::io::{IsTerminal, Write};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdout;
use rustix::termios::tcgetwinsize;

/// What is shown, and how many lines that are.
pub(super) struct Watch {
    lines: usize,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self { lines: 0 }
    }

    /// Whether there is a place: a file has none.
    pub(super) fn is_terminal(&self) -> bool {
        std::io::stdout().is_terminal()
    }

    /// Whether somebody still reads what is shown.
    pub(super) fn is_read(&self) -> bool {
        let mut stdout = [PollFd::from_borrowed_fd(stdout(), PollFlags::empty())];
        // Where it can't be told, the next line tells.
        !(poll(&mut stdout, Some(&Timespec::default())).is_ok()
            && stdout[0].revents().intersects(PollFlags::ERR | PollFlags::HUP))
    }

    /// Shows the text instead of the one before, as far as it fits.
    pub(super) fn show(&mut self, text: &str) {
        let rows = tcgetwinsize(stdout()).map_or(24, |size| size.ws_row);
        let room = usize::from(rows.max(2)) - 1;
        let shown: Vec<&str> = text.lines().take(room).collect();
        let back = if self.lines > 0 { format!("\x1b[{}A", self.lines) } else { String::new() };
        // Nothing wraps: a line must stay a line.
        let text = format!("{back}\r\x1b[J\x1b[?7l{}\n\x1b[?7h", shown.join("\n"));
        self.lines = shown.len();
        let mut output = std::io::stdout().lock();
        _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    }
}
