//! A list of strings, and where each of them stands.

use std::ops::Range;

use toml_edit::{Item, Value};

use super::splice::{Splice, has_own_line, line_end, line_start, next_line};

pub(super) struct List {
    texts: Vec<String>,
    pub(super) places: Vec<Range<usize>>,
    /// From the bracket to the bracket.
    whole: Range<usize>,
}

impl List {
    /// `None`: it is something else, or holds something else.
    pub(super) fn of(item: &Item) -> Option<Self> {
        let array = item.as_array()?;
        let texts: Option<Vec<String>> = array.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        let places: Option<Vec<Range<usize>>> = array.iter().map(Value::span).collect();
        Some(Self { texts: texts?, places: places?, whole: array.span()? })
    }

    pub(super) fn position(&self, text: &str) -> Option<usize> {
        self.texts.iter().position(|item| item == text)
    }

    /// One more at the end: in a line of its own where the last one has one.
    pub(super) fn addition(&self, text: &str, added: &str) -> Splice {
        let added = Value::from(added).to_string();
        match self.places.last() {
            None => self.first(text, &added),
            Some(last) if has_own_line(text, last) => line_after(text, last, &added),
            Some(last) => Splice::insert(last.end, format!(", {added}")),
        }
    }
}

impl List {
    /// Into an empty list. A comment in it stays.
    fn first(&self, text: &str, added: &str) -> Splice {
        let bracket = self.whole.end - 1;
        if text[self.whole.start + 1..bracket].trim().is_empty() {
            return Splice { at: self.whole.clone(), text: format!("[{added}]") };
        }
        // A comment ends with its line, so the bracket has one of its own.
        Splice::insert(line_start(text, bracket), format!("  {added},{}", line_end(text)))
    }
}

/// The last item gets a comma where it has none; its comment stays with it.
fn line_after(text: &str, last: &Range<usize>, added: &str) -> Splice {
    let indent = &text[line_start(text, last.start)..last.start];
    let end = next_line(text, last.end);
    let rest = &text[last.end..end];
    let comma = if rest.trim_start().starts_with(',') { "" } else { "," };
    Splice { at: last.end..end, text: format!("{comma}{rest}{indent}{added},{}", line_end(text)) }
}
