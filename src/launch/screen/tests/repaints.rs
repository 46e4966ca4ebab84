//! A repaint, shown by another engine.

use super::*;

/// What a repaint of these bytes makes another terminal show, and what the bytes themselves make it show.
fn both(columns: u16, rows: u16, bytes: &[u8]) -> [vt100::Parser; 2] {
    let shown = screen(columns, rows, bytes);
    [other(columns, rows, &shown.repaint(shown.size())), other(columns, rows, bytes)]
}

/// The same text, looks and cursor, cell for cell.
#[track_caller]
fn same(bytes: &[u8]) {
    let [repainted, direct] = both(30, 6, bytes);
    let (repainted, direct) = (repainted.screen(), direct.screen());
    for (row, column) in (0..6).flat_map(|row| (0..30).map(move |column| (row, column))) {
        let cells = [repainted, direct].map(|screen| screen.cell(row, column).unwrap().clone());
        let looks = cells.each_ref().map(|cell| {
            let text = if cell.has_contents() { cell.contents() } else { " " };
            let colours = (cell.fgcolor(), cell.bgcolor());
            (
                text.to_owned(),
                colours,
                cell.bold(),
                cell.italic(),
                cell.underline(),
                cell.inverse(),
                cell.is_wide(),
            )
        });
        assert_eq!(looks[0], looks[1], "{row},{column} of {}", bytes.escape_ascii());
    }
    let state = |screen: &vt100::Screen| {
        let modes = (screen.alternate_screen(), screen.application_cursor(), screen.application_keypad());
        let mouse =
            (screen.mouse_protocol_mode(), screen.mouse_protocol_encoding(), screen.bracketed_paste());
        (screen.cursor_position(), screen.hide_cursor(), modes, mouse)
    };
    assert_eq!(state(repainted), state(direct), "{}", bytes.escape_ascii());
    let pen = |screen: &vt100::Screen| (screen.fgcolor(), screen.bgcolor(), screen.bold(), screen.inverse());
    assert_eq!(pen(repainted), pen(direct), "{}", bytes.escape_ascii());
}

#[test]
fn a_repaint_shows_the_same_in_another_engine() {
    for bytes in [
        "",
        "plain text\r\nand more",
        "\x1b[31mred \x1b[1;42mbold on green\x1b[0m \x1b[38;5;200mpink\x1b[48;2;1;2;3m rgb\x1b[7m inverse",
        "\x1b[44m\x1b[2J\x1b[3;5Hblue everywhere\x1b[0m",
        "a\x1b[10Cgap\x1b[1;30Hx\x1b[4;1H\x1b[4munder\x1b[24m\x1b[3mitalic",
        "漢字\x1b[2;29H漢\x1b[3;30H漢 wide at the end",
        "e\u{301}\u{1f4c1}|\x1b[5;5H",
        "\x1b[?1049h\x1b[2;2Halternate\x1b[?25l\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1h\x1b=",
        "\x1b[?1000h",
        "scroll\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7",
        "\x1b[91mbright\x1b[107mon white",
    ] {
        same(bytes.as_bytes());
    }
}

#[test]
fn g11_the_cursor_is_put_in_its_place_last_even_if_hidden() {
    for (bytes, end) in [(&b"text\x1b[3;7H"[..], "\x1b[?25h"), (b"text\x1b[3;7H\x1b[?25l", "\x1b[?25l")] {
        let shown = screen(30, 6, bytes);
        let repaint = String::from_utf8(shown.repaint(shown.size())).unwrap();
        let (before, after) = repaint.rsplit_once('H').unwrap();
        assert!(before.ends_with("\x1b[3;7"), "{}", repaint.escape_debug());
        assert!(after.ends_with(&format!("{end}\x1b[?2026l")), "{}", repaint.escape_debug());
    }
}

/// What follows a repaint meets the same state as what follows the bytes.
#[test]
fn what_the_child_writes_next_looks_the_same() {
    for (bytes, next) in [
        ("\x1b[31;1mred", " still red"),
        ("123456789012345678901234567890", "wraps"),
        ("12345678901234567890123456789漢", "wraps after a wide one"),
        ("1234567890123456789012345678漢", "wraps after a wide one at the end"),
        ("\x1b[2;4r\x1b[4;1H", "a\r\nb\r\nc\r\nd"),
        ("\x1b[2;4r\x1b[?6h\x1b[2;2H", "a\x1b[1;1Hb\r\nc\r\nd\r\ne"),
        ("\x1b(0", "lqqk"),
        ("\x1b)0\x0e", "lqqk\x0fabc"),
        ("abc\x1b[1;1H\x1b[4h", "xyz"),
        ("\x1b[?7l\x1b[1;28H", "abcdefg"),
        ("\x1b[38;2;1", ";2;3mrest of a sequence"),
        ("\u{6f22}"[..].split_at(3).0, "\u{5b57}"),
        ("old\x1b[?2026h\x1b[2J\x1b[Hhalf", " frame\x1b[?2026l"),
    ] {
        let mut shown = screen(30, 6, bytes.as_bytes());
        let mut repainted = Screen::new(shown.size());
        repainted.feed(&[shown.repaint(shown.size()), shown.open_frame()].concat(), Instant::now());
        repainted.feed(&shown.feed(next.as_bytes(), Instant::now()), Instant::now());
        let direct = screen(30, 6, &[bytes, next].concat().into_bytes());
        assert_eq!(repainted.text(), direct.text(), "{}", bytes.escape_debug());
        assert_eq!(repainted.cursor(), direct.cursor(), "{}", bytes.escape_debug());
        assert_eq!(
            repainted.repaint(direct.size()),
            direct.repaint(direct.size()),
            "{}",
            bytes.escape_debug()
        );
    }
}

#[test]
fn links_titles_and_keyboards_are_repainted() {
    let bytes = b"\x1b]2;a title\x07\x1b]8;id=1;https://example.invalid/a;b\x1b\\link\x1b]8;;\x1b\\ no\x1b[>5u\x1b[>4;2m\
        \x1b[?2031h\x1b[?1004h\x1b[5 q";
    let shown = screen(30, 6, bytes);
    let mut again = screen(30, 6, &shown.repaint(shown.size()));
    assert_eq!(
        (again.title(), again.modes(), again.cursor()),
        (shown.title(), shown.modes(), shown.cursor())
    );
    let links = |screen: &Screen| screen.row(0).unwrap().cells().map(Cell::link).collect::<Vec<_>>();
    assert_eq!(links(&again), links(&shown));
    assert_eq!(again.take_answers(), b"");
}

#[test]
fn nothing_is_lost_of_a_character_wherever_the_bytes_are_taken_apart() {
    for before in 0..1024 {
        let bytes = [vec![b'\r'; before], "·!─ é─".as_bytes().to_vec()].concat();
        assert_eq!(screen(40, 10, &bytes).row_text(0), "·!─ é─", "{before}");
    }
}

#[test]
fn a_smaller_terminal_gets_the_part_that_fits_and_a_larger_one_no_rest() {
    let shown = screen(30, 6, "123456789漢 and on\r\n2\r\n3\r\n4\r\n5\r\n6".as_bytes());
    let small = other(10, 3, &shown.repaint(Size::new(10, 3)));
    assert_eq!(small.screen().contents(), "123456789 \n2\n3");
    assert_eq!(small.screen().cursor_position(), (2, 1));
    let mut large = other(40, 9, &b"x".repeat(360));
    large.process(&shown.repaint(Size::new(40, 9)));
    assert_eq!(large.screen().contents(), "123456789漢 and on\n2\n3\n4\n5\n6");
}

#[test]
fn g20_p4_leaving_undoes_what_a_repaint_switched_on() {
    let shown = screen(
        30,
        6,
        b"\x1b[?1049h\x1b[?25l\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[>5u\x1b[>4;2m\x1b[2;3r\x1b[?6h\
          \x1b[4h\x1b[?7l\x1b[?1h\x1b=\x1b(0\x1b[31m\x1b]8;;https://example.invalid\x1b\\",
    );
    let fresh = Screen::new(shown.size());
    let mut left = screen(30, 6, b"$ ");
    left.feed(ENTER.as_bytes(), Instant::now());
    left.feed(&shown.repaint(shown.size()), Instant::now());
    left.feed(LEAVE.as_bytes(), Instant::now());
    assert_eq!(left.modes(), fresh.modes());
    assert!(left.cursor().visible);
    // Letters again, without looks or a link.
    left.feed(b"q", Instant::now());
    assert_eq!(left.row_text(0), "$ q");
    let row = left.row(0).unwrap();
    let cell = row.cells().nth(2).unwrap();
    assert_eq!((cell.style(), cell.link()), (Style::default(), None));
    for needed in ["?1049l", "?25h", "?1000l", "?1002l", "?1003l", "?1006l", "?2004l", "?1004l", "<u"] {
        assert!(LEAVE.contains(&format!("\x1b[{needed}")), "{needed}");
    }
}

proptest! {
    #[test]
    fn a_repaint_of_anything_shows_the_same_again(bytes in likely_bytes()) {
        let mut shown = screen(40, 10, &bytes);
        shown.expire(Instant::now() + Duration::from_secs(9));
        let again = screen(40, 10, &shown.repaint(shown.size()));
        prop_assert_eq!(again.modes(), shown.modes());
        // Restoring a cursor can leave it above the region that it counts from, where no sequence reaches.
        if !shown.modes().has(Switches::ORIGIN) {
            prop_assert_eq!(again.cursor(), shown.cursor());
        }
        for row in 0..10 {
            prop_assert_eq!(visible(&again, row), visible(&shown, row));
        }
    }
}

/// What a person sees of a row. Insertions can cut wide characters in two; nothing is seen of a half.
fn visible(screen: &Screen, row: i32) -> Vec<(String, Style, Option<Link>)> {
    let row = screen.row(row).unwrap();
    let cells: Vec<Cell<'_>> = row.cells().collect();
    let text = |column: usize| match cells[column].width() {
        Width::Wide if cells.get(column + 1).is_none_or(|next| next.width() != Width::Continuation) => {
            " ".to_owned()
        }
        Width::Narrow | Width::Wide => cells[column].text(),
        Width::Continuation | Width::Filler => " ".to_owned(),
    };
    (0..cells.len()).map(|column| (text(column), cells[column].style(), cells[column].link())).collect()
}
