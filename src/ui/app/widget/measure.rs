//! Places and texts that fit into them.

use ratatui::buffer::CellWidth;
use ratatui::layout::Rect;
use ratatui::widgets::Block;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::ui::app::look::Look;

/// The room within a box that is drawn elsewhere.
pub fn inner(area: Rect) -> Rect {
    Block::bordered().inner(area)
}

/// A part of the area in its middle, at most so large.
pub fn centred(area: Rect, columns: u16, rows: u16) -> Rect {
    let (width, height) = (columns.min(area.width), rows.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

/// The text, or its beginning with a sign that there is more, in so many columns.
pub fn cut(text: &str, columns: usize, look: &Look) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut cut = String::new();
    for cluster in text.graphemes(true) {
        if width(&cut) + width(cluster) + 1 > columns {
            break;
        }
        cut.push_str(cluster);
    }
    if columns > 0 {
        cut.push_str(look.glyphs.more);
    }
    cut
}

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text in lines of so many columns: between words where that can be, and each indented as its first.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let rest = text.trim_start_matches(' ');
    let indent = " ".repeat((text.len() - rest.len()).min(columns / 2));
    let room = columns.saturating_sub(indent.len()).max(1);
    let mut lines: Vec<String> = Vec::new();
    for word in rest.split(' ').flat_map(|word| folded(word, room)) {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(&word) <= room => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines.into_iter().map(|line| format!("{indent}{line}")).collect()
}

/// The text in lines of so many columns, just as it is: nothing goes and nothing comes at a break, and what takes several
/// columns stays whole as far as it can.
pub fn folded(text: &str, columns: usize) -> Vec<String> {
    let pieces = text.graphemes(true).flat_map(|cluster| {
        // No number of marks may make one that has no room.
        let is_too_wide = usize::from(cluster.cell_width()) > columns;
        cluster.split_inclusive(move |_: char| is_too_wide)
    });
    let mut lines = vec![String::new()];
    let mut used = 0;
    for piece in pieces {
        // One by one, as the buffer counts: together they may take less.
        let more = usize::from(piece.cell_width());
        if used > 0 && used + more > columns {
            lines.push(String::new());
            used = 0;
        }
        used += more;
        lines.last_mut().into_iter().for_each(|line| line.push_str(piece));
    }
    lines
}

/// The text with every cluster in a place of its own: what takes no column is written as its number, as it isn't seen after
/// a wide one.
pub fn placed(text: &str) -> String {
    let mut placed = String::with_capacity(text.len());
    for cluster in text.graphemes(true) {
        if cluster.cell_width() == 0 {
            placed.extend(cluster.chars().flat_map(char::escape_unicode));
        } else {
            placed.push_str(cluster);
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_words_and_within_those_that_are_too_long() {
        for (text, columns, expect) in [
            ("", 5, vec![""]),
            ("one two three", 8, vec!["one two", "three"]),
            ("  a bb ccc", 6, vec!["  a bb", "  ccc"]),
            ("abcdefgh i", 4, vec!["abcd", "efgh", "i"]),
            ("  模型模型", 6, vec!["  模型", "  模型"]),
            ("ab", 0, vec!["a", "b"]),
        ] {
            assert_eq!(wrapped(text, columns), expect, "{text}");
        }
    }

    #[test]
    fn what_takes_no_column_is_written_as_its_number_unless_it_belongs_to_what_does() {
        for (text, expect) in [
            ("e\u{301} 각", "e\u{301} 각"),
            ("\u{1100}\u{1161}", "\u{1100}\u{1161}"),
            ("\u{301}a", "\\u{301}a"),
            ("🙂\u{d7b0}", "🙂\\u{d7b0}"),
        ] {
            assert_eq!(placed(text), expect);
        }
    }
}
