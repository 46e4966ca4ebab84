//! Lines above the screen, most of them packed, against one grid that keeps them all.

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::Cell as Inner;
use alacritty_terminal::term::{Config, Term};
use alacritty_terminal::vte::ansi::Processor;

use super::*;
use crate::launch::screen::archive::{self, HISTORY};
use crate::launch::screen::shim::{Own, Shim};

/// The emulator as it is by itself.
struct Plain {
    term: Term<VoidListener>,
    own: Own,
    processor: Processor,
}

impl Plain {
    fn new(size: Size) -> Self {
        let config = Config { scrolling_history: HISTORY, ..Config::default() };
        Self {
            term: Term::new(config, &size, VoidListener),
            own: Own::default(),
            processor: Processor::new(),
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.processor.advance(&mut Shim { term: &mut self.term, own: &mut self.own }, bytes);
    }

    fn resize(&mut self, size: Size) {
        self.own.last.forget();
        self.own.region = None;
        self.term.resize(size);
        archive::touch(self.term.grid_mut());
    }
}

/// Both of them.
struct Both {
    packed: Emulator,
    plain: Plain,
}

impl Both {
    fn new(columns: u16, rows: u16) -> Self {
        let size = Size::new(columns, rows);
        Self { packed: Emulator::new(size, Palette::default(), &Shared::default()), plain: Plain::new(size) }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.packed.advance(bytes);
        self.plain.feed(bytes);
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.packed.resize(Size::new(columns, rows));
        self.plain.resize(Size::new(columns, rows));
    }

    /// Every cell, with all that it has.
    fn compare(&self, after: &str) {
        let grid = self.plain.term.grid();
        assert_eq!(self.packed.history(), grid.history_size(), "{after}");
        for row in grid.topmost_line().0..=grid.bottommost_line().0 {
            let found: Vec<Inner> =
                self.packed.row(row).unwrap().cells().map(|cell| cell.0.clone()).collect();
            assert_eq!(found, grid[Line(row)][..], "row {row} {after}");
        }
        assert!(self.packed.row(grid.topmost_line().0 - 1).is_none());
        let (cursor, point) = (self.packed.cursor(), grid.cursor.point);
        let wraps_next = grid.cursor.input_needs_wrap && point.column == grid.last_column();
        let place = (i32::from(cursor.row), usize::from(cursor.column), self.packed.pen().wraps_next);
        assert_eq!(place, (point.line.0, point.column.0, wraps_next), "{after}");
    }
}

/// Lines as agents write them, and as nobody does.
fn lines(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        6 => "[a-z ]{0,30}",
        1 => "[a-z]{100,400}",
        2 => "[漢字ＡＢ가\u{301}\u{fe0f}👩👍🏽❤🇩🇪]{0,30}",
        1 => " {0,200}",
        2 => "\x1b\\[(0|1|31|44|48;5;99|38;2;1;2;3|4:3;58:5:7)m",
        1 => prop::sample::select(vec![
            "\t", "\x1b[44m\x1b[K", "\x1b[3P", "\x1b[5@", "\x1b[4X", "\x1b[9D", "\x1b[200C", "\x1b[A", "\x1b[3;9H",
            "\x1b]8;;https://x.invalid\x1b\\", "\x1b]8;;\x1b\\", "\x1b[2J", "\x1b[H", "\x1b[2;5r", "\x1b[r",
            "\x1b[3S", "\x1b[2T", "\x1b[L", "\x1b[M", "\x1bM", "\x1b[?7l", "\x1b[?7h", "\x1b[4h", "\x1b[4l", "\x1b7",
            "\x1b8", "\x1b[?1049hother\r\n\n\x1b[3J\n\x1b[?1049l",
        ]).prop_map(str::to_owned),
    ];
    let line = prop::collection::vec(text, 0..5).prop_map(|pieces| pieces.concat());
    // The same few lines over and over: it is their number that counts.
    let some = prop::collection::vec(line, 1..30);
    (some, count).prop_map(|(some, count)| {
        let lines = some.iter().cycle().take(count).map(|line| format!("{line}\r\n"));
        lines.collect::<String>().into_bytes()
    })
}

#[derive(Debug, Clone)]
enum Step {
    Feed(Vec<u8>),
    Resize(u16, u16),
}

fn steps(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => lines(count).prop_map(Step::Feed),
        4 => (2..200_u16, 2..60_u16).prop_map(|(columns, rows)| Step::Resize(columns, rows)),
        2 => (60..160_u16, 20..50_u16).prop_map(|(columns, rows)| Step::Resize(columns, rows)),
        1 => prop::sample::select(vec!["\x1b[3J", "\x1bc", "\x1b[60S"]).prop_map(|text| Step::Feed(text.into())),
    ];
    prop::collection::vec(step, 1..9)
}

fn follow(steps: &[Step]) {
    let mut both = Both::new(80, 24);
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Feed(bytes) => both.feed(bytes),
            Step::Resize(columns, rows) => both.resize(*columns, *rows),
        }
        both.compare(&format!("after step {number}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn packed_or_not_the_lines_are_the_same(steps in steps(0..2500)) {
        follow(&steps);
    }
}

#[test]
fn what_is_too_old_is_forgotten_as_one_grid_would() {
    let lines = (0..10_500)
        .map(|line| format!("{line} {} \x1b[32m{}\x1b[0m\r\n", "word ".repeat(line % 23), line * 7));
    let lines: String = lines.collect();
    let resizes = [(79, 24), (60, 50), (200, 24), (30, 10), (120, 60)];
    let mut steps = vec![Step::Feed(lines.clone().into())];
    steps.extend(resizes.map(|(columns, rows)| Step::Resize(columns, rows)));
    steps.extend([Step::Feed(lines.into()), Step::Resize(80, 24)]);
    follow(&steps);
}

/// Scrolls far more with a piece of output than a piece has bytes.
#[test]
fn nothing_is_lost_however_much_scrolls_at_once() {
    let mut both = Both::new(20, 200);
    for bytes in
        [&b"first\x1b[200;1Hlast\x1b[150S\x1b[99;1Hagain"[..], &b"\x1b[200S".repeat(40), &[b'\n'; 9000]]
    {
        both.feed(bytes);
        both.compare("scrolling");
    }
    both.feed(&b"x\x1b[200S".repeat(60));
    both.compare("more than there is room for");
}

#[test]
fn the_alternate_screen_has_no_history_and_clears_none() {
    let mut shown = screen(20, 4, "line\r\n".repeat(3000).as_bytes());
    shown.feed(b"\x1b[?1049h\x1b[3J", Instant::now());
    assert_eq!((shown.history(), shown.row(-1).is_some()), (0, false));
    // The main screen's lines flow meanwhile.
    shown.resize(Size::new(3, 4));
    shown.feed(b"\x1b[?1049l", Instant::now());
    assert_eq!(shown.history(), 6000 - 3);
    assert_eq!((shown.row_text(-5997).as_str(), shown.row_text(-5996).as_str()), ("lin", "e"));
    shown.feed(b"\x1b[3J", Instant::now());
    assert_eq!(shown.history(), 0);
}

#[test]
fn a_text_that_is_longer_than_what_the_grid_keeps_flows_as_one() {
    let mut both = Both::new(80, 24);
    both.feed(&b"0123456789abcdefg".repeat(4500));
    for columns in [81, 200, 79, 80] {
        both.resize(columns, 24);
        both.compare("a long text");
    }
}

#[test]
fn of_a_text_that_is_too_long_for_that_nothing_is_lost() {
    let text = "0123456789abcdefg".repeat(20_000);
    let mut shown = screen(80, 24, text.as_bytes());
    for columns in [81, 200, 60, 80] {
        shown.resize(Size::new(columns, 24));
        assert!(shown.text_with_history().replace('\n', "") == text, "{columns}");
    }
}

/// The emulator by itself leaves blue where the rows came from.
#[test]
fn rows_that_are_used_again_are_clear() {
    let blue = b"\x1b[44m\x1b[30S\x1b[0m";
    for switch in ["", "\x1b[?1049h"] {
        let mut shown = screen(20, 4, &[blue, switch.as_bytes(), blue].concat());
        shown.resize(Size::new(40, 4));
        shown.feed(b"\x1b[?1049l\x1b[H\x1b[3J", Instant::now());
        shown.feed(&b"\x1b[4S".repeat(500), Instant::now());
        for number in -1996..4 {
            let row = shown.row(number).unwrap();
            assert!(row.cells().all(Cell::is_blank), "row {number} {}", switch.escape_debug());
        }
    }
}
