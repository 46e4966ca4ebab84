//! The command line: reads arguments, composes the parts, prints. The only place that prints.

mod agent;
mod attach;
mod budget;
mod change;
mod complete;
mod completions;
mod config;
mod delegate;
mod demo;
mod doctor;
mod editor;
mod failure;
mod host;
mod inbox;
mod info;
mod launching;
mod ledger;
mod log;
mod logs;
mod man;
mod mcp;
mod network;
mod policy;
mod print;
mod profile;
mod prompt;
mod provider;
mod resume;
mod route;
mod run;
mod sandbox;
mod serve;
mod sessions;
mod station;
mod stats;
mod stop;
mod trust;
mod tui;
mod watch;
mod which;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser, Subcommand};

pub use failure::Failure;

use crate::config::{Config, Environment, Places, Problem, load};

/// Run Claude Code's sub-agents on models of your choice, and see where every request goes.
#[derive(Debug, Parser)]
#[command(name = "subagents", version, propagate_version = true)]
struct Cli {
    /// The configuration folder.
    #[arg(long, global = true, value_name = "DIR")]
    config_dir: Option<PathBuf>,
    /// What to do; without one, on a terminal, the terminal app begins.
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The terminal app: sessions, sub-agents, routes and every request, in one place.
    Tui(tui::Tui),
    /// Launch Claude Code in this terminal, with its sub-agents on their routes.
    Run(run::Run),
    /// Show a session that runs in the background on this terminal.
    Attach(attach::Attach),
    /// The sessions that live, and how each is.
    Sessions(sessions::Sessions),
    /// End sessions, gently, then harder.
    Stop(stop::Stop),
    /// What a session that runs in the background has on its screen and above it.
    Logs(logs::Logs),
    /// Take up a session again where it ended, with what it was launched with.
    Resume(resume::Resume),
    /// One session in a process of its own, as `run --detach` starts it.
    #[command(hide = true)]
    Host(host::Host),
    /// Let one agent do a task by itself, and print only its last words.
    Delegate(delegate::Delegate),
    /// The tools for delegations on stdio, for any client of the Model Context Protocol.
    Mcp(mcp::Mcp),
    /// A program that can write in a few folders only, as delegations that only read are started.
    #[command(hide = true)]
    Sandbox(sandbox::SandboxCommand),
    /// See the whole path offline: the real Claude Code, two sub-agents on two routes, no account.
    Demo(demo::Demo),
    /// Run the router alone, with the configuration's routes.
    Serve(serve::Serve),
    /// Tell what would go wrong at the next launch, each with its fix.
    Doctor(doctor::Doctor),
    /// Sub-agents: what there is, new ones, changes, and the way from and to other programs.
    Agent(agent::Agent),
    /// Where models are served: add one, look at its models, test it.
    Provider(provider::Provider),
    /// Exact models of providers: what is known of them, who may use them, whether they work.
    Route(route::Route),
    /// How much may be used of routes, and how much was.
    Budget(budget::Budgets),
    /// Which routes a model may choose for itself.
    Policy(policy::Policy),
    /// Profiles: which agents, arguments and folder a launch takes.
    Profile(profile::Profiles),
    /// Show what a project's profile says, and let it count.
    Trust(trust::TrustCommand),
    /// The configuration's files: where they are, what is wrong with them, the last change taken back.
    Config(config::Files),
    /// What waits for you to decide, in all sessions.
    Inbox(inbox::InboxCommand),
    /// What was asked, where it went and what it cost, over all sessions.
    Stats(stats::StatsCommand),
    /// The database of sessions and requests.
    Ledger(ledger::LedgerCommand),
    /// Where everything is on this machine.
    Info(info::InfoCommand),
    /// The script by which a shell completes commands and names.
    Completions(completions::Completions),
    /// The man page.
    Man(man::ManPage),
}

/// How long threads of the runtime may take to end after the command.
const LEAVE: Duration = Duration::from_secs(1);

/// What every command starts from.
struct Context {
    environment: Environment,
    places: Places,
}

impl Context {
    /// The configuration, and what is wrong with it.
    fn config(&self) -> (Config, Vec<Problem>) {
        load(&self.places.config_dir)
    }
}

/// The folder that the person is in.
fn here() -> Result<PathBuf, Failure> {
    let gone = |error| {
        Failure::failed(format!("the folder that you are in is gone ({error}): `cd` to one that exists"))
    };
    std::env::current_dir().map_err(gone)
}

/// Reads the process's arguments and environment, and does what they say.
pub fn run() -> ExitCode {
    if let Some(code) = complete::answer() {
        return code;
    }
    let cli = Cli::parse();
    if cli.command.is_none() && !tui::can_run() {
        print::line_to_stderr(Cli::command().render_help().to_string().trim_end());
        return ExitCode::from(2);
    }
    match perform(cli) {
        Ok(code) => code,
        Err(failure) => {
            print::line_to_stderr(&format!("subagents: {failure}"));
            failure.code()
        }
    }
}

fn perform(cli: Cli) -> Result<ExitCode, Failure> {
    let environment = Environment::of_process();
    let places = Places::resolve(&environment, cli.config_dir.as_deref()).map_err(Failure::configuration)?;
    let context = Context { environment, places };
    log::begin(&context)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::failed)?;
    let done = runtime.block_on(async {
        match cli.command.unwrap_or_else(|| Command::Tui(tui::Tui::default())) {
            Command::Tui(tui) => Box::pin(tui.run(&context)).await,
            Command::Run(run) => run.run(&context).await,
            Command::Attach(attach) => attach.run(&context).await,
            Command::Sessions(sessions) => sessions.run(&context).await,
            Command::Stop(stop) => stop.run(&context).await,
            Command::Logs(logs) => logs.run(&context).await,
            Command::Resume(resume) => resume.run(&context).await,
            Command::Host(host) => host.run(&context).await,
            Command::Delegate(delegate) => Box::pin(delegate.run(&context)).await,
            Command::Mcp(mcp) => Box::pin(mcp.run(&context)).await,
            Command::Sandbox(sandbox) => Err(sandbox.run()),
            Command::Demo(demo) => demo.run(&context).await,
            Command::Serve(serve) => serve.run(&context).await,
            Command::Doctor(doctor) => doctor.run(&context).await,
            Command::Agent(agent) => agent.run(&context),
            Command::Provider(provider) => provider.run(&context).await,
            Command::Route(route) => route.run(&context).await,
            Command::Budget(budgets) => budgets.run(&context),
            Command::Policy(policy) => policy.run(&context),
            Command::Profile(profiles) => profiles.run(&context),
            Command::Trust(trust) => trust.run(&context),
            Command::Config(files) => files.run(&context),
            Command::Stats(stats) => stats.run(&context),
            Command::Ledger(ledger) => ledger.run(&context),
            Command::Inbox(inbox) => inbox.run(&context).await,
            Command::Info(info) => info.run(&context),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
        }
    });
    // A thread that reads our input reads on until the other end hangs up: nobody waits for that.
    runtime.shutdown_timeout(LEAVE);
    done
}
