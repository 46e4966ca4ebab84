//! The environment of a child on our terminal: its own, less what tells of the outer one.
//!
//! Pure.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use super::super::command::Command;
use crate::config::Environment;

/// Marks every process of a terminal, with a value of its own: how those that got away are found.
pub const MARK: &str = "SUBAGENTS_TERMINAL";

/// What our terminal is. Claude Code draws in whole frames only for terminals that it knows, or when told.
const OURS: [(&str, &str); 3] =
    [("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("CLAUDE_CODE_FORCE_SYNC_OUTPUT", "1")];

/// Variables that tell which terminal or multiplexer there is outside, and its size. The child would draw for it,
/// or talk to it past us.
const OUTER: [&str; 26] = [
    "BYOBU_TERM",
    "COLORFGBG",
    "COLUMNS",
    "ConEmuANSI",
    "ConEmuPID",
    "ConEmuTask",
    "CURSOR_TRACE_ID",
    "GPG_TTY",
    "INSIDE_EMACS",
    "LC_TERMINAL",
    "LC_TERMINAL_VERSION",
    "LINES",
    "MLTERM",
    "STY",
    "SSH_TTY",
    "TERMCAP",
    "TERMINAL",
    "TERMINAL_EMULATOR",
    "TERMINFO",
    "TERMINFO_DIRS",
    "TERM_SESSION_ID",
    "VIM_TERMINAL",
    "VTE_VERSION",
    "WINDOW",
    "WINDOWID",
    "XTERM_VERSION",
];

/// The same by the beginning of their names.
const OUTER_FAMILIES: [&str; 17] = [
    "ALACRITTY_",
    "FOOT_",
    "GHOSTTY_",
    "GNOME_TERMINAL_",
    "ITERM_",
    "KITTY_",
    "KONSOLE_",
    "RIO_",
    "TABBY_",
    "TERM_PROGRAM",
    "TILIX_",
    "TMUX",
    "WARP_",
    "WEZTERM_",
    "WT_",
    "XTERM_",
    "ZELLIJ",
];

/// All variables of the child. What the command sets and removes counts last.
pub fn variables(command: &Command, environment: &Environment, mark: &str) -> BTreeMap<OsString, OsString> {
    let inherited = environment.iter().filter(|(name, _)| !is_outer(name));
    let mut variables: BTreeMap<OsString, OsString> =
        inherited.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let ours = OURS.into_iter().chain([(MARK, mark)]);
    variables.extend(ours.map(|(name, value)| (name.into(), value.into())));
    for name in &command.env_remove {
        variables.remove(OsStr::new(name));
    }
    variables.extend(command.env_set.iter().map(|(name, value)| (name.into(), value.into())));
    variables
}

fn is_outer(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    OUTER.contains(&name) || OUTER_FAMILIES.iter().any(|family| name.starts_with(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(set: &[(&str, &str)], remove: &[&str]) -> Command {
        Command {
            program: "/bin/true".into(),
            args: Vec::new(),
            env_set: set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            env_remove: remove.iter().map(|name| (*name).to_owned()).collect(),
            files: Vec::new(),
            agents: serde_json::Map::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn p6_the_environment_differs_only_in_the_documented_ways() {
        let kept = [
            ("HOME", "/home/a"),
            ("PATH", "/bin"),
            ("LANG", "C.UTF-8"),
            ("SSH_CONNECTION", "1 2"),
            ("EMPTY", ""),
        ];
        let outer = [
            ("TERM", "screen"),
            ("COLORTERM", "no"),
            ("TERM_PROGRAM", "vscode"),
            ("TERM_PROGRAM_VERSION", "1"),
            ("KITTY_WINDOW_ID", "1"),
            ("WT_SESSION", "1"),
            ("TMUX", "/tmp/tmux"),
            ("TMUX_PANE", "%1"),
            ("STY", "1"),
            ("ZELLIJ", "0"),
            ("ZELLIJ_SESSION_NAME", "a"),
            ("COLUMNS", "80"),
            ("VTE_VERSION", "7"),
            ("GPG_TTY", "/dev/pts/1"),
        ];
        let given = [("KEY", "secret"), ("BASE", "old")];
        let environment: Environment = kept.iter().chain(&outer).chain(&given).copied().collect();
        let variables =
            variables(&command(&[("BASE", "new"), ("TERM", "dumb")], &["KEY"]), &environment, "m");
        let ours = [
            ("BASE", "new"),
            ("TERM", "dumb"),
            ("COLORTERM", "truecolor"),
            ("CLAUDE_CODE_FORCE_SYNC_OUTPUT", "1"),
            (MARK, "m"),
        ];
        let expect: BTreeMap<OsString, OsString> =
            kept.iter().chain(&ours).map(|(name, value)| (name.into(), value.into())).collect();
        assert_eq!(variables, expect);
    }
}
