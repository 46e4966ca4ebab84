//! The real Claude Code in the terminal app.

use std::fs;
use std::time::{Duration, Instant};

use super::launch::PATIENCE;
use super::picture::svg;
use super::reply::{Script, agent, agent_on, bash};
use super::stage::Stage;
use super::terminal::Terminal;
use super::upstream::{DOWN, Upstream};

/// The terminal's size: as wide as the app is drawn best.
const SIZE: (u16, u16) = (120, 40);

/// What leads in a session, and leaves it.
const LEAVE: &str = "\x1dd";

fn app(stage: &Stage, main: &Upstream) -> Terminal {
    Terminal::sized(&stage.subagents(main, &["tui"]), SIZE)
}

/// Goes on until it is so.
#[track_caller]
fn until(terminal: &mut Terminal, what: &str, is_so: impl Fn(&Terminal) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so(terminal) {
        assert!(Instant::now() < deadline, "not {what}:\n{}", terminal.text());
        terminal.read(Duration::from_millis(20));
    }
}

/// From the form of a session with one agent to its first prompt, in the mode that asks.
#[track_caller]
fn launch_and_ask(terminal: &mut Terminal) {
    terminal.keys("\t\t\t\t\t\x1b[C");
    terminal.expect("< default >");
    terminal.expect("--agents");
    terminal.keys("\r");
    terminal.expect("all keys go to the session");
    terminal.expect("❯");
    terminal.ponder();
    terminal.keys("Please use it.");
    terminal.expect("Please use it.");
    terminal.keys("\r");
}

/// Whether the route of the agent has had its one request.
fn is_counted(terminal: &Terminal) -> bool {
    let text = terminal.text();
    let row = text.lines().find(|line| line.contains("local/small")).unwrap_or_default();
    row.split_whitespace().any(|word| word == "1")
}

fn is_idle(terminal: &Terminal) -> bool {
    terminal.text().contains(" idle ")
}

/// Says something in the session that has the keys, until the main session's upstream has been asked.
#[track_caller]
fn say(terminal: &mut Terminal, main: &Upstream, text: &str) {
    terminal.ponder();
    terminal.keys(text);
    terminal.expect(text);
    terminal.keys("\r");
    until(terminal, "asked", |_| main.questions().iter().any(|question| question.holds(text)));
}

/// Ends what a test has left.
struct Sessions<'a>(&'a Stage, &'a Upstream);

impl Drop for Sessions<'_> {
    fn drop(&mut self) {
        self.0.subagents(self.1, &["stop", "--all"]).start().wait().ok();
    }
}

#[test]
fn dialogs_of_three_sessions_are_answered_from_the_inbox() {
    let main = Upstream::start(Script::main([vec![bash("echo done >> made")]]));
    let stage = Stage::new();
    stage.config("");
    let _sessions = Sessions(&stage, &main);
    for name in ["red", "green", "blue"] {
        let words =
            ["run", "--detach", "--name", name, "--", "--permission-mode", "default", "Please do it."];
        stage.subagents(&main, &words).run().expect_code(0);
    }
    let mut terminal = app(&stage, &main);
    terminal.expect("3 wait");
    terminal.keys("i");
    terminal.expect("echo done >> made");
    terminal.keys("a");
    terminal.expect("2 wait");
    terminal.keys("aa");
    terminal.expect("Nothing waits for you");
    let made = stage.project().join("made");
    until(&mut terminal, "done three times", |_| {
        fs::read_to_string(&made).unwrap_or_default() == "done\n".repeat(3)
    });
    terminal.keys("\x1b");
    until(&mut terminal, "idle", |terminal| terminal.text().matches(" idle ").count() == 3);
    terminal.keys("q");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn a_session_is_launched_worked_in_and_counted() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let local = Upstream::start(Script::talker("local"));
    let stage = Stage::new();
    stage.providers(DOWN, &local.url()).agent("reviewer", "local/small");
    let _sessions = Sessions(&stage, &main);
    let mut terminal = app(&stage, &main);
    terminal.expect("n starts one");
    terminal.keys("n");
    terminal.expect("[x] reviewer");
    launch_and_ask(&mut terminal);
    terminal.keys(LEAVE);
    until(&mut terminal, "counted", is_counted);
    until(&mut terminal, "idle", is_idle);
    assert_eq!(local.questions().len(), 1);
    terminal.keys("q");
    let (code, text) = terminal.end();
    assert_eq!(code, 0);
    assert!(text.contains("1 session goes on"), "{text}");
}

#[test]
fn the_whole_terminal_is_handed_over_and_back() {
    let main = Upstream::start(Script::talker("upstream"));
    let stage = Stage::new();
    stage.config("");
    let _sessions = Sessions(&stage, &main);
    stage
        .subagents(&main, &["run", "--detach", "--name", "blue", "--", "Please do it."])
        .run()
        .expect_code(0);
    let mut terminal = app(&stage, &main);
    until(&mut terminal, "idle", is_idle);
    terminal.keys("f");
    until(&mut terminal, "the session alone", |terminal| {
        let text = terminal.text();
        text.contains('❯') && !text.contains("1 Sessions")
    });
    say(&mut terminal, &main, "Said on the whole terminal.");
    terminal.keys(LEAVE);
    terminal.expect("1 Sessions");
    terminal.expect("Said on the whole terminal.");
    until(&mut terminal, "idle", is_idle);
    terminal.keys("\r");
    terminal.expect("all keys go to the session");
    say(&mut terminal, &main, "Said in the pane.");
    terminal.keys(LEAVE);
    until(&mut terminal, "idle", is_idle);
    terminal.keys("q");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn a_killed_app_loses_nothing() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let local = Upstream::start(Script::talker("local"));
    let stage = Stage::new();
    stage.providers(DOWN, &local.url()).agent("reviewer", "local/small");
    let _sessions = Sessions(&stage, &main);
    let mut terminal = app(&stage, &main);
    terminal.expect("n starts one");
    terminal.keys("n");
    terminal.expect("[x] reviewer");
    launch_and_ask(&mut terminal);
    until(&mut terminal, "asked", |_| {
        main.questions().iter().any(|question| question.holds("Please use it."))
    });
    // In the middle of its work.
    terminal.kill();
    let mut terminal = app(&stage, &main);
    terminal.expect("Please use it.");
    until(&mut terminal, "counted", is_counted);
    until(&mut terminal, "idle", is_idle);
    assert_eq!(local.questions().len(), 1);
    terminal.keys("\r");
    terminal.expect("all keys go to the session");
    say(&mut terminal, &main, "And once more.");
    terminal.keys(LEAVE);
    until(&mut terminal, "idle", is_idle);
    terminal.keys("q");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn an_agent_is_edited_a_route_authorised_and_a_stray_refused() {
    let main = Upstream::start(Script::main([vec![agent_on("reviewer", "opus")]]));
    let stage = Stage::new();
    stage.providers(DOWN, DOWN).agent("reviewer", "local/small");
    let _sessions = Sessions(&stage, &main);
    let mut terminal = app(&stage, &main);
    terminal.expect("n starts one");
    // The description is the second field.
    terminal.keys("2");
    terminal.expect("Does reviewer.");
    terminal.keys("\r");
    terminal.expect("You are reviewer.");
    terminal.keys("\t");
    terminal.expect("▌description");
    terminal.keys("\x1b[F Thoroughly.");
    terminal.expect("Does reviewer. Thoroughly.");
    terminal.keys("\x13");
    terminal.expect("+ description: Does reviewer. Thoroughly.");
    terminal.keys("\r");
    until(&mut terminal, "saved", |_| {
        let file = fs::read_to_string(stage.config_dir().join("agents/reviewer.md")).unwrap();
        file.contains("description: Does reviewer. Thoroughly.\n")
    });
    terminal.keys("\x1b");
    terminal.expect("descriptions: about");
    // The routes: the provider `local`, and its route below it.
    terminal.keys("3");
    terminal.expect("small");
    terminal.keys("/small\r");
    terminal.expect("/small");
    terminal.keys(" s");
    terminal.expect("+ allowed: local/small");
    terminal.keys("y");
    until(&mut terminal, "authorised", |_| {
        fs::read_to_string(stage.config_dir().join("config.toml")).unwrap().contains("local/small")
    });
    terminal.keys("1n");
    terminal.expect("[x] reviewer");
    terminal.expect("Thoroughly");
    launch_and_ask(&mut terminal);
    terminal.expect("strays: 1 refused");
    terminal.keys(LEAVE);
    until(&mut terminal, "idle", is_idle);
    let told = main.questions();
    assert!(told.iter().any(|question| question.holds("Does reviewer. Thoroughly.")), "{told:?}");
    terminal.keys("q");
    assert_eq!(terminal.end().0, 0);
}

/// Not a test: makes the pictures of `docs/tour.md` from the app as it is.
#[test]
#[ignore = "writes docs/pictures"]
fn pictures() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")], vec![bash("cargo test --workspace")]]));
    let local = Upstream::start(Script::talker("local"));
    let stage = Stage::new();
    stage.providers(DOWN, &local.url());
    stage.config_more(
        "[routes.\"local/qwen3-coder:30b\"]\ncontext_window = 32768\nprice = { input = 0.0, output = 0.0 }\n\
         [routes.\"glm/glm-5\"]\nprice = { input = 1.0, output = 3.2 }\n\
         [policy]\nenabled = true\nallowed = [\"glm/glm-5\"]\n",
    );
    // Where somebody could have it.
    let claude = stage.home().join("claude");
    std::os::unix::fs::symlink(stage.claude(), &claude).unwrap();
    let config = stage.config_dir().join("config.toml");
    let text = fs::read_to_string(&config).unwrap();
    let text = text.replace(stage.claude().to_str().unwrap(), claude.to_str().unwrap());
    fs::write(&config, text).unwrap();
    stage
        .agent("reviewer", "local/qwen3-coder:30b")
        .agent("docs-writer", "glm/glm-5")
        .agent("planner", "opus");
    let _sessions = Sessions(&stage, &main);
    for name in ["api-fix", "docs"] {
        let words =
            ["run", "--detach", "--name", name, "--", "--permission-mode", "default", "Please review it."];
        stage.subagents(&main, &words).run().expect_code(0);
    }
    let mut terminal = app(&stage, &main);
    terminal.expect("2 wait");
    terminal.ponder();
    picture(
        &stage,
        &terminal,
        "sessions",
        "the terminal app: sessions, and the selected one live beside them",
    );
    for (keys, expect, name, title) in [
        ("n", "--agents", "launch", "the form for a new session"),
        ("\x1b", "n new", "", ""),
        ("i", "cargo test --workspace", "inbox", "the inbox: what waits in all sessions"),
        ("\x1b", "n new", "", ""),
        ("2", "reviewer", "agents", "the screen of sub-agents"),
        ("3", "glm-5", "routes", "the screen of routes"),
        ("4", "local/qwen3-coder", "monitor", "the monitor of requests"),
        ("5", "2026", "history", "the history of what was used"),
    ] {
        terminal.keys(keys);
        terminal.expect(expect);
        terminal.ponder();
        if !name.is_empty() {
            picture(&stage, &terminal, name, title);
        }
    }
    // A list of themes, each of which is shown while it is selected.
    terminal.keys("2T");
    for (theme, keys, title) in
        [("dusk", "jjjj", "the choice of a theme, with the theme dusk"), ("paper", "j", "the theme paper")]
    {
        terminal.keys(keys);
        terminal.ponder();
        picture(&stage, &terminal, &format!("theme-{theme}"), title);
    }
}

fn picture(stage: &Stage, terminal: &Terminal, name: &str, title: &str) {
    let project = stage.project().display().to_string();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
    fs::create_dir_all(&folder).unwrap();
    // A folder that could be somebody's, as long as the real one.
    let shown = format!("{:<1$}", "~/src/shop", project.len());
    let root = stage.home().parent().unwrap().display().to_string();
    let other = format!("/home/someone/{:x<1$}", "machine", root.len() - "/home/someone/".len());
    let svg = svg(terminal.screen(), title).replace(&project, &shown).replace(&root, &other);
    fs::write(folder.join(format!("{name}.svg")), svg).unwrap();
}
