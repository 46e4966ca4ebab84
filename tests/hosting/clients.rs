//! Several terminals at one session: slow ones, dead ones.

use rustix::process::Signal;

use crate::ground::{ECHO, Ground, until};
use crate::window::Window;

#[test]
fn a_terminal_that_is_killed_or_closed_costs_the_session_nothing() {
    let ground = Ground::new(ECHO);
    ground.begin("shop");
    let mut other = Window::attached(&ground, "shop");
    other.expect("ready");
    for round in 0..10 {
        let mut window = Window::attached(&ground, "shop");
        window.expect("ready");
        window.send(format!("{round}"));
        other.expect(&"0123456789"[..=round]);
        if round % 2 == 0 {
            window.signal(Signal::KILL);
            window.end();
        } else {
            window.close();
        }
    }
    other.send("|");
    other.expect("0123456789|");
}

#[test]
fn ten_slow_terminals_slow_nobody_and_catch_up_by_a_repaint() {
    // An emulator that isn't optimised takes its time.
    let size = if cfg!(debug_assertions) { 4_000_000 } else { 100_000_000 };
    let bulk = format!(
        "yes 'some text that fills a line of the terminal' | head -c {size}; touch \"$HOME/written\""
    );
    let script = format!(
        "stty -echo; echo ready; read -r x; {bulk}; printf '\\033[2J\\033[Hall of it'; read -r x; exit 4"
    );
    let ground = Ground::new(&script);
    ground.begin("shop");
    let mut slow: Vec<Window> = (0..10).map(|_| Window::attached(&ground, "shop")).collect();
    for slow in &mut slow {
        slow.expect("ready");
    }
    slow[0].send("\n");
    // They don't look until all is written: whoever waited for them would never be done.
    until("all of it", || ground.0.at("home/written").exists());
    for slow in &mut slow {
        // What it gets is what fits between, not all of it.
        let before = slow.bytes.len();
        slow.until("the last screen", |window| window.text().trim_end() == "all of it");
        let came = slow.bytes.len() - before;
        assert!(came < 3 * 1024 * 1024, "{came} bytes came");
    }
    slow[0].send("\n");
    for slow in &mut slow {
        assert_eq!(slow.code(), 4);
    }
}
