//! What composing the command says: the doctor tells the very warnings that a launch would print.

use std::path::Path;

use super::{Facts, Finding, Severity};
use crate::launch::bind::{Bound, main_route, secret_variables, smallest_window};
use crate::launch::command::{CommandError, Plan, Router, compose};
use crate::launch::dry_run;

const SUBJECT: &str = "launch";

/// Why the command can't be composed, or what it warns of. Messages in `told` stand elsewhere already.
pub(super) fn warnings(
    facts: &Facts,
    bound: &[Bound<'_>],
    handed_over: &[Bound<'_>],
    told: &[Finding],
) -> Vec<Finding> {
    let own_agents = match &facts.own_agents {
        Ok(own) => own.as_ref(),
        Err(error) => return vec![Finding::new(Severity::Breaks, SUBJECT, error.to_string())],
    };
    let secret_variables = secret_variables(&facts.config);
    let plan = Plan {
        claude: Path::new("claude"),
        arguments: &facts.arguments,
        agents: bound,
        own_agents,
        settings: &facts.settings,
        environment: &facts.environment,
        secret_variables: &secret_variables,
        folder: Path::new("session"),
        router: router(facts, handed_over),
    };
    match compose(&plan) {
        // The settings' own finding says why.
        Err(CommandError::Bypassed(_)) => Vec::new(),
        Err(error) => vec![Finding::new(Severity::Breaks, SUBJECT, error.to_string())],
        Ok(command) => {
            let new =
                command.warnings.into_iter().filter(|text| !told.iter().any(|one| one.message == *text));
            new.map(|text| Finding::new(Severity::Warns, SUBJECT, text)).collect()
        }
    }
}

/// `None` where a launch would start none. Only agents that are handed over have a say.
fn router(facts: &Facts, handed_over: &[Bound<'_>]) -> Option<Router> {
    let config = &facts.config;
    let main = config.main.route.is_some() || config.main.upstream.is_some();
    let needed = main || config.policy.enabled || handed_over.iter().any(|bound| bound.wire.is_some());
    needed.then(|| Router {
        main: main_route(config),
        window: smallest_window(handed_over, config),
        ..dry_run::placeholder()
    })
}
