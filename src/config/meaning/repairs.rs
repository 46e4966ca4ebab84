//! `[providers.NAME.repairs]` and `[routes."provider/model".repairs]`: what the person switches.
//!
//! A name that doesn't exist is an error, not a warning: the route would go on failing for a reason that looks mended.

use std::num::NonZeroU64;

use toml::de::DeValue;

use crate::config::raw::Section;
use crate::config::repair::{Repair, Repairs, Switch};
use crate::config::report::Report;

pub(super) fn read(mut section: Section<'_>, report: &mut Report) -> Repairs {
    let switch = |repair: Repair| {
        let read = |value| read_switch(repair, value);
        let switch = section.typed(repair.word(), expected(repair), report, read);
        Some((repair, switch?.value))
    };
    let switches: Repairs = Repair::ALL.into_iter().filter_map(switch).collect();
    section.finish_strictly(report);
    switches
}

fn expected(repair: Repair) -> &'static str {
    match repair {
        Repair::ThinkingAsBudget => "`true`, `false`, or the tokens of the budget",
        Repair::ClampMaxTokens => "`true`, `false`, or the tokens of one answer at most",
        Repair::DropBetas => "`true` for all of them, `false`, or a list of the header's values",
        _ => "`true` or `false`",
    }
}

fn read_switch(repair: Repair, value: &DeValue<'_>) -> Option<Switch> {
    match repair {
        Repair::ThinkingAsBudget | Repair::ClampMaxTokens if value.is_integer() => tokens(value),
        Repair::DropBetas if value.is_array() => values(value),
        _ => value.as_bool().map(Switch::Plain),
    }
}

fn tokens(value: &DeValue<'_>) -> Option<Switch> {
    let integer = value.as_integer()?;
    let tokens = u64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
    NonZeroU64::new(tokens).map(Switch::Tokens)
}

fn values(value: &DeValue<'_>) -> Option<Switch> {
    let values = value.as_array()?.iter().map(|value| value.get_ref().as_str().map(str::to_owned));
    values.collect::<Option<_>>().map(Switch::Values)
}
