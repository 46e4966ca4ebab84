//! Packed rows in another width, by the emulator's own grid.

use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::Cell;

use super::page::Packed;
use super::{Archive, HISTORY, TEXT};

/// Rows that flow at once, unless one text has more: each time costs, and each row takes room meanwhile.
const AT_ONCE: usize = 64;

/// From one width to another.
pub(super) struct Flow {
    from: usize,
    to: usize,
    /// Rows that wait to flow, one after the other.
    cells: Vec<Cell>,
    /// Whether the last of them may share its text with the next.
    open: bool,
    /// What has flown.
    into: Archive,
}

impl Flow {
    pub(super) fn new(from: usize, to: usize) -> Self {
        Self { from, to, cells: Vec::new(), open: false, into: Archive::default() }
    }

    /// Takes the next row. One that is alone and has room is the same in both widths.
    pub(super) fn take(&mut self, row: Packed<'_>) {
        let rows = self.cells.len() / self.from;
        self.open &= rows < TEXT;
        let stays = !self.open && !row.is_open() && row.columns() <= self.to;
        if stays || (!self.open && rows >= AT_ONCE) {
            self.flow();
        }
        if stays {
            self.into.copy(row);
            return self.into.limit(HISTORY);
        }
        let before = self.cells.len();
        self.cells.resize(before + self.from, Cell::default());
        row.unpack(&mut self.cells[before..]);
        self.open = row.is_open();
    }

    pub(super) fn end(mut self) -> Archive {
        self.flow();
        self.into
    }

    /// Lets the waiting rows flow. In the scratch grid the cursor is below them, and says afterwards where they end.
    fn flow(&mut self) {
        let rows = self.cells.len() / self.from;
        if rows == 0 {
            return;
        }
        let mut grid = Grid::<Cell>::new(rows + 1, self.from, HISTORY);
        for (line, cells) in (0..).map(Line).zip(self.cells.chunks(self.from)) {
            grid[line][..].clone_from_slice(cells);
        }
        self.cells.clear();
        grid.cursor.point.line = grid.bottommost_line();
        grid.resize(true, rows + 1, self.to);
        let below = grid.cursor.point.line;
        // Only a text that was open to the end reaches there.
        let is_text = grid[below][..].iter().any(|cell| *cell != Cell::default());
        let end = below + usize::from(is_text);
        (grid.topmost_line().0..end.0).map(Line).for_each(|line| self.into.push(&grid[line][..]));
        self.into.limit(HISTORY);
    }
}
