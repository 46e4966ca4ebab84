//! Names that tell lines apart: their column takes room before others do, and what must be cut keeps both its ends.

use unicode_segmentation::UnicodeSegmentation;

use crate::ui::app::look::Look;
use crate::ui::app::widget::{Cell, Column, width};

/// The column as wide as the longest of these names, as far as `most` allows; never narrower than it is.
pub(super) fn widened(column: Column, names: impl Iterator<Item = String>, most: usize) -> Column {
    let longest = names.map(|name| width(&name)).max().unwrap_or(0);
    Column { width: longest.min(most).max(column.width), ..column }
}

/// How many of so many columns each of two names gets that want this many: all, or what the other leaves, but half.
pub(super) fn shared([first, second]: [usize; 2], columns: usize) -> [usize; 2] {
    let first = first.min(columns - second.min(columns / 2));
    [first, second.min(columns - first)]
}

/// The cell of the column with this number, with what of its name is seen there.
pub(super) fn named(cell: &Cell, (kept, at): (&[(usize, usize)], usize), look: &Look) -> Cell {
    let columns = kept.iter().find(|(column, _)| *column == at).map_or(0, |(_, columns)| *columns);
    Cell::new(fitted(&cell.text, columns, look), cell.role)
}

/// The name in so many columns: its beginning and its end, with a sign between them that there is more.
fn fitted(name: &str, columns: usize, look: &Look) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    let Some(room) = columns.checked_sub(width(look.glyphs.more)) else { return String::new() };
    let clusters: Vec<&str> = name.graphemes(true).collect();
    let head = taken(clusters.iter().copied(), room / 2);
    let tail = taken(clusters.iter().rev().copied(), room - room / 2);
    let (head, tail) = (clusters[..head].concat(), clusters[clusters.len() - tail..].concat());
    format!("{head}{}{tail}", look.glyphs.more)
}

/// How many of the clusters fit.
fn taken<'c>(clusters: impl Iterator<Item = &'c str>, columns: usize) -> usize {
    let used = clusters.scan(0, |used, cluster| {
        *used += width(cluster);
        Some(*used)
    });
    used.take_while(|used| *used <= columns).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::app::widget::Side;

    #[test]
    fn a_name_keeps_both_its_ends() {
        for (columns, expect) in [
            (20, "local/model-0123"),
            (16, "local/model-0123"),
            (11, "local…-0123"),
            (10, "loca…-0123"),
            (2, "…3"),
            (1, "…"),
            (0, ""),
        ] {
            assert_eq!(fitted("local/model-0123", columns, &Look::default()), expect, "{columns}");
        }
        assert_eq!(fitted("漢字漢字漢字", 7, &Look::default()), "漢…字");
    }

    #[test]
    fn room_is_shared_and_a_column_is_as_wide_as_its_names() {
        for (wanted, columns, expect) in [
            ([8, 8], 20, [8, 8]),
            ([30, 8], 20, [12, 8]),
            ([8, 30], 20, [8, 12]),
            ([30, 30], 21, [11, 10]),
            ([3, 3], 0, [0, 0]),
        ] {
            assert_eq!(shared(wanted, columns), expect);
        }
        let column = Column::new("ROUTE", 6, 0, Side::Wide);
        let widths =
            [3, 8, 20].map(|columns| widened(column, std::iter::once("x".repeat(columns)), 10).width);
        assert_eq!(widths, [6, 8, 10]);
    }
}
