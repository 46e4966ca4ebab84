//! What config.toml says, before it is known what it means: tables whose values know their lines.
//!
//! A [`Section`] is asked for its keys by name; whatever was not asked for is unknown. A value of the wrong
//! type is reported without being repeated, since it may be a key that stands in the wrong place.

use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::report::{Report, line_of};
use super::similar::suggestion;

/// A value and the line that it stands on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lined<T> {
    pub(super) value: T,
    pub(super) line: Option<usize>,
}

/// A limit that may be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    None,
    Of(Duration),
}

/// One table of the file.
pub(super) struct Section<'t> {
    /// As the file writes it, for messages: `[providers.glm]`.
    pub(super) title: String,
    pub(super) line: Option<usize>,
    text: &'t str,
    table: Option<&'t DeTable<'t>>,
    asked: Vec<&'static str>,
}

impl<'t> Section<'t> {
    /// The whole file.
    pub(super) fn root(text: &'t str, table: &'t DeTable<'t>) -> Self {
        Self::file("config.toml", text, table)
    }

    /// The whole of a file that messages call so.
    pub(super) fn file(title: &str, text: &'t str, table: &'t DeTable<'t>) -> Self {
        Self { title: title.to_owned(), line: None, text, table: Some(table), asked: Vec::new() }
    }

    /// A key that may be here and isn't.
    pub(super) fn knows(&mut self, key: &'static str) {
        self.asked.push(key);
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.table.is_some_and(|table| table.contains_key(key))
    }

    pub(super) fn string(&mut self, key: &'static str, report: &mut Report) -> Option<Lined<&'t str>> {
        self.typed(key, "a string", report, DeValue::as_str)
    }

    pub(super) fn flag(&mut self, key: &'static str, report: &mut Report) -> Option<Lined<bool>> {
        self.typed(key, "`true` or `false`", report, DeValue::as_bool)
    }

    /// A number that is 0 or more.
    pub(super) fn amount(&mut self, key: &'static str, report: &mut Report) -> Option<f64> {
        let number = self.typed(key, "a number, 0 or more", report, |value| {
            number(value).filter(|number| number.is_finite() && *number >= 0.0)
        });
        number.map(|number| number.value)
    }

    /// A whole number above 0.
    pub(super) fn count(&mut self, key: &'static str, report: &mut Report) -> Option<std::num::NonZeroU64> {
        let count = self.typed(key, "a whole number above 0", report, |value| {
            let integer = value.as_integer()?;
            u64::from_str_radix(integer.as_str(), integer.radix()).ok().and_then(std::num::NonZeroU64::new)
        });
        count.map(|count| count.value)
    }

    /// A length of time, written in seconds: above 0, a day at most.
    pub(super) fn seconds(&mut self, key: &'static str, report: &mut Report) -> Option<Duration> {
        let length = self.typed(key, "seconds, above 0 and up to 86400", report, seconds);
        length.map(|length| length.value)
    }

    /// A length of time as [`Self::seconds`], or `false` for none.
    pub(super) fn seconds_or_none(&mut self, key: &'static str, report: &mut Report) -> Option<Limit> {
        let expected = "seconds, above 0 and up to 86400, or `false` for none";
        let length = self.typed(key, expected, report, |value| match value.as_bool() {
            Some(false) => Some(Limit::None),
            Some(true) => None,
            None => seconds(value).map(Limit::Of),
        });
        length.map(|length| length.value)
    }

    /// A list of strings. What is no string is reported and left out.
    pub(super) fn strings(&mut self, key: &'static str, report: &mut Report) -> Option<Vec<Lined<&'t str>>> {
        let (text, title) = (self.text, self.title.clone());
        let array = self.typed(key, "a list of strings", report, DeValue::as_array)?;
        let strings = array.value.iter().filter_map(|item| {
            let line = Some(line_of(text, item.span().start));
            let value = item.get_ref().as_str();
            if value.is_none() {
                let message = format!("`{key}` in {title} holds something that is no string");
                report.error(line, message, "put it in quotes, or take it out");
            }
            Some(Lined { value: value?, line })
        });
        Some(strings.collect())
    }

    /// The table under `key`; an empty one where there is none.
    pub(super) fn section(&mut self, key: &'static str, report: &mut Report) -> Section<'t> {
        let title =
            if self.line.is_none() { format!("[{key}]") } else { format!("`{key}` of {}", self.title) };
        let table = self.typed(key, "a table", report, DeValue::as_table);
        Section {
            title,
            line: table.map_or(self.line, |table| table.line),
            text: self.text,
            table: table.map(|table| table.value),
            asked: Vec::new(),
        }
    }

    /// Every table in this one, by its name.
    pub(super) fn sections(&self, report: &mut Report) -> Vec<(&'t str, Section<'t>)> {
        let parent = self.title.trim_matches(['[', ']']);
        let entries = self.table.into_iter().flat_map(DeTable::iter);
        entries.filter_map(|(key, value)| self.named(parent, key, value, report)).collect()
    }

    /// Warns of the keys that nobody asked for.
    pub(super) fn finish(self, report: &mut Report) {
        for (line, message, remedy) in self.unknown() {
            report.warning(line, message, remedy);
        }
    }

    /// The same, as errors.
    pub(super) fn finish_strictly(self, report: &mut Report) {
        for (line, message, remedy) in self.unknown() {
            report.error(line, message, remedy);
        }
    }

    fn unknown(&self) -> impl Iterator<Item = (Option<usize>, String, String)> {
        let entries = self.table.into_iter().flat_map(DeTable::iter);
        let unknown = entries.filter(|(key, _)| !self.asked.contains(&&**key.get_ref()));
        unknown.map(|(key, _)| {
            let name: &str = key.get_ref();
            let message = format!("{} has no key `{}`", self.title, name.escape_debug());
            (Some(self.line_at(key.span().start)), message, suggestion(name, self.asked.iter().copied()))
        })
    }

    fn named(
        &self,
        parent: &str,
        key: &'t Spanned<std::borrow::Cow<'t, str>>,
        value: &'t Spanned<DeValue<'t>>,
        report: &mut Report,
    ) -> Option<(&'t str, Section<'t>)> {
        let name: &str = key.get_ref();
        let title = format!("[{parent}.{}]", quoted(name));
        let line = Some(self.line_at(key.span().start));
        let Some(table) = value.get_ref().as_table() else {
            report.error(line, format!("{title} is no table"), format!("write it under `{title}`"));
            return None;
        };
        Some((name, Section { title, line, text: self.text, table: Some(table), asked: Vec::new() }))
    }

    /// The value, if `read` can make something of it; else it is reported that it should be what is `expected`.
    pub(super) fn typed<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        report: &mut Report,
        read: impl FnOnce(&'t DeValue<'t>) -> Option<T>,
    ) -> Option<Lined<T>> {
        self.asked.push(key);
        let value = self.table?.get(key)?;
        let line = Some(self.line_at(value.span().start));
        let read = read(value.get_ref());
        if read.is_none() {
            let kind = value.get_ref().type_str();
            let message = format!("`{key}` in {} can't be this {kind}", self.title);
            report.error(line, message, format!("it is {expected}"));
        }
        Some(Lined { value: read?, line })
    }

    fn line_at(&self, offset: usize) -> usize {
        line_of(self.text, offset)
    }
}

fn seconds(value: &DeValue<'_>) -> Option<Duration> {
    let seconds = number(value).filter(|seconds| *seconds > 0.0 && *seconds <= 86_400.0)?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    let plain = match value {
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
        DeValue::Float(float) => float.as_str(),
        _ => return None,
    };
    plain.parse().ok()
}

fn quoted(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { format!("{name:?}") }
}
