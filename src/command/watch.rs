//! A text that is shown again and again in one place of a terminal.

use std::io::{IsTerminal, Write};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdout;
use rustix::termios::tcgetwinsize;

/// How many lines are shown now.
pub(super) struct Watch {
    lines: usize,
}

impl Watch {
    /// `None`: a file has no such place.
    pub(super) fn on_terminal() -> Option<Self> {
        std::io::stdout().is_terminal().then_some(Self { lines: 0 })
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
        // A terminal that has gone ends us by a signal.
        _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    }
}

/// Whether somebody still reads what is printed. Where it can't be told, somebody does.
pub(super) fn is_read() -> bool {
    let mut polled = [PollFd::from_borrowed_fd(stdout(), PollFlags::empty())];
    let is_told = poll(&mut polled, Some(&Timespec::default())).is_ok();
    !(is_told && polled[0].revents().intersects(PollFlags::ERR | PollFlags::HUP))
}
