//! Data goes to stdout, everything else to stderr. A reader that has gone away is no error.

use std::io::{IsTerminal, Write};

use serde::Serialize;

use crate::config::Environment;
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

/// Colours for what goes to stdout: on a terminal, unless `NO_COLOR` says otherwise.
pub(super) fn colour(environment: &Environment) -> Colour {
    let wanted = std::io::stdout().is_terminal() && environment.get("NO_COLOR").is_none();
    if wanted { Colour::Ansi } else { Colour::Never }
}
