//! Data goes to stdout, everything else to stderr. A reader that has gone away is no error.

use std::io::Write;

use serde::Serialize;

pub(super) fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

pub(super) fn line_to_stderr(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

pub(super) fn json(value: &impl Serialize) {
    line(&serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}")));
}
