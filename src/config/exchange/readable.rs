//! What keeps Claude Code from seeing the agent in a file that was meant to hold one, taken out. Pure.

use std::borrow::Cow;

use super::{Note, NoteKind};
use crate::config::agent::sections;

/// Why something is taken out.
const IGNORED: &str = "Claude Code ignores such a file";

/// The text as it can be read, and what was taken out for it; as it is where nothing helps.
pub(super) fn readable(bytes: &[u8]) -> (Cow<'_, str>, Vec<Note>) {
    let Ok(whole) = std::str::from_utf8(bytes) else { return (Cow::Borrowed(""), Vec::new()) };
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let mut notes = Vec::new();
    if text.len() < whole.len() {
        notes.push(note(
            "the byte order mark is taken out",
            "older versions of Claude Code ignore such a file",
        ));
    }
    if sections(text).is_some() {
        return (Cow::Borrowed(text), notes);
    }
    let begun = from_first_line(text);
    let flush = without_indentation(begun);
    if sections(&flush).is_none() {
        return (Cow::Borrowed(whole), Vec::new());
    }
    if begun.len() < text.len() {
        notes.push(note("the blank lines before the front matter are taken out", IGNORED));
    }
    if flush.len() < begun.len() {
        notes.push(note("the front matter's indentation is taken out", IGNORED));
    }
    (flush, notes)
}

fn note(text: &str, why: &str) -> Note {
    Note::new(NoteKind::Changed, format!("{text}: {why}"))
}

/// From the first line that isn't blank, with its indentation.
fn from_first_line(text: &str) -> &str {
    let blank: usize =
        text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    &text[blank..]
}

/// The front matter moved to the left by the indentation of its first line; the body stays.
fn without_indentation(text: &str) -> Cow<'_, str> {
    let indentation = &text[..text.len() - text.trim_start_matches([' ', '\t']).len()];
    if indentation.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut flush, mut fences) = (String::new(), 0);
    for line in text.split_inclusive('\n') {
        let is_front_matter = fences < 2;
        fences += usize::from(line.trim() == "---");
        flush.push_str(line.strip_prefix(indentation).filter(|_| is_front_matter).unwrap_or(line));
    }
    Cow::Owned(flush)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str, notes: usize) {
        let (read, told) = readable(text.as_bytes());
        assert_eq!((&*read, told.len()), (expect, notes), "{text:?}");
    }

    #[test]
    fn f01_f12_what_hides_an_agent_is_taken_out_and_told() {
        let plain = "---\nname: a\n---\n  ---\nbody\n";
        check(plain, plain, 0);
        check(&format!("\u{feff}{plain}"), plain, 1);
        check(&format!("\n \n{plain}"), plain, 1);
        check("\n  ---\n  name: a\n  ---\n  ---\nbody\n", plain, 2);
        check("\u{feff}\n---\r\nname: a\r\n---\r\n", "---\r\nname: a\r\n---\r\n", 2);
    }

    #[test]
    fn what_is_no_agent_stays_as_it_is() {
        for text in ["", "# Notes\n---\nname: a\n---\n", "\n---\nname: a\n", "  ---\n  never closed\n"] {
            check(text, text, 0);
        }
        assert_eq!(readable(b"\xff").0, "");
    }
}
