//! Data goes to stdout, everything else to stderr. A reader that has gone away is no error.

use std::io::{IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use crate::config::{Environment, Problem};
use crate::ui::Colour;

pub(super) fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

pub(super) fn line_to_stderr(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

pub(super) fn json(value: &impl Serialize) {
    line(&serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}")));
}

/// Whether a person sees what goes to stderr.
pub(super) fn is_watched() -> bool {
    std::io::stderr().is_terminal()
}

/// Colours for what goes to stdout: on a terminal, unless `NO_COLOR` says otherwise.
pub(super) fn colour(environment: &Environment) -> Colour {
    let wanted = std::io::stdout().is_terminal() && environment.get("NO_COLOR").is_none();
    if wanted { Colour::Ansi } else { Colour::Never }
}

/// What is wrong with one file, for those who look at something that stands in it.
pub(super) fn problems_of(problems: &[Problem], file: &Path) {
    for problem in problems.iter().filter(|problem| problem.file == file) {
        line_to_stderr(&problem.to_string());
    }
}
