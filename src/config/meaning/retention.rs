//! `[ledger]`: how long sessions and requests are remembered.

use std::num::{NonZeroU32, NonZeroU64};

use crate::config::Retention;
use crate::config::raw::Section;
use crate::config::report::Report;

const MEGABYTE: NonZeroU64 = NonZeroU64::new(1_000_000).unwrap();

pub(super) fn read(mut section: Section<'_>, report: &mut Report) -> Retention {
    let days = section.count("keep_days", report);
    let megabytes = section.count("keep_megabytes", report);
    section.finish(report);
    Retention {
        // More days than fit are for ever.
        days: days.and_then(|days| NonZeroU32::try_from(days).ok()),
        bytes: megabytes.map(|megabytes| megabytes.saturating_mul(MEGABYTE)),
    }
}
