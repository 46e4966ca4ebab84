//! One finding, as plain data. The JSON shape is an interface.

use serde::Serialize;

use crate::config::{self, Problem};

/// One thing that was looked at, and what it means for the next launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub severity: Severity,
    /// What it is about: `Claude Code`, `agent reviewer`, `provider glm`, a file.
    pub subject: String,
    pub message: String,
    /// What mends it; `None` where nothing need be mended, or where the message itself says it.
    pub remedy: Option<String>,
}

/// The gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The launch fails, or an agent of it can't work.
    Breaks,
    /// It works in another way than was likely meant.
    Warns,
    /// Worth knowing.
    Notes,
    /// Looked at, and fine.
    Ok,
}

impl Finding {
    pub(super) fn new(severity: Severity, subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity, subject: subject.into(), message: message.into(), remedy: None }
    }

    pub(super) fn mended_by(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }
}

/// A file's mistake: what it costs decides the severity.
impl From<&Problem> for Finding {
    fn from(problem: &Problem) -> Self {
        let severity = match problem.severity {
            config::Severity::Error => Severity::Breaks,
            config::Severity::Warning => Severity::Warns,
            config::Severity::Info => Severity::Notes,
        };
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        let subject = format!("{}{line}", problem.file.display());
        let finding = Self::new(severity, subject, &problem.message);
        Self { remedy: Some(problem.remedy.clone()).filter(|remedy| !remedy.is_empty()), ..finding }
    }
}
