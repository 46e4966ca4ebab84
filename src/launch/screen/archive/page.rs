//! Rows of cells in little room: their text, and how long each look of it lasts.

use std::sync::Arc;

use alacritty_terminal::term::cell::{Cell, CellExtra, Flags};
use alacritty_terminal::vte::ansi::{Color, NamedColor};

type Extra = Option<Arc<CellExtra>>;

/// Characters of one run.
const LONGEST: usize = 255;

/// Some rows. Together, as each by itself would take more room and time.
#[derive(Default)]
pub(super) struct Page {
    /// A character for each cell, or for each two that a wide one takes.
    text: String,
    runs: Vec<Run>,
    /// Links and joined characters of those runs that have any.
    extras: Vec<Arc<CellExtra>>,
    /// Where each row ends.
    rows: Vec<Ends>,
}

#[derive(Clone, Copy, Default)]
struct Ends {
    text: usize,
    runs: usize,
    extras: usize,
}

/// Cells of one look, in fewer bytes than one cell.
#[derive(Clone, Copy)]
struct Run {
    foreground: Color,
    background: Color,
    flags: Flags,
    characters: u8,
    /// Whether each character is a whole wide one: its cell, and the one after it that it covers.
    wide: bool,
    /// Whether it has one of the extras.
    extra: bool,
}

/// A row without the untouched cells at its end.
#[derive(Clone, Copy)]
pub(super) struct Packed<'a> {
    text: &'a str,
    runs: &'a [Run],
    extras: &'a [Arc<CellExtra>],
}

impl Page {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn row(&self, at: usize) -> Option<Packed<'_>> {
        let end = *self.rows.get(at)?;
        let start = at.checked_sub(1).map_or(Ends::default(), |before| self.rows[before]);
        Some(Packed {
            text: &self.text[start.text..end.text],
            runs: &self.runs[start.runs..end.runs],
            extras: &self.extras[start.extras..end.extras],
        })
    }

    /// Adds a row.
    pub(super) fn push(&mut self, cells: &[Cell]) {
        let used = cells.iter().rposition(|cell| cell.c != ' ' || !is_plain(cell)).map_or(0, |last| last + 1);
        let mut rest = &cells[..used];
        while let Some(first) = rest.first() {
            let run = Run::first(rest);
            let (cells, after) = rest.split_at(run.columns());
            if run.wide {
                self.text.extend(cells.iter().step_by(2).map(|cell| cell.c));
            } else {
                write(&mut self.text, cells);
            }
            self.extras.extend(first.extra.clone());
            self.runs.push(run);
            rest = after;
        }
        self.end_row();
    }

    /// Adds a row of another page.
    pub(super) fn copy(&mut self, row: Packed<'_>) {
        self.text.push_str(row.text);
        self.runs.extend_from_slice(row.runs);
        self.extras.extend_from_slice(row.extras);
        self.end_row();
    }

    /// Forgets all rows but so many.
    pub(super) fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
        let end = self.rows.last().copied().unwrap_or_default();
        self.text.truncate(end.text);
        self.runs.truncate(end.runs);
        self.extras.truncate(end.extras);
    }

    /// Gives room back that nothing is in.
    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.runs.shrink_to_fit();
        self.extras.shrink_to_fit();
        self.rows.shrink_to_fit();
    }

    fn end_row(&mut self) {
        self.rows.push(Ends { text: self.text.len(), runs: self.runs.len(), extras: self.extras.len() });
    }
}

impl Packed<'_> {
    /// Writes its cells over untouched ones.
    pub(super) fn unpack(self, cells: &mut [Cell]) {
        let (mut cells, mut text, mut extras) = (cells.iter_mut(), self.text.chars(), self.extras.iter());
        for run in self.runs {
            let look = run.look(if run.extra { extras.next().cloned() } else { None });
            for c in text.by_ref().take(usize::from(run.characters)) {
                let covered = run.wide.then(|| covered(&look));
                let written = std::iter::once(Cell { c, ..look.clone() }).chain(covered);
                written.zip(cells.by_ref()).for_each(|(cell, place)| *place = cell);
            }
        }
    }

    /// Whether it may share its text with the next row when the width changes: it is marked so anywhere, as deleting
    /// characters moves marks.
    pub(super) fn is_open(self) -> bool {
        self.runs.iter().any(|run| run.flags.intersects(Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER))
    }

    /// How many columns it takes, without the untouched ones at its end.
    pub(super) fn columns(self) -> usize {
        self.runs.iter().copied().map(Run::columns).sum()
    }
}

impl Run {
    /// The cells that look like the first, of which there is one.
    fn first(cells: &[Cell]) -> Self {
        let first = &cells[0];
        let wide = is_whole(cells);
        let characters = if wide {
            cells
                .chunks(2)
                .take_while(|pair| is_alike(&pair[0], first) && is_whole(pair))
                .take(LONGEST)
                .count()
        } else if first.flags.contains(Flags::WIDE_CHAR) {
            1
        } else {
            let cells = &cells[..cells.len().min(LONGEST)];
            let other = if is_plain(first) {
                cells.iter().position(|cell| !is_plain(cell))
            } else {
                cells.iter().position(|cell| !is_alike(cell, first))
            };
            other.unwrap_or(cells.len())
        };
        Self {
            foreground: first.fg,
            background: first.bg,
            flags: first.flags,
            characters: u8::try_from(characters).unwrap_or(u8::MAX),
            wide,
            extra: first.extra.is_some(),
        }
    }

    fn step(self) -> usize {
        1 + usize::from(self.wide)
    }

    fn columns(self) -> usize {
        usize::from(self.characters) * self.step()
    }

    fn look(self, extra: Extra) -> Cell {
        Cell { c: ' ', fg: self.foreground, bg: self.background, flags: self.flags, extra }
    }
}

/// Adds the characters of narrow cells. Most of what a terminal shows is ASCII, which is written at once.
fn write(text: &mut String, cells: &[Cell]) {
    if cells.iter().fold(0, |bits, cell| bits | u32::from(cell.c)) >= 0x80 {
        return text.extend(cells.iter().map(|cell| cell.c));
    }
    let mut ascii = [0; LONGEST];
    ascii.iter_mut().zip(cells).for_each(|(byte, cell)| *byte = cell.c as u8);
    text.push_str(str::from_utf8(&ascii[..cells.len()]).unwrap_or_default());
}

/// Whether it looks as a new row's cells do.
fn is_plain(cell: &Cell) -> bool {
    cell.flags.is_empty()
        && cell.extra.is_none()
        && cell.fg == Color::Named(NamedColor::Foreground)
        && cell.bg == Color::Named(NamedColor::Background)
}

fn is_alike(one: &Cell, other: &Cell) -> bool {
    let is_shared = match (&one.extra, &other.extra) {
        (None, None) => true,
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        _ => false,
    };
    is_shared && one.flags == other.flags && one.fg == other.fg && one.bg == other.bg
}

/// Whether the first cell is wide and the second is just what it covers.
fn is_whole(cells: &[Cell]) -> bool {
    let [first, second, ..] = cells else { return false };
    first.flags.contains(Flags::WIDE_CHAR) && second.c == ' ' && is_alike(second, &covered(first))
}

/// The cell that a wide one covers, as the emulator leaves it.
fn covered(wide: &Cell) -> Cell {
    let flags = wide.flags.difference(Flags::WIDE_CHAR).union(Flags::WIDE_CHAR_SPACER);
    Cell { c: ' ', flags, ..wide.clone() }
}
