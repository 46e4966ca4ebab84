//! Whether the routes that a launch needs have a secret, an answer and a window.

use std::collections::BTreeMap;

use super::demand::Demand;
use super::names::is_claude_like;
use super::{Facts, Finding, Severity};
use crate::config::{Config, ProviderName, SecretError, SecretRef};
use crate::launch::bind::{Bound, smallest_window};
use crate::launch::upstream::shown;

/// Secrets that can't be read: each names who needs it, on which route, and where it was looked for.
pub(super) fn secrets(
    demands: &[Demand<'_>],
    secrets: &BTreeMap<ProviderName, Result<(), SecretError>>,
) -> Vec<Finding> {
    let finding = |demand: &Demand<'_>| {
        let error = secrets.get(&demand.provider.name)?.as_ref().err()?;
        let reference = demand.provider.auth.secret()?;
        let (owner, route) = (&demand.owner, demand.route);
        let message = format!("{owner} on route `{route}` needs the secret `{reference}`: {error}");
        let subject = format!("provider {}", demand.provider.name);
        Some(Finding::new(Severity::Breaks, subject, message).mended_by(remedy(reference)))
    };
    demands.iter().filter_map(finding).collect()
}

/// Providers, once each: who answers, and who doesn't and is missed by whom.
pub(super) fn answers(
    demands: &[Demand<'_>],
    answers: &BTreeMap<ProviderName, Result<(), String>>,
) -> Vec<Finding> {
    let finding = |(name, answer): (&ProviderName, &Result<(), String>)| {
        let mut users = demands.iter().filter(|demand| demand.provider.name == *name);
        let first = users.next()?;
        let (subject, url) = (format!("provider {name}"), &first.provider.base_url);
        let Err(reason) = answer else {
            return Some(Finding::new(Severity::Ok, subject, format!("{url} answers")));
        };
        let others = match users.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let message = format!("{url} doesn't answer, and {}{others} needs it: {reason}", first.owner);
        let remedy = format!("start it, or correct `[providers.{name}]` in config.toml");
        Some(Finding::new(Severity::Breaks, subject, message).mended_by(remedy))
    };
    answers.iter().filter_map(finding).collect()
}

/// Where the main session's requests go. Claude Code itself would say that nobody answers there.
pub(super) fn upstream(facts: &Facts) -> Option<Finding> {
    if facts.config.main.route.is_some() {
        return None;
    }
    let (url, origin) = (shown(&facts.upstream.base_url), facts.upstream.origin);
    let subject = "main session";
    Some(match &facts.upstream_answers {
        Ok(()) => Finding::new(Severity::Ok, subject, format!("{url} ({origin}) answers")),
        Err(reason) => {
            Finding::new(Severity::Warns, subject, format!("{url} ({origin}) doesn't answer: {reason}"))
                .mended_by("check the network, or set another with `[main] upstream` in config.toml")
        }
    })
}

/// Claude Code knows one window for all models that it doesn't know.
pub(super) fn windows(bound: &[Bound<'_>], config: &Config) -> Option<Finding> {
    let unknown = |bound: &&Bound<'_>| bound.wire.as_ref().is_some_and(|wire| !is_claude_like(wire.as_str()));
    let routes: Vec<_> =
        bound.iter().filter(unknown).filter_map(|bound| Some((bound, bound.agent.model.route()?))).collect();
    let window = |route| config.routes.get(route).and_then(|settings| settings.context_window);
    let Some(smallest) = smallest_window(bound, config) else {
        let (_, route) = routes.first()?;
        let message = format!("no context_window is set for `{route}`: Claude Code takes it for 1M tokens");
        let remedy = format!("say how many tokens it holds: `[routes.\"{route}\"] context_window = …`");
        return Some(Finding::new(Severity::Notes, "context window", message).mended_by(remedy));
    };
    let wider = routes.iter().filter(|(_, route)| window(route).is_none_or(|own| own > smallest));
    let names: Vec<String> = wider.map(|(bound, _)| format!("`{}`", bound.agent.name)).collect();
    if names.is_empty() {
        return None;
    }
    let message = format!(
        "Claude Code knows one window for all routes, the smallest: {} shrinks to {smallest} tokens too",
        names.join(", ")
    );
    let remedy = "launch the agents of small windows by a profile of their own";
    Some(Finding::new(Severity::Warns, "context window", message).mended_by(remedy))
}

fn remedy(reference: &SecretRef) -> String {
    match reference {
        SecretRef::Env(name) => format!("export {name}=…"),
        SecretRef::Command(_) => "run the command in a terminal: its first line must be the key".to_owned(),
        SecretRef::File(path) => format!("write the key into {}, readable by you alone", path.display()),
        SecretRef::Keyring { service, account } => {
            format!("store the key in the keyring, as `{account}` of `{service}`, or refer to another place")
        }
    }
}
