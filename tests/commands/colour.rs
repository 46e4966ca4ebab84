//! Colours are for terminals, and `NO_COLOR` is heeded.

use std::io::Read;

use pty_process::blocking;

use crate::stage::Stage;

/// What a terminal shows of it.
fn on_a_terminal(stage: &Stage, arguments: &[&str]) -> String {
    let command = stage.command(arguments);
    let mut on_terminal = blocking::Command::new(command.get_program()).args(command.get_args()).env_clear();
    on_terminal = on_terminal.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        on_terminal = on_terminal.env(name, value.unwrap());
    }
    let (mut terminal, end) = blocking::open().unwrap();
    let mut child = on_terminal.spawn(end).unwrap();
    let mut shown = Vec::new();
    // EIO is the end of a terminal's output on Linux.
    let _ = terminal.read_to_end(&mut shown);
    child.wait().unwrap();
    String::from_utf8(shown).unwrap()
}

#[test]
fn what_is_coloured_is_so_on_a_terminal_only_and_never_against_no_color() {
    for arguments in [&["doctor"][..], &["profile", "list"], &["info"]] {
        let plain = Stage::new();
        assert!(on_a_terminal(&plain, arguments).contains("\u{1b}["), "{arguments:?}");
        assert!(!plain.run(arguments).stdout.contains('\u{1b}'), "{arguments:?}: no terminal");
        let asked = Stage::new().with_variable("NO_COLOR", "1");
        assert!(!on_a_terminal(&asked, arguments).contains('\u{1b}'), "{arguments:?}: NO_COLOR");
        let empty = Stage::new().with_variable("NO_COLOR", "");
        assert!(on_a_terminal(&empty, arguments).contains("\u{1b}["), "an empty variable is none");
    }
    let json = on_a_terminal(&Stage::new(), &["profile", "list", "--json"]);
    assert!(!json.contains('\u{1b}'), "data has no colour");
}
