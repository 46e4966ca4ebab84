//! What a delegation costs beside a bare `claude -p` with the same agent, in one run: `cargo bench --bench delegation`.
//!
//! The real Claude Code (`SUBAGENTS_TEST_CLAUDE`, else the first in PATH) talks to a provider on loopback that answers at
//! once, so that what is left is the overhead. Linux only.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a table on stdout is all that this program is for"
)]

mod provider;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use provider::Provider;
use tempfile::TempDir;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Each is run so often, in turn.
const ROUNDS: usize = 10;

/// How often the memory of what runs is looked at.
const LOOK: Duration = Duration::from_millis(10);

const AGENT: &str =
    r#"{"scout": {"description": "Looks.", "prompt": "You look.", "tools": ["Read"], "model": "demo"}}"#;

/// What one run took: wall time, and the most memory (PSS, in MB) of what isn't Claude Code.
struct Run {
    time: Duration,
    memory: f64,
}

fn main() -> Fallible<()> {
    if !std::env::args().any(|argument| argument == "--bench") {
        // `cargo test --all-targets` starts benchmarks too, and figures of an unoptimised build mean nothing.
        eprintln!("measures only under `cargo bench`");
        return Ok(());
    }
    let machine = Machine::new()?;
    let (mut bare, mut delegated) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(machine.bare()?);
        delegated.push(machine.delegated()?);
    }
    let middle = |runs: &mut Vec<Run>| {
        runs.sort_by_key(|run| run.time);
        runs[runs.len() / 2].time.as_secs_f64()
    };
    let memory = delegated.iter().map(|run| run.memory).fold(0.0, f64::max);
    let (bare, delegated) = (middle(&mut bare), middle(&mut delegated));
    println!("| | claude -p | subagents delegate | ratio |\n|---|---:|---:|---:|");
    println!("| time, p50, s | {bare:.3} | {delegated:.3} | {:.2} |", delegated / bare);
    println!("\nMemory of `subagents delegate` beside its Claude Code: {memory:.1} MB at most.");
    Ok(())
}

/// A HOME whose first questions are answered, a configuration, and a provider.
struct Machine {
    folder: TempDir,
    claude: PathBuf,
    provider: Provider,
}

impl Machine {
    fn new() -> Fallible<Self> {
        let folder = TempDir::with_prefix("subagents-bench-")?;
        let claude = std::env::var_os("SUBAGENTS_TEST_CLAUDE").map_or("claude".into(), PathBuf::from);
        let provider = Provider::start()?;
        let (home, config) = (folder.path().join("home"), folder.path().join("config"));
        fs::create_dir_all(home.join(".claude"))?;
        fs::create_dir_all(config.join("agents"))?;
        fs::write(home.join(".claude.json"), r#"{"hasCompletedOnboarding": true, "theme": "dark"}"#)?;
        let url = provider.url();
        let path = which(&claude)?;
        let text = format!("[claude]\npath = \"{}\"\n[providers.p]\nbase_url = \"{url}\"\n", path.display());
        fs::write(config.join("config.toml"), text)?;
        let agent = "---\nname: scout\ndescription: Looks.\ntools: Read\nmodel: p/demo\n---\nYou look.\n";
        fs::write(config.join("agents/scout.md"), agent)?;
        Ok(Self { folder, claude: path, provider })
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let home = self.folder.path().join("home");
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home);
        command.env("SUBAGENTS_CONFIG_DIR", self.folder.path().join("config"));
        command.env("ANTHROPIC_AUTH_TOKEN", "none").env("ANTHROPIC_BASE_URL", self.provider.url());
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
        command.current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    fn bare(&self) -> Fallible<Run> {
        let mut command = self.command(&self.claude);
        command.args(["-p", "Say hello.", "--agent", "scout", "--agents", AGENT, "--strict-mcp-config"]);
        command.args(["--output-format", "stream-json", "--verbose", "--max-turns", "15"]);
        run(&mut command)
    }

    fn delegated(&self) -> Fallible<Run> {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_subagents")));
        command.args(["delegate", "scout", "Say hello.", "--quiet"]);
        run(&mut command)
    }
}

fn run(command: &mut Command) -> Fallible<Run> {
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let mut most = 0.0_f64;
    loop {
        if let Some(status) = child.try_wait()? {
            let time = begun.elapsed();
            return if status.success() {
                Ok(Run { time, memory: most })
            } else {
                Err(format!("{status}").into())
            };
        }
        most = most.max(memory(&child).unwrap_or_default());
        std::thread::sleep(LOOK);
    }
}

fn memory(child: &Child) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", child.id())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().trim_end_matches(" kB").parse::<f64>().ok().map(|kilobytes| kilobytes / 1000.0)
}

fn which(program: &Path) -> Fallible<PathBuf> {
    if program.components().count() > 1 {
        return Ok(program.to_owned());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
    found.ok_or_else(|| "there is no claude in PATH".into())
}
