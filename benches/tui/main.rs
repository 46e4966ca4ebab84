//! What the terminal app costs: a key's echo beside tmux, its frames, its CPU time and its memory, in one run:
//! `cargo bench --bench tui`.
//!
//! A shell stands in Claude Code's place, and an upstream of this process answers. The machine's own speed is in every
//! figure, so read the ratios and not the microseconds. Linux only.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a table on stdout is all that this program is for"
)]

mod frames;
#[path = "../support/machine.rs"]
#[expect(dead_code, reason = "the figures of sessions use the rest")]
mod machine;
mod pane;
mod process;
mod traffic;
#[path = "../support/window.rs"]
mod window;

use std::error::Error;
use std::time::Duration;

use machine::Machine;
use process::Process;
use window::{SMALL, Size, Window};

pub(crate) type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A large terminal.
pub(crate) const LARGE: Size = (200, 60);

/// Keys that are timed, and how long after an echo the next one comes: nobody types faster.
const KEYS: usize = 500;
const PAUSE: Duration = Duration::from_millis(12);

/// Each echo is measured so often, all in turn, and the middle one counts.
const ROUNDS: usize = 3;

/// Sessions that the app watches.
const SESSIONS: usize = 10;

/// Requests a second, in all sessions together.
const RATE: u32 = 100;

/// How long CPU time is counted.
const WHILE: Duration = Duration::from_secs(20);

fn main() -> Fallible<()> {
    if !std::env::args().any(|argument| argument == "--bench") {
        // `cargo test --all-targets` starts benchmarks too, and figures of an unoptimised build mean nothing.
        eprintln!("measures only under `cargo bench`");
        return Ok(());
    }
    echoes()?;
    frames::all()?;
    pane::busy()?;
    work()
}

/// A key's echo through a pane of the app, beside the same child within tmux and on the whole terminal.
fn echoes() -> Fallible<()> {
    let mut figures: [[Vec<f64>; 3]; 2] = Default::default();
    for _ in 0..ROUNDS {
        for (at, open) in [tmux, attach, pane::entered].into_iter().enumerate() {
            let machine = Machine::new("exec sleep 1000")?;
            let times = open(&machine)?.echoes(KEYS, PAUSE)?;
            for (figure, percent) in figures.iter_mut().zip([50, 99]) {
                figure[at].push(micros(times[times.len() * percent / 100]));
            }
        }
    }
    println!("| a key's echo | tmux | `attach` | the app's pane | to tmux |\n|---|---:|---:|---:|---:|");
    for (name, figure) in ["p50", "p99"].into_iter().zip(figures) {
        let [tmux, attach, pane] = figure.map(middle);
        println!("| {name} | {tmux:.0} µs | {attach:.0} µs | {pane:.0} µs | {:.2} |", pane / tmux);
    }
    Ok(())
}

fn tmux(machine: &Machine) -> Fallible<Window> {
    machine.tmux(SMALL)
}

fn attach(machine: &Machine) -> Fallible<Window> {
    machine.begin(1)?;
    machine.subagents(&["attach", "s0"], SMALL)
}

/// CPU time and memory with some sessions: idle, and while requests go through them.
fn work() -> Fallible<()> {
    let machine = Machine::new("exec sleep 1000")?.with_variable("ANTHROPIC_BASE_URL", traffic::upstream()?);
    machine.begin(SESSIONS)?;
    let mut window = machine.subagents(&["tui"], LARGE)?;
    // Its beginning is no work that goes on.
    window.drain(Duration::from_secs(2))?;
    let app = Process::new(window.process());
    println!("\n| the app with {SESSIONS} sessions | CPU | wake-ups a second |\n|---|---:|---:|");
    println!("| idle | {} |", app.observe(&mut window, WHILE)?);
    for (key, name) in [(b"1", "Sessions"), (b"4", "Monitor")] {
        window.send(key)?;
        let asking = traffic::begin(&machine, RATE, WHILE * 2)?;
        // So that all of it goes before it counts.
        window.drain(Duration::from_secs(3))?;
        println!("| {RATE} requests a second, on {name} | {} |", app.observe(&mut window, WHILE)?);
        let asked = asking.end()?;
        eprintln!("{asked} requests were answered");
    }
    println!("\nits memory then: {:.1} MB", machine::memory(window.process())?);
    Ok(())
}

pub(crate) fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn middle(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// `p50 and p99`, in milliseconds.
pub(crate) fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let of = |percent: usize| times.get(times.len() * percent / 100).map_or(0.0, Duration::as_secs_f64) * 1e3;
    format!("{:.2} ms | {:.2} ms", of(50), of(99))
}
