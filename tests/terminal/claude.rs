//! The real Claude Code on our terminal: what it asks, what it draws, what its keys do; and its bytes, replayed.

use std::fs;
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use subagents::config::Environment;
use subagents::launch::Command;
use subagents::launch::install::Installation;
use subagents::launch::pty::Patience;
use subagents::launch::screen::input::{self, Key, Modifiers, Stroke};
use subagents::launch::screen::{Event, Mouse, MouseEncoding, Screen, Shown, Size, Switches};
use tempfile::TempDir;

use super::pane::{PATIENCE, Pane, environment, run};

const COLUMNS: u16 = 100;
const ROWS: u16 = 30;

/// The real one; installed once by whoever comes first, as in the tests named `claude`.
fn claude() -> PathBuf {
    if let Some(named) = std::env::var_os("SUBAGENTS_TEST_CLAUDE") {
        return PathBuf::from(named);
    }
    let environment = Environment::of_process();
    let installation = Installation::of(&environment);
    let parent = installation.folder().parent().unwrap();
    fs::create_dir_all(parent).unwrap();
    let lock = fs::File::create(parent.join("install.lock")).unwrap();
    lock.lock().unwrap();
    let found = installation.find(&environment);
    found
        .or_else(|_| installation.install(&environment))
        .unwrap_or_else(|error| panic!("{error}"))
        .path()
        .to_owned()
}

/// A home whose first questions are answered.
fn home() -> TempDir {
    let home = TempDir::with_prefix("subagents-test-").unwrap();
    let project = home.path().join("project");
    fs::create_dir_all(&project).unwrap();
    let trusted = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    let projects = json!({project.to_str().unwrap(): trusted});
    let state: Value =
        json!({"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 2, "projects": projects});
    fs::write(home.path().join(".claude.json"), state.to_string()).unwrap();
    home
}

/// Claude Code at its prompt, with nobody upstream.
async fn at_its_prompt(home: &TempDir) -> Pane {
    let mut command = super::pane::shell("");
    command.program = claude();
    command.args = Vec::new();
    set(&mut command, "HOME", home.path().to_str().unwrap());
    set(&mut command, "LANG", "C.UTF-8");
    set(&mut command, "ANTHROPIC_BASE_URL", "http://127.0.0.1:1");
    set(&mut command, "ANTHROPIC_AUTH_TOKEN", "nobody's");
    set(&mut command, "HTTPS_PROXY", "http://127.0.0.1:1");
    set(&mut command, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    set(&mut command, "DISABLE_AUTOUPDATER", "1");
    let size = Size::new(COLUMNS, ROWS);
    let mut pane = Pane::new(&command, &environment(), &home.path().join("project"), size);
    pane.expect("❯").await;
    pane
}

fn set(command: &mut Command, name: &str, value: &str) {
    command.env_set.push((name.to_owned(), value.to_owned()));
}

fn press(pane: &mut Pane, key: Key, modifiers: Modifiers) {
    let bytes = input::key(pane.screen.modes(), Stroke::new(key, modifiers));
    pane.send(&bytes);
}

#[test]
fn p1_p7_g03_claude_code_draws_types_and_breaks_lines() {
    run(async {
        let home = home();
        let mut pane = at_its_prompt(&home).await;
        // It asks for these once it knows what the terminal can do.
        let asked =
            |screen: &Screen| screen.modes().kitty.bits() == 5 && screen.modes().mouse == Mouse::Moves;
        pane.until("its modes", asked).await;
        let modes = pane.screen.modes();
        assert_eq!((modes.shown, modes.mouse_encoding), (Shown::Alternate, MouseEncoding::Sgr));
        assert!(modes.has(Switches::BRACKETED_PASTE) && modes.has(Switches::FOCUS));
        assert!(pane.bytes().windows(8).any(|bytes| bytes == b"\x1b[?2026h"), "it draws in whole frames");
        pane.send(b"first line");
        pane.expect("first line").await;
        press(&mut pane, Key::Enter, Modifiers::SHIFT);
        pane.send("second \u{6f22}\u{5b57} \u{1f469}\u{200d}\u{1f4bb}|".as_bytes());
        pane.expect("second \u{6f22}\u{5b57}").await;
        let shown = pane.screen.text();
        assert!(shown.contains("first line\n"), "shift+enter has sent it:\n{shown}");
        let paste = input::paste(pane.screen.modes(), "pasted\r\nthings");
        pane.send(&paste);
        pane.expect("pasted").await;
        pane.expect("things").await;
        assert!(!pane.screen.take_events().contains(&Event::Restarted));
        replay(&pane);
        leave(&mut pane).await;
    });
}

#[test]
fn p2_a_resized_claude_code_fills_its_new_size() {
    run(async {
        let home = home();
        let mut pane = at_its_prompt(&home).await;
        pane.send(b"kept text");
        pane.expect("kept text").await;
        let size = Size::new(60, 20);
        pane.screen.resize(size);
        pane.terminal.resize(size).unwrap();
        let rule = |screen: &Screen| (0..20).any(|row| screen.row_text(row) == "─".repeat(60));
        pane.until("a rule across the new width", rule).await;
        pane.expect("kept text").await;
        leave(&mut pane).await;
    });
}

/// Ends it as a host does, and nothing of it is left.
async fn leave(pane: &mut Pane) {
    {
        let mut stop = std::pin::pin!(pane.child.stop(Patience::default()));
        let mut buffer = vec![0; 16 * 1024];
        let stopping = async {
            loop {
                tokio::select! {
                    stopped = &mut stop => return stopped.unwrap(),
                    count = pane.terminal.read(&mut buffer), if !buffer.is_empty() => {
                        if count.unwrap() == 0 {
                            buffer.clear();
                        }
                    }
                }
            }
        };
        tokio::time::timeout(PATIENCE, stopping).await.unwrap();
    }
    pane.child.sweep().await;
    assert_eq!(pane.child.descendants(), []);
}

/// Its bytes again: cut at every place, and in another engine.
fn replay(pane: &Pane) {
    let bytes = pane.bytes();
    let (start, size) = (Instant::now(), Size::new(COLUMNS, ROWS));
    let length = |length| NonZeroU16::new(length).unwrap();
    let mut other = vt100::Parser::new(length(ROWS), length(COLUMNS), 0);
    other.process(&bytes);
    let mut whole = Screen::new(size);
    whole.feed(&bytes, start);
    compare(&whole, other.screen());
    let expect = state(&whole);
    // A byte at a time is every cut at once; and each cut alone, where sequences may be broken in two.
    let mut single = Screen::new(size);
    bytes.chunks(1).for_each(|byte| _ = single.feed(byte, start));
    assert_eq!(state(&single), expect);
    for step in [2, 3, 5, 7, 11, 61, 1021] {
        for offset in 0..step.min(7) {
            let mut split = Screen::new(size);
            split.feed(&bytes[..offset], start);
            bytes[offset..].chunks(step).for_each(|piece| _ = split.feed(piece, start));
            assert_eq!(state(&split), expect, "{step} from {offset}");
        }
    }
    every_cut(&bytes, start, size);
    // What a terminal shows that is attached now.
    let mut attached = vt100::Parser::new(length(ROWS), length(COLUMNS), 0);
    attached.process(&whole.repaint(size));
    compare(&whole, attached.screen());
    assert_eq!(attached.screen().cursor_position(), other.screen().cursor_position());
    assert_eq!(attached.screen().alternate_screen(), other.screen().alternate_screen());
    assert_eq!(attached.screen().mouse_protocol_mode(), other.screen().mouse_protocol_mode());
}

/// A terminal that is attached at any cut and then follows shows the same.
fn every_cut(bytes: &[u8], start: Instant, size: Size) {
    let mut first = Screen::new(size);
    let mut whole = Screen::new(size);
    whole.feed(bytes, start);
    let stride = (bytes.len() / 200).max(1) | 1;
    let (mut from, mut complete) = (0, 0);
    for cut in (0..bytes.len()).step_by(stride) {
        complete += first.feed(&bytes[from..cut], start).len();
        from = cut;
        let mut attached = Screen::new(size);
        attached.feed(&[first.repaint(size), first.open_frame()].concat(), start);
        // From where the last whole sequence ended.
        attached.feed(&bytes[complete..], start);
        assert_eq!(
            (attached.text(), attached.cursor(), attached.modes()),
            (whole.text(), whole.cursor(), whole.modes()),
            "{cut}"
        );
    }
}

fn state(screen: &Screen) -> (String, Vec<u8>) {
    (screen.text_with_history(), screen.repaint(screen.size()))
}

/// Every cell's text and colours. The other engine gives joined emoji four columns, so rows with one are left out.
fn compare(ours: &Screen, theirs: &vt100::Screen) {
    let mut compared = 0;
    for row in 0..ROWS {
        let text = ours.row_text(i32::from(row));
        if text.contains('\u{200d}') || text.contains('\u{fe0f}') {
            continue;
        }
        for (column, cell) in (0..).zip(ours.row(i32::from(row)).unwrap().cells()) {
            let other = theirs.cell(row, column).unwrap();
            let shown = if other.has_contents() { other.contents() } else { " " };
            let own = cell.text();
            assert_eq!(if own.is_empty() { " " } else { &own }, shown, "{row},{column}:\n{}", ours.text());
            compared += 1;
        }
    }
    assert!(compared > usize::from(ROWS) * usize::from(COLUMNS) / 2, "{}", ours.text());
}
