//! `[profiles.NAME]`: what a launch takes.

use std::collections::BTreeMap;

use crate::config::Profile;
use crate::config::raw::{Lined, Section};
use crate::config::report::Report;

/// All profiles. The one named `default` need not be there.
pub(super) fn read_all(section: &Section<'_>, report: &mut Report) -> BTreeMap<String, Profile> {
    let sections = section.sections(report);
    sections.into_iter().map(|(name, section)| (name.to_owned(), read(section, report))).collect()
}

/// `agents` that can't be read leave the profile without any: never more agents than were meant.
fn read(mut section: Section<'_>, report: &mut Report) -> Profile {
    let written = section.has("agents");
    let agents = section.strings("agents", report).map(owned);
    let args = section.strings("args", report).map(owned).unwrap_or_default();
    section.finish(report);
    let default = if written { Vec::new() } else { Profile::default().agents };
    Profile { agents: agents.unwrap_or(default), args }
}

fn owned(strings: Vec<Lined<&str>>) -> Vec<String> {
    strings.into_iter().map(|string| string.value.to_owned()).collect()
}
