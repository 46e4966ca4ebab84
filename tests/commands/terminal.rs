//! The binary on a terminal, as a person has it.

use std::io::{Read, Write};

use pty_process::blocking;

use crate::stage::Stage;

/// What the terminal shows until the binary ends; the keys are typed ahead.
pub(crate) fn on_a_terminal(stage: &Stage, arguments: &[&str], keys: &str) -> String {
    let command = stage.command(arguments);
    let mut on_terminal = blocking::Command::new(command.get_program()).args(command.get_args()).env_clear();
    on_terminal = on_terminal.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        on_terminal = on_terminal.env(name, value.unwrap());
    }
    let (mut terminal, end) = blocking::open().unwrap();
    let mut child = on_terminal.spawn(end).unwrap();
    terminal.write_all(keys.as_bytes()).unwrap();
    let mut shown = Vec::new();
    // EIO is the end of a terminal's output on Linux.
    let _ = terminal.read_to_end(&mut shown);
    child.wait().unwrap();
    String::from_utf8(shown).unwrap()
}
