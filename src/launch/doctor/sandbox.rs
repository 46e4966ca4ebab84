//! What keeps a delegation that only reads from writing.

use super::{Finding, Severity};
use crate::config::{DelegationSettings, Sandbox};

/// `is_there`: this kernel has it.
pub(super) fn in_force(settings: &DelegationSettings, is_there: bool) -> Option<Finding> {
    let finding = |severity, message| Finding::new(severity, "sandbox", message);
    let wanted = Some(settings.sandbox).filter(|_| settings.offered)?;
    Some(match (wanted, is_there) {
        (Sandbox::Off, _) => return None,
        (_, true) => finding(
            Severity::Ok,
            "Landlock keeps delegations that only read from writing, beside their tools",
        ),
        (Sandbox::BestEffort, false) => finding(
            Severity::Notes,
            "this system has no Landlock, so their tools alone keep delegations that only read from writing",
        ),
        (Sandbox::Require, false) => finding(
            Severity::Warns,
            "this system has no Landlock, so delegations that only read are refused",
        )
        .mended_by(
            "a kernel with Landlock (Linux 6.2 or newer), or `sandbox = \"best-effort\"` in [delegation]",
        ),
    })
}
