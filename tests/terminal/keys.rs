//! A child that prints back every key it gets.

use subagents::launch::screen::input::{self, Focus, Key, Modifiers, Stroke};
use subagents::launch::screen::{Screen, Shown};

use super::pane::{Pane, run};

/// `cat -v` behind a raw terminal, with modes that it switches on first.
async fn printer(modes: &str) -> Pane {
    let mut pane = Pane::sh(&format!("stty raw -echo; printf '{modes}ready\\r\\n'; exec cat -v"));
    pane.expect("ready").await;
    pane
}

/// What `cat -v` makes of the key.
fn printed(bytes: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        0x80.. => format!("M-{}", printed(&[byte - 0x80])),
        0x7f => "^?".to_owned(),
        b'\t' => "\t".to_owned(),
        0..0x20 => format!("^{}", char::from(byte + 0x40)),
        _ => char::from(*byte).to_string(),
    };
    bytes.iter().map(one).collect::<Vec<_>>().concat()
}

/// Types the keys one after the other; each must come back as these bytes.
async fn check(modes: &str, table: &[(Key, Modifiers, &str)]) {
    let mut pane = printer(modes).await;
    for (key, modifiers, expect) in table {
        let bytes = input::key(pane.screen.modes(), Stroke::new(*key, *modifiers));
        assert_eq!(bytes, expect.as_bytes(), "{modes} {key:?} {modifiers:?}");
        pane.send(&bytes);
        pane.send(b"|");
        let line = printed(expect.as_bytes()) + "|";
        // A line of its own for each key: the newline is drawn by the terminal's `^M`, so count what has come.
        let ends = |screen: &Screen| screen.text().replace('\n', "").trim_end().ends_with(&line);
        pane.until(&line, ends).await;
    }
}

#[test]
fn p1_keys_reach_the_child() {
    let (none, shift, alt, control) = (Modifiers::NONE, Modifiers::SHIFT, Modifiers::ALT, Modifiers::CONTROL);
    run(check(
        "",
        &[
            (Key::Character('a'), none, "a"),
            (Key::Character('漢'), none, "漢"),
            (Key::Enter, none, "\r"),
            (Key::Enter, shift, "\x1b\r"),
            (Key::Enter, alt, "\x1b\r"),
            (Key::Escape, none, "\x1b"),
            (Key::Character('c'), control, "\x03"),
            (Key::Up, none, "\x1b[A"),
            (Key::Left, control, "\x1b[1;5D"),
            (Key::Backspace, none, "\x7f"),
        ],
    ));
}

#[test]
fn p1_arrows_in_application_mode() {
    run(check("\\033[?1h", &[(Key::Up, Modifiers::NONE, "\x1bOA"), (Key::End, Modifiers::NONE, "\x1bOF")]));
}

#[test]
fn g03_p1_shift_enter_is_told_apart_as_claude_code_asks_for_it() {
    let (none, shift, alt) = (Modifiers::NONE, Modifiers::SHIFT, Modifiers::ALT);
    run(async {
        // As Claude Code does: kitty's flags 1 and 4, modifyOtherKeys, and both on the alternate screen.
        let claude = "\\033[?1049h\\033[>5u\\033[>4;2m";
        let table = [
            (Key::Enter, none, "\r"),
            (Key::Enter, shift, "\x1b[13;2u"),
            (Key::Enter, alt, "\x1b[13;3u"),
            (Key::Escape, none, "\x1b[27u"),
        ];
        check(claude, &table).await;
        // Taken back, it is as before.
        check("\\033[>5u\\033[<u", &[(Key::Enter, shift, "\x1b\r")]).await;
        // Without kitty's protocol, xterm's.
        check("\\033[>4;2m", &[(Key::Enter, shift, "\x1b[27;2;13~")]).await;
    });
}

#[test]
fn g05_several_lines_are_pasted_in_one_pair_of_brackets() {
    run(async {
        let mut pane = printer("\\033[?2004h").await;
        let bytes = input::paste(pane.screen.modes(), "one\r\ntwo\n\x1b[201~three");
        pane.send(&bytes);
        pane.expect("^[[200~one^Mtwo^M[201~three^[[201~").await;
        let mut pane = printer("").await;
        let bytes = input::paste(pane.screen.modes(), "one\r\ntwo");
        pane.send(&bytes);
        pane.expect("one^Mtwo").await;
    });
}

#[test]
fn focus_is_told_to_a_child_that_asked() {
    run(async {
        let mut pane = printer("\\033[?1004h").await;
        let bytes = input::focus(pane.screen.modes(), Focus::Lost);
        pane.send(&bytes);
        pane.expect("^[[O").await;
    });
}

#[test]
fn g03_the_flags_of_the_main_screen_come_back_with_it() {
    run(async {
        let mut pane = Pane::sh(
            "printf '\\033[>1u\\033[?1049h\\033[>5u'; read -r x; printf '\\033[?1049lback'; read -r x",
        );
        let alternate =
            |screen: &Screen| screen.modes().shown == Shown::Alternate && screen.modes().kitty.bits() == 5;
        pane.until("the alternate screen", alternate).await;
        pane.send(b"\n");
        pane.expect("back").await;
        assert_eq!(pane.screen.modes().kitty.bits(), 1);
    });
}
