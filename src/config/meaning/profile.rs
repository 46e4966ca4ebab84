//! `[profiles.NAME]`: what a launch takes. And a project's profile, which may say less.

use std::collections::BTreeMap;

use toml::de::DeTable;

use super::Around;
use crate::config::Profile;
use crate::config::raw::{Lined, Section};
use crate::config::report::{Report, line_of};

/// All profiles. The one named `default` need not be there.
pub(super) fn read_all(
    section: &Section<'_>,
    around: &Around<'_>,
    report: &mut Report,
) -> BTreeMap<String, Profile> {
    let sections = section.sections(report);
    sections.into_iter().map(|(name, section)| (name.to_owned(), read(section, around, report))).collect()
}

/// A whole file that is one profile, of keys that anybody may set for others: `agents` and `args`.
pub(in crate::config) fn read_shared(text: &str, title: &str, report: &mut Report) -> Profile {
    match DeTable::parse(text) {
        Ok(table) => {
            let mut section = Section::root(text, table.get_ref());
            title.clone_into(&mut section.title);
            let profile = taken(&mut section, report);
            section.finish(report);
            profile
        }
        Err(error) => {
            let line = error.span().map(|span| line_of(text, span.start));
            report.error(line, format!("this is no TOML: {}", error.message()), "mend this line");
            Profile::default()
        }
    }
}

fn read(mut section: Section<'_>, around: &Around<'_>, report: &mut Report) -> Profile {
    let folder = section.string("folder", report).map(|folder| around.expand(folder.value));
    let profile = Profile { folder, ..taken(&mut section, report) };
    section.finish(report);
    profile
}

/// `agents` that can't be read leave the profile without any: never more agents than were meant.
fn taken(section: &mut Section<'_>, report: &mut Report) -> Profile {
    let written = section.has("agents");
    let agents = section.strings("agents", report).map(owned);
    let args = section.strings("args", report).map(owned).unwrap_or_default();
    let default = if written { Vec::new() } else { Profile::default().agents };
    Profile { agents: agents.unwrap_or(default), args, folder: None }
}

fn owned(strings: Vec<Lined<&str>>) -> Vec<String> {
    strings.into_iter().map(|string| string.value.to_owned()).collect()
}
