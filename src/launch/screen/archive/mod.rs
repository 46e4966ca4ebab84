//! Lines far above the screen, packed: a tenth of what the emulator's grid takes for them.
//!
//! The grid keeps the newest lines above the screen itself: more than it takes back when it grows. [`Archive::settle`]
//! moves the oldest of them here. Together they are what one grid with all lines would be, through changes of size too:
//! before one, [`Archive::give_back`] puts those back that the grid may need, and [`Archive::reflow`] does with the
//! others what the grid would do.

mod page;
mod reflow;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::{Cell, Flags};

use page::{Packed, Page};
use reflow::Flow;

/// Lines that are kept above the screen, here and in the grid.
pub(super) const HISTORY: usize = 10_000;

/// Lines above the screen that stay in the grid: as many as a screen may have rows.
const KEPT: usize = 500;

/// The grid may have this many before some are moved. With what a piece of the child's output adds they stay below the
/// thousand for which it takes room anyway.
const MOST: usize = 740;

/// Rows of a page.
const PAGE: usize = 128;

/// Rows of one text that flow together into another width. A longer text is cut in two there: for all of it at once the
/// grid would need the room that is saved here.
const TEXT: usize = 1000;

/// Rows of one width, oldest first. All pages but the last are full.
#[derive(Default)]
pub(super) struct Archive {
    pages: VecDeque<Page>,
    /// How many of the first page's rows are too old. It goes as a whole.
    forgotten: usize,
}

impl Archive {
    pub(super) fn len(&self) -> usize {
        self.end() - self.forgotten
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The cells of a row; 0 is the newest.
    pub(super) fn row(&self, above: usize, columns: usize) -> Option<Vec<Cell>> {
        let mut cells = vec![Cell::default(); columns];
        self.newest(above)?.unpack(&mut cells);
        Some(cells)
    }

    /// Takes what the grid has too many of, and forgets what is too old.
    pub(super) fn settle(&mut self, grid: &mut Grid<Cell>) {
        if grid.history_size() > MOST {
            self.take(grid);
        }
        self.limit(HISTORY.saturating_sub(grid.history_size()));
    }

    /// Puts the newest rows back until the grid has so many lines above its screen, or all; and then as many more as
    /// belong to one text.
    pub(super) fn give_back(&mut self, grid: &mut Grid<Cell>, least: usize) {
        let missing = least.saturating_sub(grid.history_size()).min(self.len());
        let open = (missing..self.len())
            .take(TEXT)
            .take_while(|above| self.newest(*above).is_some_and(Packed::is_open));
        let count = missing + open.count();
        if count == 0 {
            return;
        }
        grid.update_history(grid.history_size() + count);
        grid.initialize_all();
        grid.update_history(HISTORY);
        for (line, above) in (grid.topmost_line().0..).map(Line).zip((0..count).rev()) {
            self.newest(above).into_iter().for_each(|row| row.unpack(&mut grid[line][..]));
        }
        self.forget_newest(count);
    }

    /// Lets all text flow into another width. What then are too many rows loses the oldest.
    pub(super) fn reflow(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        let mut flow = Flow::new(from, to);
        let Self { pages, forgotten } = std::mem::take(self);
        for (number, page) in pages.into_iter().enumerate() {
            let first = if number == 0 { forgotten } else { 0 };
            (first..page.len()).filter_map(|at| page.row(at)).for_each(|row| flow.take(row));
        }
        *self = flow.end();
    }

    /// How many rows the pages have.
    fn end(&self) -> usize {
        self.pages.back().map_or(0, |last| (self.pages.len() - 1) * PAGE + last.len())
    }

    fn newest(&self, above: usize) -> Option<Packed<'_>> {
        let at = self.end().checked_sub(above + 1).filter(|at| *at >= self.forgotten)?;
        self.pages[at / PAGE].row(at % PAGE)
    }

    fn push(&mut self, cells: &[Cell]) {
        self.open_page().push(cells);
    }

    fn copy(&mut self, row: Packed<'_>) {
        self.open_page().copy(row);
    }

    /// The page that the next row belongs on.
    fn open_page(&mut self) -> &mut Page {
        let is_full = |page: &mut Page| page.len() == PAGE;
        if self.pages.back_mut().is_none_or(is_full) {
            self.pages.back_mut().into_iter().for_each(Page::shrink);
            self.pages.push_back(Page::default());
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// Forgets the oldest rows but so many.
    fn limit(&mut self, most: usize) {
        self.forgotten += self.len().saturating_sub(most);
        while self.forgotten >= PAGE {
            self.pages.pop_front();
            self.forgotten -= PAGE;
        }
    }

    /// Forgets so many of the newest rows.
    fn forget_newest(&mut self, count: usize) {
        let end = self.end() - count;
        self.pages.truncate(end.div_ceil(PAGE));
        let before = self.pages.len().saturating_sub(1) * PAGE;
        self.pages.back_mut().into_iter().for_each(|last| last.truncate(end - before));
    }

    /// The grid forgets what it has too many of when its limit sinks, and then may grow as before.
    fn take(&mut self, grid: &mut Grid<Cell>) {
        let kept = kept(grid);
        (kept..grid.history_size()).rev().for_each(|above| self.push(&grid[line(above)][..]));
        grid.update_history(kept);
        grid.update_history(HISTORY);
    }
}

/// Lets the grid clear whole rows when it next uses them for others. After a change of its width it may take cells for
/// untouched that are not, and leave there what it should clear.
pub(super) fn touch(grid: &mut Grid<Cell>) {
    (grid.topmost_line().0..=grid.bottommost_line().0).map(Line).for_each(|line| _ = grid[line].last_mut());
}

/// How many lines stay in the grid, so that no text is cut in two if that can be helped.
fn kept(grid: &Grid<Cell>) -> usize {
    let is_wrapped = |above: usize| grid[line(above)][grid.last_column()].flags.contains(Flags::WRAPLINE);
    (KEPT..MOST).find(|kept| !is_wrapped(*kept)).unwrap_or(KEPT)
}

/// The grid's line so far above the screen; 0 is the newest.
fn line(above: usize) -> Line {
    Line(-1) - above
}
