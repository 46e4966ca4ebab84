//! Keys, pastes and answers, whole and in pieces.

use proptest::prelude::*;

use super::*;
use crate::launch::screen::Rgb;

const LEADERS: [&str; 3] = ["\x1d", "\x1b[93;5u", "\x1b[27;5;93~"];

fn input() -> Input {
    Input::new(Leader::default())
}

fn typed(text: &str) -> Piece {
    Piece::Key(text.as_bytes().to_vec())
}

/// Neighbours that are the session's are one.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.into_iter().fold(Vec::new(), |mut joined, piece| {
        match (joined.last_mut(), piece) {
            (Some(Piece::Key(before)), Piece::Key(bytes) | Piece::Report(bytes)) => before.extend(bytes),
            (_, Piece::Report(bytes)) => joined.push(Piece::Key(bytes)),
            (_, piece) => joined.push(piece),
        }
        joined
    })
}

/// What comes of the input, whatever is held at its end included.
#[track_caller]
fn check(text: &str, expect: &[Piece]) {
    let mut whole = input();
    let pieces = [whole.feed(text.as_bytes()), whole.release()].concat();
    assert_eq!(joined(pieces), expect, "{}", text.escape_debug());
    // At every place but behind an escape, where nobody can tell.
    for cut in (1..text.len()).filter(|cut| text.as_bytes()[cut - 1] != ESCAPE) {
        let (before, after) = text.as_bytes().split_at(cut);
        let mut halves = input();
        let pieces = [halves.feed(before), halves.feed(after), halves.release()].concat();
        assert_eq!(joined(pieces), expect, "{} cut at {cut}", text.escape_debug());
    }
}

#[test]
fn what_is_typed_goes_to_the_session() {
    for text in [
        "hello",
        "é漢\u{1f4c1}",
        "\r\x03\x1b",
        "\x1b[A\x1bOB\x1b[1;5D\x1b\r\x1bb",
        "\x1b[13;2u\x1b[93u\x1b[93;7u\x1b[100;5:3u",
        "\x1b[<35;10;10M\x1b[M !!\x1b[I\x1b[O\x1b[?997;1n",
        "\x1b[\x1b]\x1bO",
        "\x1b\x1b\x1b",
    ] {
        check(text, &[typed(text)]);
    }
    check("", &[]);
}

#[test]
fn the_key_after_the_leader_is_a_command() {
    for leader in LEADERS {
        for (keys, command) in [
            ("d", Command::Detach),
            ("D", Command::Detach),
            ("s", Command::Status),
            ("?", Command::Help),
            ("\x1b[47:63;2u", Command::Help),
            ("x", Command::Unknown),
            ("漢", Command::Unknown),
            ("\r", Command::Unknown),
            ("\x1b[A", Command::Unknown),
            ("\x1bOA", Command::Unknown),
            ("\x1bd", Command::Unknown),
            ("\x1b\x1b[A", Command::Unknown),
        ] {
            let text = format!("a{leader}{keys}b");
            check(&text, &[typed("a"), Piece::Command(command), typed("b")]);
        }
        check(&format!("a{leader}\x1b"), &[typed("a"), Piece::Command(Command::Unknown)]);
        check(&format!("a{leader}"), &[typed("a")]);
    }
}

#[test]
fn the_leader_twice_is_the_sessions_own_key() {
    for leader in LEADERS {
        check(&format!("{leader}{leader}d"), &[typed(&format!("{leader}d"))]);
        check(&format!("{leader}{leader}{leader}d"), &[typed(leader), Piece::Command(Command::Detach)]);
    }
}

#[test]
fn another_leader_leads() {
    let mut input = Input::new("ctrl-b".parse().unwrap());
    assert_eq!(input.feed(b"\x1d\x02d"), [typed("\x1d"), Piece::Command(Command::Detach)]);
    assert_eq!(input.feed(b"\x1b[98;5us"), [Piece::Command(Command::Status)]);
}

#[test]
fn what_is_pasted_is_no_command() {
    for leader in LEADERS {
        let paste = format!("\x1b[200~a{leader}d\x1b[200~\x1b[201x\x1b[201~");
        check(&paste, &[typed(&paste)]);
        check(&format!("{paste}{leader}d"), &[typed(&paste), Piece::Command(Command::Detach)]);
        // The person pastes instead of a command.
        check(&format!("{leader}{paste}d"), &[typed(&format!("{paste}d"))]);
    }
    let mut input = input();
    let begun = input.feed(b"\x1b");
    let pasted = [begun, input.feed(b"[200~\x1d"), input.feed(b"d\x1b[20"), input.feed(b"1~")].concat();
    assert_eq!(joined(pasted), [typed("\x1b[200~\x1dd\x1b[201~")], "wherever it is cut");
    assert_eq!(input.feed(b"\x1dd"), [Piece::Command(Command::Detach)]);
}

#[test]
fn releases_and_repeats_of_our_keys_are_ours() {
    let press = "\x1b[93;5:1u";
    let held = "\x1b[93;5:2u\x1b[93;5:2u\x1b[93;5:3u";
    check(
        &format!("{press}{held}s\x1b[115;1:1u"),
        &[Piece::Command(Command::Status), typed("\x1b[115;1:1u")],
    );
    // Ctrl itself is let go and pressed in between, and the session hears of it as always.
    let control = "\x1b[57442;5:1u\x1b[57442;1:3u";
    check(
        &format!("{press}{held}{control}\x1b[100;1:1u\x1b[100;1:3ux"),
        &[typed(control), Piece::Command(Command::Detach), typed("x")],
    );
    // Passed on, a key is the session's with all that belongs to it.
    let twice = format!("{press}\x1b[93;5:3u{press}\x1b[93;5:2u\x1b[93;5:3u");
    check(&twice, &[typed(&format!("{press}\x1b[93;5:2u\x1b[93;5:3u"))]);
    // What was down before the leader is let go after it.
    check(&format!("{press}\x1b[97;1:3us"), &[typed("\x1b[97;1:3u"), Piece::Command(Command::Status)]);
}

#[test]
fn the_mouse_between_leader_and_command_changes_nothing() {
    for report in ["\x1b[<35;1;1M", "\x1b[M !!", "\x1b[I", "\x1b[?997;1n"] {
        check(&format!("\x1d{report}d"), &[typed(report), Piece::Command(Command::Detach)]);
    }
}

#[test]
fn g14_answers_to_our_questions_are_no_input() {
    let dark = Piece::Answer(Answer::Background(Rgb(0, 0, 0)));
    check("a\x1b]11;rgb:0000/0000/0000\x07b", &[typed("a"), dark.clone(), typed("b")]);
    check("\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?1;2c", &[dark, Piece::Answer(Answer::Attributes)]);
    check("\x1d\x1b[?62cd", &[Piece::Answer(Answer::Attributes), Piece::Command(Command::Detach)]);
}

#[test]
fn an_escape_is_passed_on_at_once_and_nothing_is_held_for_ever() {
    let mut input = input();
    assert_eq!((input.feed(b"\x1b"), input.holds()), (vec![typed("\x1b")], false));
    assert_eq!(input.feed(b"[93;5u"), [typed("[93;5u")], "a whole key is better than half of one");
    assert_eq!(input.feed(b"\x1b"), [typed("\x1b")]);
    assert_eq!(input.feed(b"a"), [typed("a")]);
    assert_eq!((input.feed(b"\x1b["), input.holds()), (vec![], true));
    assert_eq!((input.release(), input.holds()), (vec![typed("\x1b[")], false));
    assert_eq!(input.feed(b"\x1b]"), []);
    assert_eq!(input.release(), [typed("\x1b]")]);
    assert_eq!(input.feed(b"\x1d\x1b"), []);
    assert_eq!(input.release(), [Piece::Command(Command::Unknown)]);
    assert_eq!(input.feed(b"d"), [typed("d")]);
}

/// Things that a terminal sends, and broken ones.
fn sequences() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        "a",
        "\r",
        "\x1d",
        "d",
        "漢",
        "\x1b[A",
        "\x1bOA",
        "\x1b[93;5u",
        "\x1b[93;5:3u",
        "\x1b[27;5;93~",
        "\x1b[200~",
        "\x1b[201~",
        "\x1b[<0;1;1M",
        "\x1b]11;rgb:0/0/0\x07",
        "\x1b[?62c",
        "\x1bb",
        "\x1b[1",
        "\x1b]1",
    ];
    let known = proptest::sample::select(known.map(|text| text.as_bytes().to_vec()).to_vec());
    let pieces = prop_oneof![8 => known, 1 => proptest::collection::vec(any::<u8>(), 0..4)];
    proptest::collection::vec(pieces, 0..30).prop_map(|pieces| pieces.concat())
}

/// Fed in these pieces; cuts behind an escape are moved, since there nobody can tell.
fn fed(bytes: &[u8], cuts: &[prop::sample::Index]) -> Vec<Piece> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.retain(|cut| *cut == 0 || bytes[cut - 1] != ESCAPE);
    cuts.sort_unstable();
    let mut input = input();
    let mut pieces = Vec::new();
    let mut from = 0;
    for to in cuts.into_iter().chain([bytes.len()]) {
        pieces.extend(input.feed(&bytes[from..to]));
        from = to;
    }
    pieces.extend(input.release());
    joined(pieces)
}

proptest! {
    #[test]
    fn every_cut_is_the_same(bytes in sequences(), cuts: Vec<prop::sample::Index>) {
        prop_assert_eq!(fed(&bytes, &cuts), fed(&bytes, &[]));
    }

    #[test]
    fn nothing_is_lost_or_added_where_nobody_leads(bytes: Vec<u8>, ends: Vec<prop::sample::Index>) {
        let bytes: Vec<u8> = bytes.into_iter().filter(|byte| *byte != 0x1d).collect();
        prop_assume!(bytes.windows(2).all(|pair| pair != b"\x1b[" && pair != b"\x1b]"));
        let mut input = input();
        let mut cuts: Vec<usize> = ends.iter().map(|end| end.index(bytes.len() + 1)).collect();
        cuts.push(bytes.len());
        cuts.sort_unstable();
        let mut from = 0;
        let mut pieces = Vec::new();
        for to in cuts {
            pieces.extend(input.feed(&bytes[from..to]));
            from = to;
        }
        pieces.extend(input.release());
        let expect = if bytes.is_empty() { vec![] } else { vec![Piece::Key(bytes)] };
        prop_assert_eq!(joined(pieces), expect);
    }

    #[test]
    fn little_is_held(bytes in sequences()) {
        let mut input = input();
        for byte in bytes {
            input.feed(&[byte]);
            prop_assert!(input.held.len() <= 70);
        }
    }

    #[test]
    fn a_paste_is_passed_on_whole_however_it_is_cut(text: Vec<u8>, cuts: Vec<prop::sample::Index>) {
        prop_assume!(memchr::memmem::find(&text, PASTE_END).is_none());
        let bytes = [b"\x1b[200~".as_slice(), &text, PASTE_END].concat();
        let mut input = input();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.push(bytes.len());
        cuts.sort_unstable();
        let mut from = 0;
        let mut pieces = Vec::new();
        for to in cuts {
            pieces.extend(input.feed(&bytes[from..to]));
            prop_assert!(to < PASTE_END.len() || !input.holds(), "nothing of it waits");
            from = to;
        }
        prop_assert_eq!(joined(pieces), vec![Piece::Key(bytes)]);
        prop_assert_eq!(input.feed(b"\x1dd"), vec![Piece::Command(Command::Detach)]);
    }
}
