//! All sessions as a list: the living from what they tell, the others from the ledger.

use std::path::Path;

use crate::launch::sessions::{Glance, Listed, living, remembered};
use crate::ledger::{Ledger, LedgerError};

/// How many of those that don't live are listed; `subagents sessions --all` lists every one.
const REMEMBERED: usize = 100;

/// Reads the ledger, which may take a while. No ledger is made where there is none.
pub(super) fn listing(seen: Vec<Glance>, file: &Path) -> Result<Vec<Listed>, LedgerError> {
    let ledger = file.exists().then(|| Ledger::open(file)).transpose()?;
    let mut listed = living(seen, ledger.as_ref())?;
    if let Some(ledger) = ledger {
        let past = remembered(&ledger, &listed)?;
        listed.extend(past.into_iter().take(REMEMBERED));
    }
    Ok(listed)
}
