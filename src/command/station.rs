//! What `delegate` and `mcp` have in common: a session without a Claude Code of its own, in which delegations are made.

use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use uuid::Uuid;

use super::launching::{Ingredients, Taken, configuration, failure, warn};
use super::{Context, Failure};
use crate::config::RouteId;
use crate::launch::bind::bind;
use crate::launch::claude::Claude;
use crate::launch::delegation::Delegator;
use crate::launch::live;
use crate::launch::session::{Keeper, Launch};
use crate::ledger::Invocation;

/// The configuration as it is now, with all of its agents.
pub(super) struct Station {
    ingredients: Ingredients,
    reserve: Vec<RouteId>,
}

impl Station {
    /// `route` may be used besides those that the configuration names; `parallel` children run at once, else as many as the
    /// configuration says.
    pub(super) fn read(
        context: &Context,
        name: &str,
        route: Option<&RouteId>,
        parallel: Option<usize>,
    ) -> Result<Self, Failure> {
        let mut config = configuration(context);
        if let Some(route) = route
            && let Err(refusal) = config.provider_for(route)
        {
            let reason = format!("--route {route}: {refusal}. {}", refusal.remedy());
            return Err(Failure::configuration(reason));
        }
        config.delegation.parallel = parallel.unwrap_or(config.delegation.parallel);
        let claude =
            Claude::find(config.claude.path.as_deref(), &context.environment).map_err(Failure::no_claude)?;
        let living = live::living(&context.places.live_dir());
        let ingredients = Ingredients {
            taken: Taken::All,
            claude,
            words: Vec::new(),
            invocation: Invocation::default(),
            project: super::here()?,
            session: Uuid::new_v4(),
            name: live::free_name(&living, name),
            counted: false,
            config,
        };
        Ok(Self { ingredients, reserve: route.into_iter().cloned().collect() })
    }

    /// Starts the router.
    pub(super) async fn open(&self, context: &Context) -> Result<(Keeper, Arc<Delegator>), Failure> {
        let (agents, refused) = bind(&self.ingredients.config);
        for error in refused {
            super::print::line_to_stderr(&format!("subagents: left out: {error}"));
        }
        let launch =
            Launch { reserve: &self.reserve, tooling: None, ..self.ingredients.launch(&agents, context) };
        launch.alone(warn).await.map_err(failure)
    }

    /// Does something while what comes is kept, and ends the children and the router after it; `code` is how that is
    /// remembered.
    pub(super) async fn while_working<T>(
        mut keeper: Keeper,
        something: impl Future<Output = T>,
        code: impl FnOnce(&T) -> u8,
    ) -> T {
        let mut something = std::pin::pin!(something);
        let done = loop {
            tokio::select! {
                done = &mut something => break done,
                () = keeper.work() => {}
            }
        };
        keeper.end(code(&done), None).await;
        done
    }
}

/// Until somebody wants us to end.
pub(super) async fn asked_to_end() {
    let receive = |kind| signal(kind).ok();
    let (mut interrupt, mut terminate, mut hangup) =
        (receive(SignalKind::interrupt()), receive(SignalKind::terminate()), receive(SignalKind::hangup()));
    tokio::select! {
        () = one(&mut interrupt) => {}
        () = one(&mut terminate) => {}
        () = one(&mut hangup) => {}
    }
}

async fn one(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}
