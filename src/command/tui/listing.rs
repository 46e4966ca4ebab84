//! All sessions as a list: the living from what they tell, the others from the ledger.

use std::path::Path;
use std::sync::Arc;

use crate::launch::sessions::{Answer, Glance, Listed, living, remembered};
use crate::ledger::{Ledger, LedgerError};

/// How many of those that don't live are listed; `subagents sessions --all` lists every one.
const REMEMBERED: usize = 100;

/// All sessions.
pub(super) struct Listing {
    living: Vec<Listed>,
    /// Those that don't live: they change only when the living do.
    pub(super) past: Arc<Vec<Listed>>,
}

impl Listing {
    /// Reads the ledger, which may take a while. No ledger is made where there is none. `past` is what is known already
    /// of those that don't live.
    pub(super) fn read(
        seen: Vec<Glance>,
        past: Option<Arc<Vec<Listed>>>,
        file: &Path,
    ) -> Result<Self, LedgerError> {
        // In a storm of requests this is done ten times a second: it isn't opened for what the sessions tell themselves.
        let is_told = |glance: &Glance| matches!(glance.answer, Answer::Told(..));
        let is_wanted = past.is_none() || !seen.iter().all(is_told);
        let ledger = (is_wanted && file.exists()).then(|| Ledger::open(file)).transpose()?;
        let living = living(seen, ledger.as_ref())?;
        let past = match (past, ledger) {
            (Some(past), _) => past,
            (None, Some(ledger)) => Arc::new(remembered(&ledger, &living, REMEMBERED)?),
            (None, None) => Arc::default(),
        };
        Ok(Self { living, past })
    }

    /// The living first.
    pub(super) fn all(self) -> Vec<Listed> {
        let mut all = self.living;
        all.extend(self.past.iter().cloned());
        all
    }
}
