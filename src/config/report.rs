//! The problems of one file, collected while it is read.

use std::path::{Path, PathBuf};

use super::problem::{Problem, Severity};

/// What was found wrong with one file so far.
pub(super) struct Report {
    file: PathBuf,
    problems: Vec<Problem>,
}

impl Report {
    pub(super) fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), problems: Vec::new() }
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    /// How many values were found unusable so far.
    pub(super) fn errors(&self) -> usize {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
    }

    pub(super) fn error(
        &mut self,
        line: Option<usize>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(Severity::Error, line, message.into(), remedy.into());
    }

    pub(super) fn warning(
        &mut self,
        line: Option<usize>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(Severity::Warning, line, message.into(), remedy.into());
    }

    pub(super) fn info(
        &mut self,
        line: Option<usize>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(Severity::Info, line, message.into(), remedy.into());
    }

    fn add(&mut self, severity: Severity, line: Option<usize>, message: String, remedy: String) {
        self.problems.push(Problem { severity, file: self.file.clone(), line, message, remedy });
    }
}

/// The line of a byte offset, counted from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    1 + memchr::memchr_iter(b'\n', before).count()
}
