//! The screen against tables, against a second emulator, and against anything at all.

use std::num::NonZeroU16;
use std::time::Duration;

use proptest::prelude::*;

use super::*;

fn screen(columns: u16, rows: u16, bytes: &[u8]) -> Screen {
    let mut screen = Screen::new(Size::new(columns, rows));
    screen.feed(bytes, Instant::now());
    screen
}

/// Another engine with the same bytes.
fn other(columns: u16, rows: u16, bytes: &[u8]) -> vt100::Parser {
    let size = |length| NonZeroU16::new(length).unwrap();
    let mut parser = vt100::Parser::new(size(rows), size(columns), 0);
    parser.process(bytes);
    parser
}

fn column_after(text: &str) -> u16 {
    screen(40, 4, text.as_bytes()).cursor().column
}

fn widths(screen: &Screen, row: i32) -> Vec<Width> {
    screen.row(row).unwrap().cells().map(Cell::width).collect()
}

fn answers(bytes: &[u8]) -> String {
    String::from_utf8(screen(80, 24, bytes).take_answers()).unwrap()
}

#[test]
fn g12_wide_characters_take_two_cells() {
    let shown = screen(10, 3, "\u{1f4c1}abcd\x1b[1;4HX".as_bytes());
    assert_eq!(shown.row_text(0), "\u{1f4c1}aXcd");
    assert_eq!(widths(&shown, 0)[..3], [Width::Wide, Width::Continuation, Width::Narrow]);
    assert_eq!(column_after("\u{1f4c1}"), 2);
    // In the last column there is no room for it.
    let wrapped = screen(5, 3, "abcd漢x".as_bytes());
    assert_eq!((wrapped.row_text(0).as_str(), wrapped.row_text(1).as_str()), ("abcd", "漢x"));
    assert_eq!(widths(&wrapped, 0)[4], Width::Filler);
    assert!(wrapped.is_wrapped(0) && !wrapped.is_wrapped(1));
    // Half of it overwritten, none of it is left.
    assert_eq!(screen(10, 3, "漢\x1b[1;2Hx".as_bytes()).row_text(0), " x");
    assert_eq!(screen(10, 3, "漢\x1b[1;1Hx".as_bytes()).row_text(0), "x");
}

#[test]
fn g13_joined_characters_take_two_cells_as_claude_code_counts() {
    for (text, columns) in [
        ("e\u{301}", 1),
        ("\u{2764}", 1),
        ("\u{2764}\u{fe0f}", 2),
        ("1\u{fe0f}\u{20e3}", 2),
        ("#\u{20e3}", 2),
        ("a\u{fe0f}", 1),
        ("\u{1f469}\u{200d}\u{1f4bb}", 2),
        ("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}", 2),
        ("\u{1f44d}\u{1f3fd}", 2),
        ("\u{270b}\u{1f3ff}", 2),
        ("\u{261d}\u{1f3fd}", 2),
        ("\u{1f3f3}\u{fe0f}\u{200d}\u{26a7}\u{fe0f}", 2),
        ("\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}", 2),
        ("\u{1f469}\u{1f3fd}\u{200d}\u{2764}\u{fe0f}\u{200d}\u{1f48b}\u{200d}\u{1f468}\u{1f3ff}", 2),
        ("\u{1f1e9}\u{1f1ea}", 2),
        ("\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}", 4),
        ("\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}", 2),
        ("\u{d55c}", 2),
        ("\u{1112}\u{1161}\u{11ab}", 2),
        ("\u{915}\u{94d}\u{937}", 2),
    ] {
        let shown = screen(40, 4, format!("{text}|").as_bytes());
        assert_eq!(shown.cursor().column, columns + 1, "{text:?}");
        assert_eq!(shown.row_text(0), format!("{text}|"), "{text:?}");
        // In the last column, too: nothing is lost, whether it wraps or not.
        for before in [7, 8, 9] {
            let line = format!("{}{text}|", "x".repeat(before));
            let narrow = screen(10, 4, line.as_bytes());
            let rows = narrow.row_text(0) + &narrow.row_text(1);
            assert_eq!(rows, line, "{before} before {text:?}");
        }
    }
}

#[test]
fn g13_a_character_is_the_same_however_its_bytes_come() {
    let text = "\u{1f469}\u{200d}\u{1f4bb}\x1b[1m\u{fe0f}|\u{1f1e9}\u{1f1ea}";
    for cut in 0..=text.len() {
        let mut shown = screen(20, 2, &text.as_bytes()[..cut]);
        shown.feed(&text.as_bytes()[cut..], Instant::now());
        assert_eq!(shown.cursor().column, 5, "{cut}");
    }
}

#[test]
fn a_place_holds_no_more_joined_characters_than_a_real_one_has() {
    let marks = "\r\u{301}".repeat(10_000);
    assert!(screen(10, 2, marks.as_bytes()).row_text(0).chars().count() < 50);
}

#[test]
fn p7_g14_questions_are_answered_in_their_order() {
    for (question, expect) in [
        ("\x1b[c", "\x1b[?62;22;52c"),
        ("\x1b[>c", "\x1b[>1;100;0c"),
        ("\x1b[5n", "\x1b[0n"),
        ("ab\r\n\x1b[6n", "\x1b[2;1R"),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b[>5u\x1b[?u\x1b[<u\x1b[?u", "\x1b[?5u\x1b[?0u"),
        ("\x1b[=3u\x1b[?u", "\x1b[?3u"),
        ("\x1b[?4m\x1b[>4;2m\x1b[?4m", "\x1b[>4;0m\x1b[>4;2m"),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?2027$p", "\x1b[?2027;3$y"),
        ("\x1b[?2031$p\x1b[?2031h\x1b[?2031$p", "\x1b[?2031;2$y\x1b[?2031;1$y"),
        ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"),
        ("\x1b[?1007$p", "\x1b[?1007;2$y"),
        ("\x1b[?4242$p", "\x1b[?4242;0$y"),
        ("\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x07"),
        ("\x1b]10;?\x1b\\", "\x1b]10;rgb:d8d8/d8d8/d8d8\x1b\\"),
        ("\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x07"),
        ("\x1b]11;#ffffff\x07\x1b]11;?\x07", "\x1b]11;rgb:ffff/ffff/ffff\x07"),
        ("\x1b[?996n", "\x1b[?997;1n"),
        ("\x1b[18t", "\x1b[8;24;80t"),
        ("\x1bP+q544e\x1b\\\x1bP$qm\x1b\\", "\x1bP0+r\x1b\\\x1bP0$r\x1b\\"),
        ("\x1b]52;c;?\x07", ""),
    ] {
        assert_eq!(answers(question.as_bytes()), expect, "{}", question.escape_debug());
    }
    let version = concat!("\x1bP>|subagents ", env!("CARGO_PKG_VERSION"), "\x1b\\");
    // As Claude Code asks at its start.
    let asked = answers(b"\x1b[>0q\x1b[?u\x1b]7501;?\x07\x1b]11;?\x07\x1b[c");
    assert_eq!(asked, format!("{version}\x1b[?0u\x1b]11;rgb:0000/0000/0000\x07\x1b[?62;22;52c"));
    assert_eq!(answers(b"\x1b[>0q\x1b[>0q"), version.repeat(2));
}

#[test]
fn g14_the_colours_are_those_of_the_terminal_that_shows_it() {
    let mut screen = Screen::new(Size::new(80, 24));
    screen.set_palette(Palette { background: Rgb(0xfd, 0xf6, 0xe3), ..Palette::default() });
    screen.feed(b"\x1b]11;?\x07\x1b[?996n", Instant::now());
    assert_eq!(screen.take_answers(), b"\x1b]11;rgb:fdfd/f6f6/e3e3\x07\x1b[?997;2n");
}

#[test]
fn p7_answers_leave_nothing_on_the_screen() {
    let shown = screen(80, 24, b"\x1b[c\x1b[>0q\x1b[?u\x1b]11;?\x07\x1b[?2026$p\x1bP+q544e\x1b\\");
    assert_eq!(shown.text().trim(), "");
}

#[test]
fn events_are_told() {
    let mut shown = screen(
        20,
        4,
        b"\x07\x07\x1b]0;first\x07\x1b]2;\xe2\x9c\xb3 Claude\x1b\\\x1b]52;c;aGVsbG8=\x07\x1b]9;look here\x07\x1b[?1049h",
    );
    let notification = Event::Notification { title: String::new(), body: "look here".to_owned() };
    let copy = Event::Copy { target: Clipboard::Clipboard, text: "hello".to_owned() };
    let expect =
        [Event::Bell, Event::Title("\u{2733} Claude".to_owned()), copy, notification, Event::ScreenSwitched];
    assert_eq!(shown.take_events(), expect);
    assert_eq!(shown.title(), "\u{2733} Claude");
    shown.feed(b"\x1bc", Instant::now());
    assert_eq!(shown.take_events(), [Event::ScreenSwitched, Event::Title(String::new())]);
    assert_eq!(shown.modes().shown, Shown::Main);
}

#[test]
fn g07_nobody_gets_arrows_for_the_wheel_unasked() {
    let asked = |bytes: &[u8]| screen(20, 4, bytes).modes().has(Switches::ALTERNATE_SCROLL);
    assert!(!asked(b"") && !asked(b"\x1b[?1049h") && !asked(b"\x1b[?1007h\x1bc"));
    assert!(asked(b"\x1b[?1007h"));
}

#[test]
fn g03_each_screens_flags_are_kept() {
    let flags = |bytes: &[u8]| screen(20, 4, bytes).modes().kitty.bits();
    for (bytes, expect) in [
        (&b"\x1b[>1u"[..], 1),
        (b"\x1b[>1u\x1b[?1049h", 0),
        (b"\x1b[>1u\x1b[?1049h\x1b[>5u", 5),
        (b"\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[?1049l", 1),
        (b"\x1b[>1u\x1b[>3u\x1b[<u", 1),
        (b"\x1b[>1u\x1b[<9u", 0),
    ] {
        assert_eq!(flags(bytes), expect, "{}", bytes.escape_ascii());
    }
}

#[test]
fn g16_half_a_frame_is_never_shown() {
    let start = Instant::now();
    let mut shown = Screen::new(Size::new(20, 4));
    shown.feed(b"old", start);
    let pieces: [&[u8]; 5] =
        [b"\x1b[?20", b"26h\x1b[2J", b"\x1b[Hne", b"w\x1b[?2026", b"l\x1b[?2026h\x1b[2J"];
    for (piece, expect) in pieces.into_iter().zip(["old", "old", "old", "old", "new"]) {
        shown.feed(piece, start);
        assert_eq!(shown.row_text(0), expect, "{}", piece.escape_ascii());
    }
    assert_eq!(shown.deadline(), Some(start + Duration::from_millis(150)));
    shown.expire(start + Duration::from_millis(149));
    assert_eq!(shown.row_text(0), "new");
    shown.expire(start + Duration::from_millis(150));
    assert_eq!((shown.row_text(0).as_str(), shown.deadline()), ("", None));
}

#[test]
fn g16_a_frame_without_end_is_bounded_in_size() {
    let start = Instant::now();
    let mut shown = Screen::new(Size::new(20, 4));
    shown.feed(b"\x1b[?2026h", start);
    (0..40).for_each(|_| _ = shown.feed(&vec![b'x'; 64 * 1024], start));
    assert_eq!(shown.deadline(), None);
}

#[test]
fn g18_what_is_visible_is_not_what_has_scrolled_away() {
    let lines: Vec<String> = (0..100).map(|line| format!("\r\nline {line}")).collect();
    let shown = screen(20, 4, lines.concat().as_bytes());
    assert_eq!(shown.text(), "line 96\nline 97\nline 98\nline 99\n");
    assert_eq!(shown.history(), 97);
    assert_eq!(shown.row_text(-1), "line 95");
    assert!(shown.text_with_history().starts_with("\nline 0\nline 1\n"));
    assert!(shown.row(-98).is_none() && shown.row(4).is_none());
}

#[test]
fn the_history_ends_at_ten_thousand_lines() {
    let lines: Vec<String> = (0..10_100).map(|line| format!("{line}\r\n")).collect();
    let shown = screen(20, 4, lines.concat().as_bytes());
    assert_eq!((shown.history(), shown.row_text(-10_000)), (10_000, "97".to_owned()));
}

#[test]
fn a_resize_reflows_the_main_screen() {
    let mut shown = screen(10, 4, "abcdefghijklmn\r\n漢字漢字漢字".as_bytes());
    assert_eq!(shown.row_text(0), "abcdefghij");
    shown.resize(Size::new(20, 4));
    assert_eq!((shown.row_text(0).as_str(), shown.row_text(1).as_str()), ("abcdefghijklmn", "漢字漢字漢字"));
    shown.resize(Size::new(5, 6));
    assert_eq!(shown.text_with_history().trim(), "abcde\nfghij\nklmn\n漢字\n漢字\n漢字");
}

#[test]
fn cells_carry_looks_and_links() {
    let shown = screen(
        20,
        2,
        b"\x1b[1;3;4:3;38;2;1;2;3;48;5;99;58:5:7ma\x1b[0m\x1b]8;id=x;https://example.invalid\x1b\\b\x1b]8;;\x1b\\c\x1b[92;7md",
    );
    let row = shown.row(0).unwrap();
    let cells: Vec<Cell<'_>> = row.cells().collect();
    let style = cells[0].style();
    assert_eq!((style.foreground, style.background), (Colour::Rgb(Rgb(1, 2, 3)), Colour::Indexed(99)));
    assert_eq!((style.underline, style.underline_colour), (Underline::Curly, Colour::Indexed(7)));
    assert!(style.attributes.contains(Attributes::BOLD) && style.attributes.contains(Attributes::ITALIC));
    let link = cells[1].link().unwrap();
    assert_eq!((link.id.as_str(), link.uri.as_str()), ("x", "https://example.invalid"));
    assert!(cells[2].link().is_none() && cells[2].style() == Style::default());
    assert_eq!(cells[3].style().foreground, Colour::Indexed(10));
    assert!(cells[3].style().attributes.contains(Attributes::INVERSE));
}

#[test]
fn a_panic_in_the_emulator_costs_one_repaint() {
    let mut shown =
        screen(20, 4, b"\x1b[?1049h\x1b[?2004h\x1b[?1003h\x1b[?1006h\x1b[>5u\x1b[?25l\x1b]0;t\x07text");
    _ = shown.take_events();
    let before = shown.modes();
    assert!(shown.contained(|_| panic!("as the emulator might")).is_none());
    assert!(shown.take_events().contains(&Event::Restarted));
    assert_eq!((shown.modes(), shown.title().as_str(), shown.text().trim()), (before, "t", ""));
    shown.feed(b"again", Instant::now());
    assert_eq!(shown.row_text(0), "again");
}

#[test]
fn g01_no_size_and_no_width_panics() {
    let texts = [
        "abcdefgh",
        "漢字漢字",
        "\u{1f469}\u{200d}\u{1f4bb}x\u{1f469}\u{200d}",
        "a\u{301}\u{fe0f}",
        "\u{1f1e9}\u{1f1ea}",
    ];
    for (columns, rows) in (0..=5).flat_map(|columns| (0..=3).map(move |rows| (columns, rows))) {
        for text in texts {
            let mut shown = screen(80, 24, text.as_bytes());
            shown.resize(Size::new(columns, rows));
            for sequence in ["", "\x1b[?7l", "\x1b[4h", "\x1b[1;99H", "\x1b[2;2r", "\x1b[?1049h"] {
                shown.feed(format!("{sequence}{}", text.repeat(3)).as_bytes(), Instant::now());
                let repaint = shown.repaint(Size::new(columns, rows));
                assert!(!repaint.is_empty());
            }
            assert!(!shown.take_events().contains(&Event::Restarted), "{columns}x{rows} {text}");
        }
    }
}

mod repaints;
mod scrollback;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn g01_any_bytes_and_any_sizes_are_survived(
        pieces in prop::collection::vec((likely_bytes(), 0u16..130, 0u16..50), 1..12)
    ) {
        let start = Instant::now();
        let mut shown = Screen::new(Size::new(80, 24));
        for (bytes, columns, rows) in pieces {
            shown.feed(&bytes, start);
            shown.resize(Size::new(columns, rows));
            shown.feed(&bytes, start);
            shown.repaint(Size::new(rows, columns));
            let cursor = shown.cursor();
            prop_assert!(cursor.column < shown.size().columns() && cursor.row < shown.size().rows());
        }
        shown.expire(start + Duration::from_secs(1));
        prop_assert!(!shown.take_events().contains(&Event::Restarted));
    }

    #[test]
    fn every_split_is_the_same_screen(bytes in likely_bytes(), cut: prop::sample::Index) {
        let start = Instant::now();
        let whole = screen(40, 10, &bytes);
        let at = cut.index(bytes.len() + 1);
        let mut split = Screen::new(Size::new(40, 10));
        split.feed(&bytes[..at], start);
        split.feed(&bytes[at..], start);
        prop_assert_eq!(split.text_with_history(), whole.text_with_history());
        prop_assert_eq!((split.cursor(), split.modes()), (whole.cursor(), whole.modes()));
        prop_assert_eq!(split.repaint(split.size()), whole.repaint(whole.size()));
    }
}

/// Sequences and characters that terminals get, whole and broken.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[ -~]{0,12}".prop_map(String::into_bytes),
        2 => "[漢字ＡＢ가각\u{301}\u{200d}\u{fe0f}\u{20e3}👩💻👍🏽❤🇩🇪]{0,8}".prop_map(String::into_bytes),
        4 => "\x1b\\[[?>=<]?[0-9]{0,4}(;[0-9]{0,3}){0,3}[@A-Za-z]".prop_map(String::into_bytes),
        2 => prop::sample::select(vec![
            "\x1b[?1049h", "\x1b[?1049l", "\x1b[?2026h", "\x1b[?2026l", "\r\n", "\n", "\t", "\x1b[?7l", "\x1b[4h",
            "\x1b7", "\x1b8", "\x1bc", "\x1bM", "\x1b[2;5r", "\x1b(0", "\x1b[?6h", "\x1b]8;;https://x.invalid\x1b\\",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        1 => "\x1b\\][0-9]{1,3};[ -~]{0,9}(\x07|\x1b\\\\)?".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..16),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}
