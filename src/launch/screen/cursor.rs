//! Where the next character goes, and how it would look.

use super::cell::Cell;

/// The child's cursor. Its place counts even while it is hidden: input methods open there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// From 0.
    pub row: u16,
    /// From 0.
    pub column: u16,
    pub visible: bool,
    /// `None`: the person's own.
    pub shape: Option<Shape>,
    pub blinking: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Block,
    Underline,
    Bar,
}

/// What a character would be written with.
pub(super) struct Pen<'a> {
    /// Carries style and link.
    pub(super) cell: Cell<'a>,
    /// The last column is full: the next character goes to the next row.
    pub(super) wraps_next: bool,
    /// First and last row of the scrolling region, from 1; `None`: the whole screen.
    pub(super) region: Option<(u16, u16)>,
    /// Whether G0 and G1 draw lines instead of letters.
    pub(super) drawing: [bool; 2],
    /// Whether G1 is in use.
    pub(super) shifted: bool,
}
