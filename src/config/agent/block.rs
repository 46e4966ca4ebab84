//! The lines of a mapping in YAML's block style, found by their form. Pure.

use std::ops::Range;

use super::yaml;

/// A mapping's text: lines with one indentation, and the deeper ones between them.
#[derive(Debug)]
pub(super) struct Block<'t> {
    text: &'t str,
    indent: &'t str,
    newline: &'t str,
}

/// One `key: value`.
struct Entry {
    /// The key's line and those below it that belong to its value.
    lines: Range<usize>,
    /// Behind the colon.
    value: usize,
}

impl<'t> Block<'t> {
    /// The front matter itself.
    pub(super) fn top(text: &'t str, newline: &'t str) -> Self {
        Self { text, indent: "", newline }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// With this value for the key, written on one line; `None`: without the key.
    pub(super) fn with(&self, key: &str, value: Option<&str>) -> String {
        let Self { text, indent, newline } = self;
        match (self.entry(key), value) {
            (None, None) => (*text).to_owned(),
            (None, Some(value)) => format!("{}{indent}{key}: {value}{newline}", self.finished()),
            (Some(entry), None) => [&text[..entry.lines.start], &text[entry.lines.end..]].concat(),
            (Some(entry), Some(value)) => {
                let (head, old) = (&text[..entry.value], &text[entry.value..entry.lines.end]);
                let gap = &old[..old.len() - old.trim_start_matches([' ', '\t']).len()];
                let gap = if gap.is_empty() { " " } else { gap };
                let rest = format!("{}{newline}{}", comment(old), &text[entry.lines.end..]);
                format!("{head}{gap}{value}{rest}")
            }
        }
    }

    /// The mapping that stands in lines of its own below the key.
    pub(super) fn below(&self, key: &str) -> Option<Block<'t>> {
        let lines = &self.text[self.below_lines(key)?];
        let first =
            lines.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?;
        let indent = &first[..first.len() - first.trim_start().len()];
        (indent.len() > self.indent.len()).then_some(Block { text: lines, indent, newline: self.newline })
    }

    /// With these lines below the key.
    pub(super) fn with_below(&self, key: &str, lines: &str) -> String {
        let at = self.below_lines(key).unwrap_or(self.text.len()..self.text.len());
        [&self.text[..at.start], lines, &self.text[at.end..]].concat()
    }

    /// The lines below a key with nothing behind it.
    fn below_lines(&self, key: &str) -> Option<Range<usize>> {
        let entry = self.entry(key)?;
        let line = self.text[entry.value..entry.lines.end].split_inclusive('\n').next()?;
        let bare = line.trim();
        (bare.is_empty() || bare.starts_with('#')).then_some(entry.value + line.len()..entry.lines.end)
    }

    fn entry(&self, key: &str) -> Option<Entry> {
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            if let Some(value) = self.value_at(line, key) {
                return Some(Entry { lines: start..start + self.length(start), value: start + value });
            }
            start += line.len();
        }
        None
    }

    /// Where the value begins in a line that is the key's.
    fn value_at(&self, line: &str, key: &str) -> Option<usize> {
        let rest = line.strip_prefix(self.indent)?;
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest).strip_prefix(key)?;
        let rest = quote.map_or(Some(rest), |quote| rest.strip_prefix(quote))?;
        let rest = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
        (rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n'])).then_some(line.len() - rest.len())
    }

    /// Bytes of the entry that begins at `start`, without the blank lines and comments that come after it.
    fn length(&self, start: usize) -> usize {
        let (mut length, mut end) = (0, 0);
        for (at, line) in self.text[start..].split_inclusive('\n').enumerate() {
            let bare = line.strip_prefix(self.indent);
            let deeper = bare.is_some_and(|bare| bare.starts_with([' ', '\t', '-']) && bare.trim() != "---");
            let beside = line.trim().is_empty() || bare.is_some_and(|bare| bare.starts_with('#'));
            if at > 0 && !deeper && !beside {
                break;
            }
            length += line.len();
            if at == 0 || (deeper && !line.trim().is_empty()) {
                end = length;
            }
        }
        end
    }

    /// The text, its last line ended.
    fn finished(&self) -> String {
        let ended = self.text.is_empty() || self.text.ends_with('\n');
        if ended { self.text.to_owned() } else { [self.text, self.newline].concat() }
    }
}

/// The comment behind a value that stands on one line, with the white space before it.
fn comment(value: &str) -> &str {
    let line = value.trim_end();
    if line.contains('\n') || line.trim_start().starts_with(['|', '>']) {
        return "";
    }
    let mut starts = line.match_indices(" #").map(|(at, _)| at);
    // A `#` within quotes or brackets leaves half a value before it.
    let at = starts.find(|at| yaml::value(&line[..*at]).is_some());
    at.map_or("", |at| &line[line[..at].trim_end().len()..])
}
