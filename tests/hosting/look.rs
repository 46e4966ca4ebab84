//! What the terminal app takes from the real terminal: its colours, its mouse; and a theme's file.

use std::fs;

use crate::ground::{ECHO, Ground};
use crate::stage::Stage;
use crate::window::{Kind, Window};

const ANSWERS: &str = "\x1b]10;rgb:1111/2222/3333\x1b\\\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\";

/// What a session asks that wants to know the background, once it is told to.
const ASK: &str = "stty raw -echo; printf 'ready\\r\\n'; read -r x; printf '\\033]11;?\\033\\\\'; \
                   dd bs=1 2>/dev/null | cat -v >\"$HOME/answers\"";

fn app(ground: &Ground) -> Window {
    Window::open(&ground.0.command(&["tui"]), (100, 30), Kind::Silent)
}

fn configured(text: &str) -> Ground {
    Ground::with(Stage::new().with("config/config.toml", text), ECHO)
}

fn written(window: &Window, part: &str) -> bool {
    String::from_utf8_lossy(&window.bytes).contains(part)
}

/// The colour of the list's border, which has the keys.
fn border(window: &Window) -> vt100::Color {
    window.vt().cell(1, 0).map_or(vt100::Color::Default, vt100::Cell::fgcolor)
}

#[test]
fn the_terminals_answers_choose_the_theme_reach_the_sessions_and_are_no_keys() {
    let ground = Ground::new(ASK);
    ground.begin("shop");
    let mut window = app(&ground);
    window.until("a question", |window| written(window, "\x1b]11;?"));
    window.expect("ready");
    window.until("the dark theme", |window| border(window) == vt100::Color::Idx(6));
    // What is typed around an answer, and in it, is typed.
    window.send(["?", ANSWERS].concat());
    window.until("the light theme", |window| {
        window.text().contains("Keys") && border(window) == vt100::Color::Idx(4)
    });
    window.send("\x1b");
    window.until("no help", |window| !window.text().contains("┌ Keys"));
    window.send("\r\n");
    let told = ground.file_with("home/answers", "^[\\");
    assert!(told.contains("^[]11;rgb:fdfd/f6f6/e3e3^[\\"), "{told}");
    window.send("\x1dd");
    window.expect("n new");
    window.send("q");
    assert_eq!(window.code(), 0);
    window.assert_given_back();
}

#[test]
fn the_mouse_stays_the_terminals_where_that_is_wanted_and_clicks_are_heard_where_not() {
    let ground = configured("[tui]\nmouse = false\n");
    ground.begin("shop");
    let mut window = app(&ground);
    window.expect("ready");
    assert!(!written(&window, "\x1b[?1000h"));
    fs::write(ground.0.at("config/config.toml"), "[tui]\nmouse = true\n").unwrap();
    window.until("the mouse", |window| written(window, "\x1b[?1000h"));
    let column = window.row(0).find("3 Routes").unwrap() + 1;
    window.send(format!("\x1b[<0;{column};1M\x1b[<0;{column};1m"));
    window.expect("No provider yet");
    window.send("q");
    assert_eq!(window.code(), 0);
    window.assert_given_back();
}

#[test]
fn a_theme_is_read_again_when_its_file_changes_and_one_that_is_broken_is_no_end() {
    let ground = configured("[tui]\ntheme = \"mine\"\n");
    ground.begin("shop");
    let mut window = app(&ground);
    window.expect("ready");
    // There is no folder of themes yet.
    assert_eq!(border(&window), vt100::Color::Idx(6));
    let write = |colour: &str| {
        fs::create_dir_all(ground.0.at("config/themes")).unwrap();
        let text = format!("inherits = \"dark\"\n[focus]\nfg = {colour}\n");
        fs::write(ground.0.at("config/themes/mine.toml"), text).unwrap();
    };
    for (colour, expect) in [("\"red\"", 1), ("\"green\"", 2), ("\"nothing\"", 6), ("213", 213)] {
        write(colour);
        window.until(colour, |window| border(window) == vt100::Color::Idx(expect));
    }
    window.send("q");
    assert_eq!(window.code(), 0);
}
