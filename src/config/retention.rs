//! How long sessions and requests are remembered.

use std::num::{NonZeroU32, NonZeroU64};

/// `[ledger]`. What is older, or the oldest of what is too much, is forgotten at the next session's start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// `keep_days`; `None`: for ever.
    pub days: Option<NonZeroU32>,
    /// `keep_megabytes`, in bytes; `None`: whatever it takes.
    pub bytes: Option<NonZeroU64>,
}
