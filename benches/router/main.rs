//! What the router costs, beside a direct connection, nginx and the naive way, in one run: `cargo bench`.
//!
//! Load and upstream are threads of this process, each proxy is a process of its own, and nothing leaves the
//! loopback. The machine's own speed is in every figure, so read the ratios and not the microseconds.
//! Started with `naive UPSTREAM`, this program is the naive proxy itself.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a table on stdout is all that this program is for"
)]

mod figures;
mod load;
mod naive;
mod proxies;
mod scenario;
mod upstream;

use std::error::Error;

use figures::Figures;
use proxies::Target;
use scenario::{SCENARIOS, Scenario};

pub(crate) type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Each scenario is measured so often, every target in turn, and the middle one counts.
const ROUNDS: usize = 3;

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    if let [mode, upstream] = arguments.as_slice()
        && mode == "naive"
    {
        return runtime.block_on(naive::serve(upstream));
    }
    if !arguments.iter().any(|argument| argument == "--bench") {
        // `cargo test --all-targets` starts benchmarks too, and figures of an unoptimised build mean nothing.
        eprintln!("measures only under `cargo bench`");
        return Ok(());
    }
    let upstream = upstream::start()?;
    let folder = tempfile::tempdir()?;
    let targets = proxies::start_all(upstream, folder.path())?;
    println!("{}", Figures::heading(&targets));
    for scenario in &SCENARIOS {
        println!("{}", runtime.block_on(measure(scenario, &targets))?);
    }
    let open = scenario::OPEN_STREAMS;
    let memory = runtime.block_on(memory(&targets, open))?;
    println!("{}", figures::row(&format!("memory at its peak, {open} open streams, MB"), &memory, 1));
    Ok(())
}

/// The scenario's rows of the table.
async fn measure(scenario: &Scenario, targets: &[Target]) -> Fallible<String> {
    let mut figures = Figures::new(targets.len());
    for _ in 0..ROUNDS {
        for (at, target) in targets.iter().enumerate() {
            let before = target.cpu()?;
            let times = load::run(target, scenario).await?;
            let spent = target.cpu()?.saturating_sub(before).as_secs_f64() * 1e6;
            figures.add(at, &times, spent / f64::from(scenario.total()));
        }
    }
    Ok(figures.rows(scenario.name))
}

/// The most memory that each proxy had while so many streams stood open, in MB.
async fn memory(targets: &[Target], streams: usize) -> Fallible<Vec<Option<f64>>> {
    let mut peaks = Vec::new();
    for target in targets {
        target.forget_peak();
        let open = load::hold(target, streams).await?;
        peaks.push(target.peak_megabytes()?);
        drop(open);
    }
    Ok(peaks)
}
