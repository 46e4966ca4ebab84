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

mod subject;
mod window;

use std::error::Error;
use std::time::{Duration, Instant};

use subject::{Kind, Machine};
use window::Window;

pub(crate) type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Keys that are timed.
const KEYS: usize = 2000;

/// How long between two keys: whoever types isn't faster, and nobody is still busy with the last one.
const PAUSE: Duration = Duration::from_millis(3);

/// Megabytes of output that are timed.
const BULK: u32 = 100;

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
            let machine = Machine::new()?;
            let mut window = match machine.window(kind) {
                Ok(window) => window,
                Err(error) if kind == Kind::Tmux => {
                    eprintln!("tmux is left out: {error}");
                    continue;
                }
                Err(error) => return Err(error),
            };
            let times = echoes(&mut window)?;
            middle.0[at].push(micros(times[times.len() / 2]));
            slow.0[at].push(micros(times[times.len() * 99 / 100]));
            bulk.0[at].push(f64::from(BULK) / flood(&mut window)?.as_secs_f64());
        }
    }
    println!("{}", middle.row("a key's echo, p50, µs"));
    println!("{}", slow.row("a key's echo, p99, µs"));
    println!("{}", bulk.row("100 MB of output, MB/s"));
    memory()?;
    many()
}

/// A host's own memory, at its start and after all that output.
fn memory() -> Fallible<()> {
    let machine = Machine::new()?;
    let mut window = machine.window(Kind::Host)?;
    let [host] = machine.hosts()[..] else { return Err("not one host".into()) };
    let before = subject::memory(host)?;
    flood(&mut window)?;
    println!(
        "\na host without its child: {before:.1} MB at its start, {:.1} MB after 100 MB of output",
        subject::memory(host)?
    );
    Ok(())
}

/// Many hosts at once: how long they take to begin, what they take, and what a key takes in one of them.
fn many() -> Fallible<()> {
    let machine = Machine::new()?;
    let begun = Instant::now();
    machine.begin(HOSTS)?;
    let begun = begun.elapsed();
    let hosts = machine.hosts();
    let memory = hosts.iter().map(|host| subject::memory(*host)).sum::<Fallible<f64>>()?;
    let mut window = machine.attach("s7")?;
    let times = echoes(&mut window)?;
    println!(
        "{} hosts at once: begun in {:.1} s, {memory:.0} MB in all, a key's echo in one of them p50 {:.0} µs, p99 {:.0} µs",
        hosts.len(),
        begun.as_secs_f64(),
        micros(times[times.len() / 2]),
        micros(times[times.len() * 99 / 100])
    );
    Ok(())
}

/// How long each key's echo takes, the fastest first.
fn echoes(window: &mut Window) -> Fallible<Vec<Duration>> {
    let mut times = Vec::with_capacity(KEYS);
    for key in 0..KEYS {
        window.drain(PAUSE)?;
        let sent = Instant::now();
        window.send(b"Z")?;
        window.expect(b"Z")?;
        times.push(sent.elapsed());
        if key % 60 == 59 {
            window.send(b"\r\n")?;
        }
    }
    times.sort();
    Ok(times)
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
