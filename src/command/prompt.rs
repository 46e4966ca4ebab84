//! Questions to the person at the terminal. Where stdin is none, nobody is asked.

use std::io::{BufRead, IsTerminal, Write};

use super::Failure;

/// Whether somebody can be asked.
pub(super) fn possible() -> bool {
    std::io::stdin().is_terminal()
}

/// The answer's line, trimmed; `default` where it is empty.
///
/// # Errors
/// A usage failure that names `option`, the way to say the same without a terminal.
pub(super) fn ask(question: &str, default: Option<&str>, option: &str) -> Result<String, Failure> {
    if !possible() {
        let reason = format!("{question}: nobody can be asked, as stdin is no terminal: give {option}");
        return default.map(str::to_owned).ok_or_else(|| Failure::usage(reason));
    }
    let hint = default.map(|default| format!(" [{default}]")).unwrap_or_default();
    let answer = read(&format!("{question}{hint}: "))?;
    match (answer.as_str(), default) {
        ("", Some(default)) => Ok(default.to_owned()),
        ("", None) => Err(Failure::usage(format!("{question}: nothing was entered; nothing was changed"))),
        _ => Ok(answer),
    }
}

/// Yes only where the person says so.
///
/// # Errors
/// A usage failure that names `option`, where nobody can be asked.
pub(super) fn confirm(question: &str, option: &str) -> Result<bool, Failure> {
    let answer = ask(&format!("{question} (y/N)"), possible().then_some("n"), option)?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}

fn read(question: &str) -> Result<String, Failure> {
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{question}");
    let _ = stderr.flush();
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line).map_err(Failure::failed)? {
        0 => Err(Failure::usage("there was no answer: nothing was changed")),
        _ => Ok(line.trim().to_owned()),
    }
}
