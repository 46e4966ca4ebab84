//! Where there is no Landlock.

use std::path::PathBuf;

/// Why a process isn't held.
#[derive(Debug, thiserror::Error)]
#[error("this system has no Landlock")]
pub struct SandboxError;

/// Whether this kernel can hold a process.
pub fn is_there() -> bool {
    false
}

/// # Errors
/// Always: nothing is held, and nothing may be started.
pub fn restrict(_writable: impl IntoIterator<Item = PathBuf>) -> Result<(), SandboxError> {
    Err(SandboxError)
}
