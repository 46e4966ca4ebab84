//! Rows in aligned columns, for lists that people read and `cut` and `awk` can too. Pure.

use super::colour::{Colour, Tone};
use super::text::columns;
use crate::launch::hidden::is_hidden;

/// Columns between two columns.
const GAP: usize = 2;

/// The heads and the rows, each column as wide as its widest cell, without a line break at the end.
///
/// An empty cell is shown as `-`, so that the columns of a line can be counted. A row shorter than the heads
/// ends early.
pub fn table(heads: &[&str], rows: &[Vec<String>], colour: Colour) -> String {
    let heads: Vec<String> = heads.iter().map(|head| head.to_uppercase()).collect();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| shown(cell)).collect()).collect();
    let widths: Vec<usize> = (0..heads.len()).map(|at| width(at, &heads, &rows)).collect();
    let mut lines = vec![colour.paint(&line(&heads, &widths), Tone::Faint)];
    lines.extend(rows.iter().map(|row| line(row, &widths)));
    lines.join("\n")
}

/// What is in a cell stays in its line.
fn shown(cell: &str) -> String {
    if cell.is_empty() { "-".to_owned() } else { visible(cell) }
}

/// The text with its control characters and bidirectional marks made visible: somebody else may have written it.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

fn width(at: usize, heads: &[String], rows: &[Vec<String>]) -> usize {
    let cells = rows.iter().filter_map(|row| row.get(at));
    heads.get(at).into_iter().chain(cells).map(|cell| columns(cell)).max().unwrap_or(0)
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', width + GAP - columns(cell)));
    }
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_nothing_is_left_blank() {
        let rows =
            [vec!["reviewer".to_owned(), String::new()], vec!["审查".to_owned(), "ollama/m".to_owned()]];
        let drawn = table(&["name", "model"], &rows, Colour::Never);
        assert_eq!(drawn, "NAME      MODEL\nreviewer  -\n审查      ollama/m");
    }

    #[test]
    fn what_somebody_else_wrote_cannot_move_the_cursor_or_turn_the_line() {
        assert_eq!(visible("a\u{1b}[2Jb\nc\u{202e}d"), "a\\u{1b}[2Jb\\nc\\u{202e}d");
    }
}
