//! One replacement in a text, and what has to go with a piece that is taken out.

use std::ops::Range;

/// The bytes at a place become a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) at: Range<usize>,
    pub(super) text: String,
}

impl Splice {
    pub(super) fn insert(at: usize, text: String) -> Self {
        Self { at: at..at, text }
    }

    pub(super) fn remove(at: Range<usize>) -> Self {
        Self { at, text: String::new() }
    }
}

/// The line end that the text is written with.
pub(super) fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Where the line of an offset begins. A byte order mark belongs to no line.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let first = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    text[..at].rfind('\n').map_or(first, |newline| newline + 1)
}

/// After the line of an offset, its line break included.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// Takes one of several pieces that commas stand between: with its whole line where it has one, comment included. A
/// comment of another piece stays where it is.
pub(super) fn without(text: &str, pieces: &[Range<usize>], at: usize) -> Splice {
    let piece = &pieces[at];
    if has_own_line(text, piece) {
        return Splice::remove(line_start(text, piece.start)..next_line(text, piece.end));
    }
    let beside = |gap: Range<usize>| !text[gap].contains(['\n', '#']);
    match (pieces.get(at + 1), at.checked_sub(1).map(|before| pieces[before].end)) {
        (Some(next), _) if beside(piece.end..next.start) => Splice::remove(piece.start..next.start),
        (None, Some(before)) if beside(before..piece.start) => Splice::remove(before..piece.end),
        _ => Splice::remove(piece.start..piece.end + comma(&text[piece.end..])),
    }
}

/// Whether nothing but the piece, its comma and a comment stands on its line.
pub(super) fn has_own_line(text: &str, piece: &Range<usize>) -> bool {
    let before = &text[line_start(text, piece.start)..piece.start];
    let after = text[piece.end..next_line(text, piece.end)].trim_start();
    let after = after.strip_prefix(',').unwrap_or(after).trim();
    before.trim().is_empty() && (after.is_empty() || after.starts_with('#'))
}

/// Bytes up to and with a comma that comes next.
fn comma(text: &str) -> usize {
    let rest = text.trim_start();
    if rest.starts_with(',') { text.len() - rest.len() + 1 } else { 0 }
}
