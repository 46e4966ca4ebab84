//! The terminal as a child found it, so that one that is killed doesn't leave it unusable.

use std::io::Write;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

/// Leaves what a full-screen program switches on: alternate screen, mouse, paste and focus reports, colour
/// scheme reports, kitty keys; shows the cursor again.
const LEAVE: &[u8] = b"\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[<u\
    \x1b[?1049l\x1b[0m\x1b[?25h";

/// The line settings of standard input, where that is a terminal.
pub(super) struct TerminalModes(Option<Termios>);

impl TerminalModes {
    pub(super) fn save() -> Self {
        Self(tcgetattr(rustix::stdio::stdin()).ok())
    }

    /// Puts the terminal back if the child left it in another state. Nothing is written where it left it well.
    pub(super) fn restore(&self) {
        let stdin = rustix::stdio::stdin();
        let (Some(saved), Ok(now)) = (&self.0, tcgetattr(stdin)) else { return };
        // From the background, touching the terminal would stop us.
        let ours = tcgetpgrp(stdin).is_ok_and(|group| group == rustix::process::getpgrp());
        let changed = saved.local_modes != now.local_modes || saved.input_modes != now.input_modes;
        if ours && changed {
            tcsetattr(stdin, OptionalActions::Now, saved).ok();
            std::io::stdout().write_all(LEAVE).ok();
            std::io::stdout().flush().ok();
        }
    }
}
