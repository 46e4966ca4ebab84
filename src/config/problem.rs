//! A mistake in what the user wrote: where it is, what it is, and what mends it.

use std::fmt;
use std::path::PathBuf;

/// One mistake. It never keeps the rest of the configuration from loading.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Problem {
    pub severity: Severity,
    pub file: PathBuf,
    /// Counted from 1; `None` where the whole file is meant.
    pub line: Option<usize>,
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Info,
    /// Something was read in another way than it was written, or left out.
    Warning,
    /// The value, the agent or the file is not used.
    Error,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Info => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}: {}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "\n  {}", self.remedy) }
    }
}
