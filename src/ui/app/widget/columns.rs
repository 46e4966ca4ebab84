//! Columns of which the least important go first where there is no room.

use ratatui::text::{Line, Span};

use super::measure::{cut, width};
use crate::ui::app::look::{Look, Role};

/// Blanks between two columns.
const GAP: usize = 1;

/// One column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    pub head: &'static str,
    /// Columns of the terminal; of the widest table more, for those that take what is left.
    pub width: usize,
    /// The one with the highest goes first.
    pub rank: u8,
    pub side: Side,
}

impl Column {
    pub const fn new(head: &'static str, width: usize, rank: u8, side: Side) -> Self {
        Self { head, width, rank, side }
    }
}

/// Where a cell stands in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
    /// On the left, and it takes a share of what is left over.
    Wide,
}

/// What stands in a column of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub text: String,
    pub role: Role,
}

impl Cell {
    pub fn new(text: impl Into<String>, role: Role) -> Self {
        Self { text: text.into(), role }
    }

    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Role::Text)
    }
}

/// The columns that fit into so much room: each with its number and its width there.
pub fn columns(all: &[Column], room: usize) -> Vec<(usize, usize)> {
    let mut kept: Vec<usize> = (0..all.len()).collect();
    let taken = |kept: &[usize]| -> usize {
        kept.iter().map(|at| all[*at].width + GAP).sum::<usize>().saturating_sub(GAP)
    };
    while taken(&kept) > room && kept.len() > 1 {
        let last = kept.iter().copied().max_by_key(|at| all[*at].rank);
        kept.retain(|at| Some(*at) != last);
    }
    let left = room.saturating_sub(taken(&kept));
    let wide: Vec<usize> = kept.iter().copied().filter(|at| all[*at].side == Side::Wide).collect();
    let share = |at: usize| match wide.iter().position(|one| *one == at) {
        Some(place) => left / wide.len() + usize::from(place < left % wide.len()),
        None => 0,
    };
    kept.iter().map(|at| (*at, (all[*at].width + share(*at)).min(room))).collect()
}

/// The names over the columns.
pub fn heads(all: &[Column], kept: &[(usize, usize)], look: &Look) -> Line<'static> {
    row(all, kept, look, |at| Cell::new(all[at].head, Role::Faint))
}

/// One row; only what is seen of it is made.
pub fn row(
    all: &[Column],
    kept: &[(usize, usize)],
    look: &Look,
    cell: impl Fn(usize) -> Cell,
) -> Line<'static> {
    let mut spans = Vec::with_capacity(kept.len() * 2);
    for (place, (at, room)) in kept.iter().enumerate() {
        let Cell { text, role } = cell(*at);
        let text = cut(&text, *room, look);
        let blank = " ".repeat(room.saturating_sub(width(&text)));
        let text = if all[*at].side == Side::Right { blank + &text } else { text + &blank };
        if place > 0 {
            spans.push(Span::raw(" "));
        }
        spans.push(Span::styled(text, look.style(role)));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Column; 3] = [
        Column { head: "NAME", width: 6, rank: 0, side: Side::Wide },
        Column { head: "N", width: 3, rank: 1, side: Side::Right },
        Column { head: "MORE", width: 5, rank: 2, side: Side::Left },
    ];

    #[test]
    fn the_least_important_go_first_and_the_wide_take_the_rest() {
        for (room, expect) in [
            (20, vec![(0, 10), (1, 3), (2, 5)]),
            (16, vec![(0, 6), (1, 3), (2, 5)]),
            (15, vec![(0, 11), (1, 3)]),
            (9, vec![(0, 9)]),
            (3, vec![(0, 3)]),
            (0, vec![(0, 0)]),
        ] {
            assert_eq!(columns(&ALL, room), expect, "{room}");
        }
    }

    #[test]
    fn cells_stand_on_their_side_and_are_cut() {
        let kept = columns(&ALL, 16);
        let line = row(&ALL, &kept, &Look::default(), |at| Cell::plain(["reviewer", "7", "x"][at]));
        assert_eq!(line.to_string(), "revie…   7 x    ");
        assert_eq!(heads(&ALL, &kept, &Look::default()).to_string(), "NAME     N MORE ");
    }
}
