//! Whether there is a Claude Code, and one that this program was tried with.

use super::{Finding, Installed, Severity};
use crate::launch::claude::{ClaudeError, TRIED};

const SUBJECT: &str = "Claude Code";

/// The errors' own messages say what to do.
pub(super) fn installed(claude: &Result<Installed, ClaudeError>) -> Finding {
    let finding = |severity, message: String| Finding::new(severity, SUBJECT, message);
    let installed = match claude {
        Ok(installed) => installed,
        Err(error) => return finding(Severity::Breaks, error.to_string()),
    };
    let path = installed.path.display();
    match &installed.version {
        Ok(version) if *version < TRIED => finding(
            Severity::Notes,
            format!("{version} at {path} is older than {TRIED}, the oldest that this program was tried with"),
        )
        .mended_by("`claude update`, if something doesn't work"),
        Ok(version) => finding(Severity::Ok, format!("{version} at {path}")),
        Err(error @ ClaudeError::Start { .. }) => finding(Severity::Breaks, error.to_string()),
        Err(error) => finding(Severity::Warns, error.to_string()),
    }
}
