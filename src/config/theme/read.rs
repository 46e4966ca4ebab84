//! What one theme's file says. Pure.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::{Colour, Emphasis, Role, Style};
use crate::config::raw::{Lined, Section};
use crate::config::report::{Report, line_of};
use crate::config::similar::suggestion;

/// One file.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    /// The theme that has the roles which this one doesn't have, and the line that names it.
    pub(super) inherits: Option<(String, Option<usize>)>,
    pub(super) styles: BTreeMap<Role, Style>,
}

/// `None`: it is no TOML. A role that can't be read is left out.
pub(super) fn read(text: &str, report: &mut Report) -> Option<Said> {
    match DeTable::parse(text) {
        Ok(table) => Some(said(Section::file("the theme", text, table.get_ref()), report)),
        Err(error) => {
            let line = error.span().map(|span| line_of(text, span.start));
            report.error(line, format!("this is no TOML: {}", error.message()), "mend this line");
            None
        }
    }
}

fn said(mut file: Section<'_>, report: &mut Report) -> Said {
    let inherits = file.string("inherits", report).map(|named| (named.value.to_owned(), named.line));
    let mut styles = BTreeMap::new();
    for (role, name) in Role::ALL {
        if file.has(name) {
            let before = report.errors();
            let style = style(file.section(name, report), report);
            // Half a style would be another one.
            if report.errors() == before {
                styles.insert(role, style);
            }
        } else {
            file.knows(name);
        }
    }
    file.finish(report);
    Said { inherits, styles }
}

fn style(mut section: Section<'_>, report: &mut Report) -> Style {
    let style = Style {
        fg: colour(&mut section, "fg", report),
        bg: colour(&mut section, "bg", report),
        emphasis: emphasis(&mut section, report),
    };
    section.finish(report);
    style
}

fn colour(section: &mut Section<'_>, key: &'static str, report: &mut Report) -> Option<Colour> {
    let title = section.title.clone();
    let said = section.typed(key, "a name, a number or \"#rrggbb\"", report, |value| match value {
        DeValue::String(text) => Some(Ok(text.as_ref())),
        DeValue::Integer(number) => Some(Err(u8::from_str_radix(number.as_str(), number.radix()).ok())),
        _ => None,
    })?;
    let colour = match said.value {
        Ok(text) => Colour::named(text),
        Err(number) => number.map(Colour::Indexed),
    };
    if colour.is_none() {
        let written =
            said.value.map_or_else(|_| "this number".to_owned(), |text| format!("`{}`", text.escape_debug()));
        let message = format!("`{key}` of {title} can't be {written}");
        report.error(said.line, message, remedy(said.value.unwrap_or_default()));
    }
    colour
}

fn remedy(text: &str) -> String {
    let names = Colour::NAMES.into_iter().chain([Colour::DEFAULT]);
    let all = "a colour is one of the sixteen names, `default`, a number from 0 to 255, or \"#rrggbb\"";
    match suggestion(text, names) {
        meant if meant.starts_with("did you mean") => meant,
        _ => format!("{all}; the names are {}", Colour::NAMES.join(", ")),
    }
}

fn emphasis(section: &mut Section<'_>, report: &mut Report) -> Emphasis {
    let mut emphasis = Emphasis::default();
    let title = section.title.clone();
    for Lined { value, line } in section.strings("modifiers", report).unwrap_or_default() {
        if !emphasis.set(value) {
            let message = format!("`modifiers` of {title} can't have `{}`", value.escape_debug());
            report.error(line, message, suggestion(value, Emphasis::WORDS));
        }
    }
    emphasis
}
