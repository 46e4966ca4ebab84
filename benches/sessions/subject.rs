//! What is measured: a child on a terminal directly, within tmux, and within a host.

use crate::machine::Machine;
use crate::window::{SMALL, Size, Window};
use crate::{BULK, Fallible, LINES};

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
    drawing(&format!("yes 'some text that fills a line of the terminal' | head -c {BULK}000000"))
}

/// A machine whose child draws lines as an agent does, more than a screen keeps.
pub(crate) fn coloured() -> Fallible<Machine> {
    let heading =
        r"\033[1;38;2;215;119;87m● \033[0;1mRead\033[0m(\033[36msrc/launch/screen/archive/mod.rs\033[0m)";
    let path = r"\033[2m  ⎿  \033[0m\033]8;;file:///src/lib.rs\033\\src/lib.rs\033]8;;\033\\";
    let code =
        r"\033[38;5;141mpub fn\033[0m \033[33mhistory\033[0m(&\033[31mself\033[0m) -> \033[36musize\033[0m";
    let rest = r"\033[90m// how many lines there are above the screen ✓ 👍🏽\033[0m";
    drawing(&format!("yes \"$(printf '{heading}\\n{path} {code} {{ {rest}')\" | head -n {LINES}"))
}

fn drawing(output: &str) -> Fallible<Machine> {
    let last = String::from_utf8_lossy(LAST);
    Machine::new(&format!("{output}; printf '{last}'\nexec sleep 1000"))
}

/// A terminal with the child behind whatever is between.
pub(crate) fn window(machine: &Machine, kind: Kind) -> Fallible<Window> {
    match kind {
        Kind::Nothing => machine.alone(SMALL),
        Kind::Tmux => machine.tmux(SMALL),
        Kind::Host => host(machine, SMALL),
    }
}

/// A terminal of this size with a session that begins in a host.
pub(crate) fn host(machine: &Machine, size: Size) -> Fallible<Window> {
    machine.begin(1)?;
    machine.subagents(&["attach", "s0"], size)
}
