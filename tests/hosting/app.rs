//! The terminal app on a real terminal, with real hosts behind it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::ground::{ECHO, Ground, until};
use crate::stage::Stage;
use crate::traffic;
use crate::window::{Kind, Window};

/// What leads in a session.
const LEADER: &str = "\x1d";

fn app(ground: &Ground, size: (u16, u16)) -> Window {
    Window::open(&ground.0.command(&["tui"]), size, Kind::Silent)
}

/// The screen Agents with one agent, and this shell script as the person's editor.
fn agents(editor: &str) -> (Ground, Window) {
    let agent = "---\nname: reviewer\ndescription: Reviews.\n---\nReview it.\n";
    let script = format!("#!/bin/sh\n{editor}\n");
    let stage = Stage::new().with("config/agents/reviewer.md", agent).with("editor", &script);
    fs::set_permissions(stage.at("editor"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = stage.at("editor").display().to_string();
    let ground = Ground::with(stage.with_variable("EDITOR", &path), ECHO);
    let mut window = app(&ground, (100, 30));
    window.expect("Nothing runs here yet");
    window.send("2");
    window.expect("Reviews.");
    (ground, window)
}

#[test]
fn from_nothing_to_a_session_that_goes_on() {
    let ground = Ground::new(ECHO);
    let mut window = Window::open(&ground.0.command(&[]), (100, 30), Kind::Silent);
    window.expect("Welcome to subagents");
    window.expect("ok Claude Code");
    window.send("n");
    window.expect("New session");
    window.expect("bin/claude");
    window.send("\r");
    window.expect("all keys go to the session");
    window.expect("ready");
    window.send("hello");
    window.expect("hello");
    window.send([LEADER, "d"].concat());
    window.expect("n new");
    window.send("q");
    assert_eq!(window.code(), 0);
    window.assert_given_back();
    assert!(window.text().contains("1 session goes on"), "{}", window.text());
    assert_eq!(ground.living().len(), 1);
}

#[test]
fn a_killed_app_costs_nothing() {
    let ground = Ground::new(ECHO);
    let live = ground.begin("shop");
    let mut window = app(&ground, (100, 30));
    window.expect("ready");
    window.send("\rfirst");
    window.expect("first");
    window.signal(Signal::KILL);
    window.end();
    assert_eq!(ground.living(), [live]);
    let mut window = app(&ground, (120, 40));
    window.expect("first");
    window.send("\rsecond");
    window.expect("firstsecond");
}

#[test]
fn the_whole_terminal_is_handed_over_and_comes_back() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    let mut window = app(&ground, (100, 30));
    window.expect("ready");
    window.send("f");
    window.until("the session alone", |window| window.row(0) == "ready");
    window.send("typed");
    window.expect("typed");
    window.send([LEADER, "d"].concat());
    window.expect("1 Sessions");
    window.expect("typed");
    window.send("q");
    assert_eq!(window.code(), 0);
    assert!(!window.text().contains("left session"), "nothing is left of it:\n{}", window.text());
    window.assert_given_back();
}

#[test]
fn signals_give_the_terminal_back() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    for signal in [Signal::TERM, Signal::HUP, Signal::QUIT] {
        let mut window = app(&ground, (80, 24));
        window.expect("ready");
        window.signal(signal);
        assert_eq!(window.code(), 0, "{signal:?}");
        window.assert_given_back();
    }
    assert_eq!(ground.living().len(), 1);
}

#[test]
fn what_is_typed_after_enter_is_for_the_new_session() {
    // Its start takes a while.
    let ground = Ground::new(&format!("sleep 1; {ECHO}"));
    ground.begin("shop");
    let mut window = app(&ground, (100, 30));
    window.expect("ready");
    window.send("n");
    window.expect("bin/claude");
    // `x` and `y` would end the session that is selected.
    window.send("\rxyq");
    window.expect("starting: what is typed goes to the session");
    window.expect("all keys go to the session");
    window.expect("xyq");
    assert_eq!(ground.living().len(), 2);
}

#[test]
fn a_session_that_is_only_looked_at_keeps_the_size_that_it_has_elsewhere() {
    let sizes = "trap 'stty size' WINCH; stty -echo; echo ready; while :; do sleep 0.01 & wait $!; done";
    let ground = Ground::new(sizes);
    ground.begin("shop");
    let mut attached = Window::attached(&ground, "shop");
    attached.expect("24 80");
    let mut window = app(&ground, (100, 30));
    window.expect("24 80");
    window.send("\r");
    attached.expect("26 68");
    window.send([LEADER, "d"].concat());
    attached.until("its own size again", |attached| attached.text().trim_end().ends_with("24 80"));
}

#[test]
fn the_end_of_the_app_is_the_end_of_the_editor_that_has_its_terminal() {
    let (ground, mut window) = agents("printf 'And more.' >> \"$1\"; echo editing; exec sleep 1000");
    window.send("e");
    window.expect("editing");
    window.signal(Signal::TERM);
    assert_eq!(window.code(), 0);
    window.assert_modes_are_back();
    until("the editor's end", || ground.processes().is_empty());
    let drafts = fs::read_dir(ground.0.at("home/.local/state/subagents/drafts")).unwrap().flatten();
    let kept: Vec<String> = drafts.filter_map(|draft| fs::read_to_string(draft.path()).ok()).collect();
    assert!(kept.iter().any(|text| text.ends_with("And more.")), "{kept:?}");
}

#[test]
fn what_a_command_that_fails_has_said_stays_until_it_is_read() {
    let (_ground, mut window) = agents("exit 3");
    for leave in ["\r", ""] {
        window.send("e");
        window.expect("editor");
        window.expect("Enter goes back to subagents.");
        window.send(leave);
        if leave.is_empty() {
            window.signal(Signal::TERM);
        } else {
            window.expect("Reviews.");
        }
    }
    assert_eq!(window.code(), 0);
    window.assert_modes_are_back();
}

#[test]
fn an_agent_of_the_project_that_changes_is_read_anew() {
    let agent = |name: &str| format!("---\nname: {name}\ndescription: Reviews.\n---\nReview it.\n");
    let stage = Stage::new().with("project/.claude/agents/reviewer.md", &agent("reviewer"));
    let ground = Ground::with(stage, ECHO);
    let mut window = app(&ground, (100, 30));
    window.expect("Welcome to subagents");
    window.send("\x1b");
    window.until("no guide", |window| !window.text().contains("Welcome"));
    window.send("2");
    window.expect("reviewer");
    fs::write(ground.0.at("project/.claude/agents/reviewer.md"), agent("critic")).unwrap();
    window.expect("critic");
}

#[test]
fn a_session_that_others_begin_and_end_is_seen() {
    let ground = Ground::new(ECHO);
    let mut window = app(&ground, (100, 30));
    window.expect("Welcome to subagents");
    window.send("\x1b");
    window.expect("Nothing runs here yet");
    ground.begin("shop");
    window.expect("shop");
    window.expect("ready");
    window.resize(60, 20);
    window.expect("ready");
    ground.0.run(&["stop", "shop"]).ok();
    window.expect("r takes it up again");
    window.send("q");
    assert_eq!(window.code(), 0);
}

#[test]
fn requests_of_a_session_in_its_own_terminal_are_counted() {
    let ground = traffic::ground();
    // Without a route there is no router in a terminal.
    let agent = "---\nname: reviewer\ndescription: Reviews.\nmodel: ollama/m\n---\nReview it.\n";
    fs::create_dir_all(ground.0.at("config/agents")).unwrap();
    fs::write(ground.0.at("config/agents/reviewer.md"), agent).unwrap();
    fs::write(ground.0.at("config/config.toml"), "[providers.ollama]\npreset = \"ollama\"\n").unwrap();
    let mut own = Window::open(&ground.0.command(&["run", "--name", "shop"]), (80, 24), Kind::Silent);
    own.expect("ready");
    let live = ground.session("shop");
    traffic::ask(&ground, &live, 2);
    let mut window = app(&ground, (100, 30));
    window.expect("shop");
    window.send("4");
    window.expect("1 session in its own terminal");
    let counts = |window: &Window, count: &str| {
        let text = window.text();
        text.lines().any(|line| line.contains("default") && line.contains(count) && !line.contains(':'))
    };
    window.until("what was asked before", |window| counts(window, " 2 "));
    traffic::ask(&ground, &live, 3);
    window.until("what is asked now", |window| counts(window, " 5 "));
}

#[test]
fn a_session_ends_once_that_is_confirmed() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    let mut window = app(&ground, (100, 30));
    window.expect("ready");
    window.send("x");
    window.expect("End the session shop?");
    window.send("n");
    window.until("no question", |window| !window.text().contains("End the session"));
    window.send("xy");
    until("its end", || ground.living().is_empty());
    window.expect("r takes it up again");
}

/// Keys, sequences and sizes at random; the same ones for the same seed.
struct Monkey(u64);

impl Monkey {
    /// Xorshift: Marsaglia, "Xorshift RNGs", 2003.
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap()
    }

    /// Columns and rows.
    fn size(&mut self) -> (u16, u16) {
        let [columns, rows] = [150, 50].map(|most| u16::try_from(1 + self.next(most)).unwrap());
        (columns, rows)
    }

    fn keys(&mut self) -> String {
        const SPECIAL: [&str; 22] = [
            "\x1b[A",
            "\x1b[B",
            "\x1b[C",
            "\x1b[D",
            "\x1b[5~",
            "\x1b[6~",
            "\x1b[H",
            "\x1b[F",
            "\r",
            "\t",
            "\x1b[Z",
            "\x7f",
            "\x1d",
            "\x1dd",
            "\x13",
            "\x05",
            "\x10",
            "\x0c",
            "\x1b[<0;20;5M",
            "\x1b[<64;70;9M",
            "\x1b[200~a\nb\x1b[201~",
            "\x1b[27u",
        ];
        match self.next(3) {
            0 => SPECIAL[self.next(SPECIAL.len())].to_owned(),
            // Never `q`: it would end too early.
            _ => char::from_u32(u32::try_from(0x20 + self.next(0x5f)).unwrap())
                .unwrap()
                .to_string()
                .replace('q', "?"),
        }
    }
}

/// How long: `SUBAGENTS_MONKEY_SECONDS`, else a few.
fn seconds() -> u64 {
    std::env::var("SUBAGENTS_MONKEY_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(5)
}

#[test]
fn no_key_breaks_it() {
    // No way to leave, and none to what gets the whole terminal: an editor would keep it, and between the two programs
    // Ctrl-S stops its output.
    let keymap = "everywhere.q = \"none\"\nagents.e = \"none\"\neditor.ctrl-e = \"none\"\nsessions.f = \"none\"\n\
                  leader.f = \"none\"\n";
    let ground = Ground::with(Stage::new().with("config/keymap.toml", keymap), ECHO);
    for name in ["shop", "blog"] {
        ground.begin(name);
    }
    let seed =
        std::env::var("SUBAGENTS_MONKEY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_260_101);
    let mut monkey = Monkey(seed);
    let mut window = app(&ground, (100, 30));
    window.expect("ready");
    let end = Instant::now() + Duration::from_secs(seconds());
    let mut pressed = Vec::new();
    while Instant::now() < end {
        let keys = monkey.keys();
        pressed.push(keys.clone());
        window.send(&keys);
        if pressed.len() % 16 == 0 {
            let drawn = window.bytes.len();
            // The size that it has already is none that anything would be drawn for.
            let before = window.vt().size();
            let before = (before.1.get(), before.0.get());
            let size = std::iter::repeat_with(|| monkey.size()).find(|size| *size != before);
            let (columns, rows) = size.unwrap();
            window.resize(columns, rows);
            window.until("a frame of that size", |window| window.bytes.len() > drawn);
        }
        let status = window.child.try_wait().unwrap();
        assert!(status.is_none(), "{status:?} after {pressed:?}:\n{}", window.text());
    }
    window.signal(Signal::TERM);
    assert_eq!(window.code(), 0, "{pressed:?}");
    window.assert_given_back();
    assert_eq!(ground.0.run(&["config", "check"]).code, 0, "{pressed:?}");
}
