//! One place on the screen: its text, its width, how it looks, where it links to.

use std::borrow::Cow;

use alacritty_terminal::term::cell::{Cell as Inner, Flags};
use alacritty_terminal::vte::ansi::{Color, NamedColor};

use super::colours::{Colour, Rgb};

/// A cell of a screen.
#[derive(Clone, Copy)]
pub struct Cell<'a>(pub(super) &'a Inner);

/// A row of a screen.
pub struct Row<'a>(Cow<'a, [Inner]>);

/// How many columns a cell's text takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Narrow,
    /// Two columns: this one and the [`Width::Continuation`] after it.
    Wide,
    /// The second column of a wide text.
    Continuation,
    /// The last column of a row whose next text was too wide for it.
    Filler,
}

/// A link (OSC 8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Cells of the same id are one link.
    pub id: String,
    pub uri: String,
}

/// How a cell looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    pub foreground: Colour,
    pub background: Colour,
    /// `Default`: that of the text.
    pub underline_colour: Colour,
    pub underline: Underline,
    pub attributes: Attributes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Underline {
    #[default]
    None,
    Single,
    Double,
    Curly,
    Dotted,
    Dashed,
}

/// Bold and its like, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes(u8);

impl Attributes {
    pub const BOLD: Self = Self(1);
    pub const DIM: Self = Self(2);
    pub const ITALIC: Self = Self(4);
    pub const INVERSE: Self = Self(8);
    pub const HIDDEN: Self = Self(16);
    pub const STRIKE: Self = Self(32);

    /// Each with its number in SGR.
    pub(super) const SGR: [(Self, u8); 6] = [
        (Self::BOLD, 1),
        (Self::DIM, 2),
        (Self::ITALIC, 3),
        (Self::INVERSE, 7),
        (Self::HIDDEN, 8),
        (Self::STRIKE, 9),
    ];

    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    fn of(flags: Flags) -> Self {
        let pairs = [
            (Flags::BOLD, Self::BOLD),
            (Flags::DIM, Self::DIM),
            (Flags::ITALIC, Self::ITALIC),
            (Flags::INVERSE, Self::INVERSE),
            (Flags::HIDDEN, Self::HIDDEN),
            (Flags::STRIKEOUT, Self::STRIKE),
        ];
        let set = pairs.into_iter().filter(|(flag, _)| flags.contains(*flag));
        Self(set.fold(0, |bits, (_, attribute)| bits | attribute.0))
    }
}

impl<'a> Row<'a> {
    pub(super) fn borrowed(cells: &'a [Inner]) -> Self {
        Self(Cow::Borrowed(cells))
    }

    pub(super) fn owned(cells: Vec<Inner>) -> Self {
        Self(Cow::Owned(cells))
    }

    pub fn cells(&self) -> impl DoubleEndedIterator<Item = Cell<'_>> + ExactSizeIterator {
        self.0.iter().map(Cell)
    }

    /// Whether its text goes on in the next row.
    pub(super) fn is_wrapped(&self) -> bool {
        self.0.last().is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE))
    }
}

impl Cell<'_> {
    /// Adds the cell's text: one character, or several that are joined. A blank is a space; what only
    /// fills a place adds nothing.
    pub fn write_to(self, text: &mut String) {
        if !matches!(self.width(), Width::Continuation | Width::Filler) {
            // The emulator remembers tabs in place of spaces.
            text.push(if self.0.c == '\t' { ' ' } else { self.0.c });
            text.extend(self.0.zerowidth().into_iter().flatten());
        }
    }

    pub fn text(self) -> String {
        let mut text = String::new();
        self.write_to(&mut text);
        text
    }

    pub fn width(self) -> Width {
        let flags = self.0.flags;
        if flags.contains(Flags::WIDE_CHAR) {
            Width::Wide
        } else if flags.contains(Flags::WIDE_CHAR_SPACER) {
            Width::Continuation
        } else if flags.contains(Flags::LEADING_WIDE_CHAR_SPACER) {
            Width::Filler
        } else {
            Width::Narrow
        }
    }

    pub fn style(self) -> Style {
        Style {
            foreground: colour(self.0.fg),
            background: colour(self.0.bg),
            underline_colour: self.0.underline_color().map_or(Colour::Default, colour),
            underline: underline(self.0.flags),
            attributes: Attributes::of(self.0.flags),
        }
    }

    pub fn link(self) -> Option<Link> {
        let link = self.0.hyperlink()?;
        Some(Link { id: link.id().to_owned(), uri: link.uri().to_owned() })
    }

    /// Whether it is what an erased cell is: no text, no looks.
    pub fn is_blank(self) -> bool {
        matches!(self.0.c, ' ' | '\t')
            && matches!(self.width(), Width::Narrow | Width::Filler)
            && self.0.extra.is_none()
            && self.style() == Style::default()
    }

    /// Whether, written right after another text, it could become a part of it: skin tones, flags' letters.
    pub(super) fn could_join(self) -> bool {
        self.0.c >= '\u{1f1e6}'
    }

    /// Whether several code points share it, whose width terminals disagree about.
    pub(super) fn is_joined(self) -> bool {
        self.0.zerowidth().is_some_and(|joined| !joined.is_empty())
    }
}

fn underline(flags: Flags) -> Underline {
    let kinds = [
        (Flags::UNDERLINE, Underline::Single),
        (Flags::DOUBLE_UNDERLINE, Underline::Double),
        (Flags::UNDERCURL, Underline::Curly),
        (Flags::DOTTED_UNDERLINE, Underline::Dotted),
        (Flags::DASHED_UNDERLINE, Underline::Dashed),
    ];
    kinds.into_iter().find(|(flag, _)| flags.contains(*flag)).map_or(Underline::None, |(_, kind)| kind)
}

fn colour(colour: Color) -> Colour {
    match colour {
        Color::Spec(rgb) => Colour::Rgb(Rgb(rgb.r, rgb.g, rgb.b)),
        Color::Indexed(index) => Colour::Indexed(index),
        Color::Named(NamedColor::Foreground | NamedColor::Background) => Colour::Default,
        Color::Named(name) => u8::try_from(name as usize).map_or(Colour::Default, Colour::Indexed),
    }
}
