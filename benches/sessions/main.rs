//! What a host and an attached terminal cost, beside tmux and beside nothing between, in one run:
//! `cargo bench --bench sessions`.
//!
//! A shell stands in Claude Code's place. The machine's own speed is in every figure, so read the ratios and not the
//! microseconds. Linux only.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a table on stdout is all that this program is for"
)]

#[path = "../support/machine.rs"]
#[expect(dead_code, reason = "the figures of the terminal app use the rest")]
mod machine;
mod subject;
#[path = "../support/window.rs"]
#[expect(dead_code, reason = "the figures of the terminal app use the rest")]
mod window;

use std::error::Error;
use std::time::{Duration, Instant};

use machine::{Machine, memory};
use subject::Kind;
use window::{SMALL, Size, Window};

pub(crate) type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Keys that are timed.
const KEYS: usize = 2000;

/// How long between two keys: whoever types isn't faster, and nobody is still busy with the last one.
const PAUSE: Duration = Duration::from_millis(3);

/// Megabytes of output that are timed.
const BULK: u32 = 100;

/// Coloured lines, more than are kept above a screen.
const LINES: u32 = 12_000;

/// What a terminal is today.
const WIDE: Size = (120, 40);

/// Hosts at once.
const HOSTS: usize = 20;

/// Each is measured so often, all in turn, and the middle one counts.
const ROUNDS: usize = 3;

fn main() -> Fallible<()> {
    if !std::env::args().any(|argument| argument == "--bench") {
        // `cargo test --all-targets` starts benchmarks too, and figures of an unoptimised build mean nothing.
        eprintln!("measures only under `cargo bench`");
        return Ok(());
    }
    println!("| figure | direct | tmux | host and attach |\n|---|---:|---:|---:|");
    let (mut middle, mut slow, mut bulk) = (Rounds::default(), Rounds::default(), Rounds::default());
    for _ in 0..ROUNDS {
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            let machine = subject::machine()?;
            let mut window = match subject::window(&machine, kind) {
                Ok(window) => window,
                Err(error) if kind == Kind::Tmux => {
                    eprintln!("tmux is left out: {error}");
                    continue;
                }
                Err(error) => return Err(error),
            };
            let times = window.echoes(KEYS, PAUSE)?;
            middle.0[at].push(micros(times[times.len() / 2]));
            slow.0[at].push(micros(times[times.len() * 99 / 100]));
            bulk.0[at].push(f64::from(BULK) / flood(&mut window)?.as_secs_f64());
        }
    }
    println!("{}", middle.row("a key's echo, p50, µs"));
    println!("{}", slow.row("a key's echo, p99, µs"));
    println!("{}", bulk.row("100 MB of output, MB/s"));
    one()?;
    many()
}

/// A host's own memory, at its start, after all that output, and with as many coloured lines as it keeps.
fn one() -> Fallible<()> {
    let (begun, plain) = grown(&subject::machine()?, SMALL)?;
    let (_, coloured) = grown(&subject::coloured()?, WIDE)?;
    println!(
        "\na host without its child: {begun:.1} MB at its start, {plain:.1} MB after 100 MB of output, \
         {coloured:.1} MB after {LINES} coloured lines at {}x{}",
        WIDE.0, WIDE.1
    );
    Ok(())
}

/// A host's memory before and after the output, in megabytes.
fn grown(machine: &Machine, size: Size) -> Fallible<(f64, f64)> {
    let mut window = subject::host(machine, size)?;
    let [host] = machine.hosts()[..] else { return Err("not one host".into()) };
    let before = memory(host)?;
    flood(&mut window)?;
    Ok((before, memory(host)?))
}

/// Many hosts at once: how long they take to begin, what they take, and what a key takes in one of them.
fn many() -> Fallible<()> {
    let machine = subject::machine()?;
    let begun = Instant::now();
    machine.begin(HOSTS)?;
    let begun = begun.elapsed();
    let hosts = machine.hosts();
    let memory = hosts.iter().map(|host| memory(*host)).sum::<Fallible<f64>>()?;
    let mut window = machine.subagents(&["attach", "s7"], SMALL)?;
    let times = window.echoes(KEYS, PAUSE)?;
    println!(
        "{} hosts at once: begun in {:.1} s, {memory:.0} MB in all, a key's echo in one of them p50 {:.0} µs, p99 {:.0} µs",
        hosts.len(),
        begun.as_secs_f64(),
        micros(times[times.len() / 2]),
        micros(times[times.len() * 99 / 100])
    );
    Ok(())
}

/// How long all that output takes until its end is seen.
fn flood(window: &mut Window) -> Fallible<Duration> {
    window.drain(Duration::from_millis(200))?;
    let begun = Instant::now();
    window.send(b"\x04")?;
    window.expect(subject::LAST)?;
    Ok(begun.elapsed())
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The rounds' figures of each kind.
#[derive(Default)]
struct Rounds([Vec<f64>; Kind::ALL.len()]);

impl Rounds {
    fn row(mut self, name: &str) -> String {
        let cells = self.0.iter_mut().map(|rounds| {
            rounds.sort_by(f64::total_cmp);
            rounds.get(rounds.len() / 2).map_or("-".to_owned(), |middle| format!("{middle:.0}"))
        });
        format!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "))
    }
}
