//! Keys in every form that terminals send them in, and what is no key.

use super::*;

#[test]
fn what_belongs_together_has_a_length() {
    for (bytes, expect) in [
        (&b"a"[..], Some(1)),
        (b"\x1d", Some(1)),
        ("漢x".as_bytes(), Some(3)),
        (b"\xe6\xbc", None),
        (b"\xff", Some(1)),
        (b"\x1b", None),
        (b"\x1ba", Some(2)),
        (b"\x1bOA", Some(3)),
        (b"\x1bO", None),
        (b"\x1b\x1b[A", Some(4)),
        (b"\x1b[", None),
        (b"\x1b[1;5", None),
        (b"\x1b[1;5Dx", Some(6)),
        (b"\x1b[<35;1;1Mx", Some(10)),
        (b"\x1b[M !!x", Some(6)),
        (b"\x1b[M !", None),
        (b"\x1b[1\x1b[A", Some(3)),
        (b"\x1b]", None),
        (b"\x1b]1", None),
        (b"\x1b]2;x\x07", Some(2)),
        (b"\x1b]11;rgb:0/0/0\x07x", Some(15)),
        (b"\x1b]11;rgb:0/0/0\x1b\\x", Some(16)),
        (b"\x1b]11;rgb:0/0/0\x1b", None),
    ] {
        assert_eq!(length(bytes), expect, "{}", bytes.escape_ascii());
    }
    assert!(length(&[b"\x1b[".as_slice(), &[b'1'; 100]].concat()).is_some(), "nothing waits for ever");
    assert!(length(&[b"\x1b]11;".as_slice(), &[b'1'; 100]].concat()).is_some());
}

#[test]
fn answers_are_told_from_keys_and_reports() {
    for (sequence, expect) in [
        (&b"\x1b]10;rgb:ffff/8080/0000\x1b\\"[..], Meaning::Answer(Answer::Foreground(Rgb(255, 128, 0)))),
        (b"\x1b]11;rgb:f/8/0\x07", Meaning::Answer(Answer::Background(Rgb(255, 136, 0)))),
        (b"\x1b]11;rgba:1e/1e/2e/ff\x07", Meaning::Answer(Answer::Background(Rgb(30, 30, 46)))),
        (b"\x1b]11;black\x07", Meaning::Answer(Answer::Unreadable)),
        (b"\x1b[?62;22c", Meaning::Answer(Answer::Attributes)),
        (b"\x1b[200~", Meaning::Paste),
        (b"\x1b[<35;1;1M", Meaning::Report),
        (b"\x1b[M !!", Meaning::Report),
        (b"\x1b[I", Meaning::Report),
        (b"\x1b[?997;1n", Meaning::Report),
    ] {
        assert_eq!(meaning(sequence), expect, "{}", sequence.escape_ascii());
    }
}

#[track_caller]
fn key(sequence: &[u8]) -> Key {
    match meaning(sequence) {
        Meaning::Key(key) => key,
        other => panic!("{} is {other:?}", sequence.escape_ascii()),
    }
}

#[test]
fn the_leader_is_known_in_every_form() {
    for (leader, forms) in [
        (
            "ctrl-]",
            &["\x1d", "\x1b[93;5u", "\x1b[93;69u", "\x1b[93:125;5u", "\x1b[93;5:1u", "\x1b[27;5;93~"][..],
        ),
        ("ctrl-]", &["\x1b[1098::93;5u", "\x1b[1098:1066:93;133u"]),
        ("ctrl-a", &["\x01", "\x1b[97;5u", "\x1b[27;5;97~"]),
        ("ctrl-^", &["\x1e", "\x1b[54;6u", "\x1b[54:94;6u", "\x1b[27;6;94~"]),
        ("ctrl-_", &["\x1f", "\x1b[45:95;6u"]),
        ("ctrl-@", &["\0", "\x1b[50;6u"]),
        ("ctrl-\\", &["\x1c", "\x1b[92;5u"]),
    ] {
        let leader: Leader = leader.parse().unwrap();
        for form in forms {
            assert!(key(form.as_bytes()).is(leader), "{leader} {}", form.escape_debug());
        }
    }
    for other in [
        "]",
        "\x1c",
        "\x1b[93u",
        "\x1b[93;7u",
        "\x1b[93;13u",
        "\x1b[93;3u",
        "\x1b[91;5u",
        "\x1b[A",
        "\x1b\x1d",
    ] {
        assert!(!key(other.as_bytes()).is(Leader::default()), "{}", other.escape_debug());
    }
    assert!(!key(b"\x1b[97;6u").is("ctrl-a".parse().unwrap()), "a letter with shift is another key");
}

#[test]
fn a_command_is_a_plain_sign_however_it_is_told() {
    for (sequence, expect) in [
        ("d", Some('d')),
        ("\x1b[100u", Some('d')),
        ("\x1b[100;65u", Some('d')),
        ("\x1b[47;2u", Some('?')),
        ("\x1b[47:63;2u", Some('?')),
        ("\x1b[223:63;2;63u", Some('?')),
        ("\x1b[1074::100u", Some('d')),
        ("\x1b[100;5u", None),
        ("\x04", None),
        ("\x1bd", None),
        ("\x1b[A", None),
        ("\x1b", None),
    ] {
        assert_eq!(key(sequence.as_bytes()).plain(), expect, "{}", sequence.escape_debug());
    }
    assert!(key(b"\x1b[57442;5u").is_modifier());
    assert!(!key(b"\x1b[13u").is_modifier());
}
