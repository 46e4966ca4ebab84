//! Why a command failed, and the exit code that says so: 1 failed, 2 usage, 3 configuration, 127 no Claude Code.

use std::fmt;
use std::process::ExitCode;

#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// The code of a configuration that has to be mended.
    pub const CONFIGURATION: u8 = 3;

    /// Something that should have worked did not.
    pub fn failed(reason: impl fmt::Display) -> Self {
        Self { code: 1, message: reason.to_string() }
    }

    /// The command line makes no sense.
    pub fn usage(reason: impl fmt::Display) -> Self {
        Self { code: 2, message: reason.to_string() }
    }

    /// The configuration has to be mended first.
    pub fn configuration(reason: impl fmt::Display) -> Self {
        Self { code: Self::CONFIGURATION, message: reason.to_string() }
    }

    /// There is no Claude Code to launch.
    pub fn no_claude(reason: impl fmt::Display) -> Self {
        Self { code: 127, message: reason.to_string() }
    }

    pub fn code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
