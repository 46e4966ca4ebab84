//! Landlock: what a process puts on itself and all that it starts, and can't take off.

use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

/// The least that is worth its name (Linux 6.2): before it, files could be emptied.
const LEAST: ABI = ABI::V3;

/// The newest that this was tried with (Linux 6.12): it also keeps signals and abstract sockets within.
const NEWEST: ABI = ABI::V6;

/// Why a process isn't held.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("Landlock: {0}")]
    Ruleset(#[from] RulesetError),
    #[error("this kernel has no Landlock, or it is switched off")]
    Missing,
}

/// Whether this kernel can hold a process.
pub fn is_there() -> bool {
    ruleset().is_ok()
}

/// From now on this thread, and what it turns into, writes nowhere else. Paths that aren't there are left out.
///
/// # Errors
/// Nothing is held then, and nothing may be started.
pub fn restrict(writable: impl IntoIterator<Item = PathBuf>) -> Result<(), SandboxError> {
    let rules = path_beneath_rules(writable, AccessFs::from_write(NEWEST));
    match ruleset()?.add_rules(rules)?.restrict_self()?.ruleset {
        RulesetStatus::NotEnforced => Err(SandboxError::Missing),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

/// Reading isn't ruled.
fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(LEAST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()
}
