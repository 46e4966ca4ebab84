//! A session in a pane of the app on a real terminal.

use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};

use crate::machine::Machine;
use crate::process::Process;
use crate::window::{SMALL, Window};
use crate::{Fallible, LARGE, spread};

/// How long the busy child is watched.
const WHILE: Duration = Duration::from_secs(10);

/// Ends each frame of the app.
const END: &[u8] = b"\x1b[?2026l";

/// One session, whose pane has the keys.
pub(crate) fn entered(machine: &Machine) -> Fallible<Window> {
    machine.begin(1)?;
    let mut window = machine.subagents(&["tui"], SMALL)?;
    enter(&mut window)?;
    Ok(window)
}

fn enter(window: &mut Window) -> Fallible<()> {
    window.send(b"\r")?;
    window.expect(b"all keys go to the session")?;
    window.drain(Duration::from_millis(500))
}

/// A child that writes on and on as fast as it can, in the pane of a large terminal: when frames come.
pub(crate) fn busy() -> Fallible<()> {
    let machine = Machine::new("while :; do cat \"$HOME/pages\"; done")?;
    fs::write(machine.at("home/pages"), (0..50).map(page).collect::<String>())?;
    machine.begin(1)?;
    let mut window = machine.subagents(&["tui"], LARGE)?;
    enter(&mut window)?;
    window.send(b"\x04")?;
    window.drain(Duration::from_secs(1))?;
    let ends = ends(&window.pieces(WHILE)?);
    let between = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    println!("\n| on a real terminal, the child as fast as it can | p50 | p99 |\n|---|---:|---:|");
    println!("| from one frame to the next | {} |", spread(between));
    let app = Process::new(window.process());
    eprintln!("the app meanwhile: {}", app.observe(&mut window, Duration::from_secs(5))?);
    Ok(())
}

/// A screen full of text in many colours, unlike the others.
pub(crate) fn page(number: u32) -> String {
    let mut page = "\x1b[H".to_owned();
    for row in 0..58 {
        for word in 0..21 {
            let colour = (number + row * 3 + word) % 8;
            // Writing to a string can't fail.
            let _ = write!(
                page,
                "\x1b[3{colour}mw{:06x} ",
                (number * 7919 + row * 104_729 + word * 1299) % 0xff_ffff
            );
        }
        page.push_str("\x1b[0m\r\n");
    }
    page
}

/// When frames ended.
fn ends(pieces: &[(Instant, Vec<u8>)]) -> Vec<Instant> {
    let mut before = Vec::new();
    let mut ends = Vec::new();
    for (at, piece) in pieces {
        let known = before.len();
        before.extend_from_slice(piece);
        let found = before.windows(END.len()).enumerate().filter(|(place, window)| {
            // One that has been counted is whole in what was there before.
            place + END.len() > known && *window == END
        });
        ends.extend(found.map(|_| *at));
        before.drain(..before.len().saturating_sub(END.len() - 1));
    }
    ends
}
