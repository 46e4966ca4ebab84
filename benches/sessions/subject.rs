//! What is measured: a child on a terminal directly, within tmux, and within a host.

use crate::machine::Machine;
use crate::window::{SMALL, Window};
use crate::{BULK, Fallible};

/// The last that the child draws.
pub(crate) const LAST: &[u8] = b"ALL-OF-IT";

/// What is between the terminal and the child.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Nothing,
    Tmux,
    Host,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Nothing, Self::Tmux, Self::Host];
}

/// A machine whose child draws much when it has echoed enough.
pub(crate) fn machine() -> Fallible<Machine> {
    let last = String::from_utf8_lossy(LAST);
    let text = "some text that fills a line of the terminal";
    Machine::new(&format!("yes '{text}' | head -c {BULK}000000; printf '{last}'\nexec sleep 1000"))
}

/// A terminal with the child behind whatever is between.
pub(crate) fn window(machine: &Machine, kind: Kind) -> Fallible<Window> {
    match kind {
        Kind::Nothing => machine.alone(SMALL),
        Kind::Tmux => machine.tmux(SMALL),
        Kind::Host => {
            machine.begin(1)?;
            machine.subagents(&["attach", "s0"], SMALL)
        }
    }
}
