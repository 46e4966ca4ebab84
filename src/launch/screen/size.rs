//! How large a terminal is, in cells.

use serde::{Deserialize, Serialize};

/// Columns and rows, within what an emulator can work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Asked")]
pub struct Size {
    columns: u16,
    rows: u16,
}

/// A size as somebody else names it.
#[derive(Deserialize)]
struct Asked {
    columns: u16,
    rows: u16,
}

impl From<Asked> for Size {
    fn from(asked: Asked) -> Self {
        Self::new(asked.columns, asked.rows)
    }
}

impl Size {
    /// A wide character needs two columns, and a smaller screen is none.
    const LEAST: u16 = 2;
    /// What a client may ask for at most, so that it can't ask for all memory.
    const MOST_COLUMNS: u16 = 1000;
    const MOST_ROWS: u16 = 500;

    /// The nearest size to this one: 2 to 1000 columns, 2 to 500 rows.
    pub fn new(columns: u16, rows: u16) -> Self {
        Self {
            columns: columns.clamp(Self::LEAST, Self::MOST_COLUMNS),
            rows: rows.clamp(Self::LEAST, Self::MOST_ROWS),
        }
    }

    pub fn columns(self) -> u16 {
        self.columns
    }

    pub fn rows(self) -> u16 {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g01_g19_no_size_is_too_small_or_too_large() {
        for ((columns, rows), expect) in
            [((80, 24), (80, 24)), ((0, 0), (2, 2)), ((1, 9), (2, 9)), ((u16::MAX, u16::MAX), (1000, 500))]
        {
            let size = Size::new(columns, rows);
            assert_eq!((size.columns(), size.rows()), expect);
        }
    }
}
