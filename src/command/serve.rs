//! `subagents serve`: the router alone.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use super::{Context, Failure, print};
use crate::config::{Config, RouteId};
use crate::launch::Settings;
use crate::launch::agents_json::handed_over;
use crate::launch::assembly::{Assembly, Engine, Plan, bind as listen};
use crate::launch::bind::bind;
use crate::launch::session::bindings;
use crate::launch::surroundings::Surroundings;
use crate::launch::today::{Today, follow};
use crate::launch::upstream::default_upstream;
use crate::ledger::Whose;
use crate::router::Token;

/// How long requests in flight may still take after a signal.
const GRACE: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents serve --listen 127.0.0.1:4000 --token-file token.txt")]
pub(super) struct Serve {
    /// A loopback address; port 0 takes any free port.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// A file that holds the token (else `SUBAGENTS_TOKEN`, else one is made up).
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl Serve {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        if self.listen.ip() != std::net::Ipv4Addr::LOCALHOST {
            return Err(Failure::usage("--listen: the router listens on 127.0.0.1 only"));
        }
        let token = self.token(context)?;
        let (config, problems) = context.config();
        for problem in &problems {
            print::line_to_stderr(&problem.to_string());
        }
        let plan = plan(&config, context);
        let assembly = Assembly::new(&plan, &config, &context.environment).map_err(Failure::configuration)?;
        let listener = listen(self.listen.port()).await.map_err(Failure::failed)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(Failure::failed)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(Failure::failed)?;
        let base_url = Engine::base_url(listener.port(), &token);
        let passes = assembly.passes(token);
        let mut today = Today::of(&assembly.allowances, &context.places.ledger_file(), Whose::Everybody);
        if let Some(today) = &mut today {
            today.tell().await;
        }
        let engine = assembly.start(listener, passes, None);
        print::line(&json!({ "base_url": base_url }).to_string());
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            () = follow(today.as_mut()) => {}
        }
        engine.stop(GRACE).await;
        Ok(ExitCode::SUCCESS)
    }

    fn token(&self, context: &Context) -> Result<Token, Failure> {
        let given = match &self.token_file {
            Some(file) => {
                let named = |error| Failure::failed(format!("--token-file {}: {error}", file.display()));
                Some(std::fs::read_to_string(file).map_err(named)?)
            }
            None => context.environment.get("SUBAGENTS_TOKEN").map(str::to_owned),
        };
        match given {
            None => Token::random().map_err(Failure::failed),
            Some(text) => Token::new(text.trim()).ok_or_else(|| {
                Failure::usage("the token must be at least 16 characters of A-Z a-z 0-9 - . _ ~")
            }),
        }
    }
}

/// Every route that the configuration names, by its wire ids and by its own name.
fn plan(config: &Config, context: &Context) -> Plan {
    let (bound, _) = bind(config);
    let bindings = bindings(&handed_over(&bound, None), config);
    let open: Vec<RouteId> = config.routes.keys().chain(&config.policy.allowed).cloned().collect();
    // No Claude Code is launched, so its settings don't count.
    let settings = Settings::default();
    let upstream = default_upstream(config.main.upstream.as_deref(), &settings, &context.environment);
    Plan {
        default_upstream: upstream.base_url,
        bindings,
        hidden: Vec::new(),
        open_routes: open,
        policy: config.policy.clone(),
        surroundings: Surroundings::read(&settings, &context.environment),
    }
}
