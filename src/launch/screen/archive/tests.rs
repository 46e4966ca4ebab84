//! Any row comes back as it was.

use alacritty_terminal::term::cell::Hyperlink;
use alacritty_terminal::vte::ansi::{Color, NamedColor, Rgb};
use proptest::prelude::*;

use super::*;

fn unpacked(page: &Page, at: usize, columns: usize) -> Vec<Cell> {
    let mut cells = vec![Cell::default(); columns];
    page.row(at).unwrap().unpack(&mut cells);
    cells
}

fn colours() -> impl Strategy<Value = Color> {
    let named = [NamedColor::Foreground, NamedColor::Background, NamedColor::Red, NamedColor::DimForeground];
    prop_oneof![
        prop::sample::select(named.to_vec()).prop_map(Color::Named),
        any::<u8>().prop_map(Color::Indexed),
        any::<[u8; 3]>().prop_map(|[r, g, b]| Color::Spec(Rgb { r, g, b })),
    ]
}

/// A wide cell or none, one that it covers or none, with whatever else.
fn flags() -> impl Strategy<Value = Flags> {
    prop_oneof![
        Just(Flags::empty()),
        Just(Flags::WIDE_CHAR),
        Just(Flags::WIDE_CHAR_SPACER),
        Just(Flags::WRAPLINE),
        any::<u16>().prop_map(Flags::from_bits_truncate),
    ]
}

prop_compose! {
    fn cells()(
        c in prop_oneof![Just(' '), any::<char>()],
        (fg, bg, flags) in (colours(), colours(), flags()),
        (joined, link, underline) in prop_oneof![
            3 => Just((None, None, None)),
            1 => (any::<Option<char>>(), any::<Option<u8>>(), prop::option::of(colours())),
        ],
    ) -> Cell {
        let mut cell = Cell { c, fg, bg, flags, extra: None };
        if let Some(joined) = joined {
            cell.push_zerowidth(joined);
        }
        cell.set_underline_color(underline);
        cell.set_hyperlink(link.map(|link| Hyperlink::new(Some(link), format!("https://{link}.invalid"))));
        cell
    }
}

/// Stretches of equal cells, of whole wide ones too, as they are on screens; and of anything.
fn rows() -> impl Strategy<Value = Vec<Cell>> {
    let wide = |cell: Cell| {
        let first = Cell { flags: Flags::WIDE_CHAR, ..cell.clone() };
        let second = Cell { c: ' ', flags: Flags::WIDE_CHAR_SPACER, ..cell };
        [first, second]
    };
    let stretch = prop_oneof![
        (cells(), 0..300_usize).prop_map(|(cell, count)| vec![cell; count]),
        (cells(), 0..300_usize).prop_map(move |(cell, count)| {
            let pairs = std::iter::repeat_n(wide(cell), count);
            pairs.flatten().collect()
        }),
        (0..9_usize).prop_map(|count| vec![Cell::default(); count]),
        prop::collection::vec(cells(), 0..9),
    ];
    prop::collection::vec(stretch, 0..6).prop_map(|stretches| stretches.concat())
}

proptest! {
    #[test]
    fn any_row_comes_back_as_it_was(rows in prop::collection::vec(rows(), 1..9), kept in any::<prop::sample::Index>()) {
        let mut page = Page::default();
        for row in &rows {
            page.push(row);
        }
        let mut copy = Page::default();
        (0..rows.len()).for_each(|at| copy.copy(page.row(at).unwrap()));
        page.truncate(kept.index(rows.len() + 1));
        prop_assert!(page.row(page.len()).is_none());
        for (at, row) in rows.iter().enumerate() {
            prop_assert_eq!(&unpacked(&copy, at, row.len()), row);
            if at < page.len() {
                prop_assert_eq!(&unpacked(&page, at, row.len()), row);
            }
        }
    }
}

#[test]
fn the_oldest_and_the_newest_can_be_forgotten() {
    let mut archive = Archive::default();
    let cell = |number: u32| Cell { c: char::from_u32(0x4e00 + number).unwrap(), ..Cell::default() };
    (0..1000).for_each(|number| archive.push(&[cell(number)]));
    for (newest, most, expect) in [
        (0, 1000, 0..1000),
        (0, 900, 100..1000),
        (100, 700, 200..900),
        (0, 800, 200..900),
        (600, 700, 200..300),
        (0, 1, 299..300),
        (1, 1, 300..300),
    ] {
        archive.forget_newest(newest);
        archive.limit(most);
        let found = (0..archive.len()).rev().map(|above| archive.row(above, 1).unwrap().remove(0).c);
        assert!(found.eq(expect.clone().map(|number| cell(number).c)), "{expect:?}");
        assert!(archive.row(archive.len(), 1).is_none());
    }
}
