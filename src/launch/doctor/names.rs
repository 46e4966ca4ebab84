//! Names that mean something else to Claude Code as well.

use super::{Finding, Severity};
use crate::config::Config;
use crate::launch::bind::Bound;
use crate::launch::scopes::{OtherAgent, Scope};

/// Claude Code's own agents (2.1.332).
const BUILT_IN: [&str; 6] =
    ["Explore", "Plan", "claude", "claude-code-guide", "general-purpose", "statusline-setup"];

/// An id that holds one of these is taken for a Claude model.
const CLAUDE_MODELS: [&str; 6] = ["claude-", "fable", "haiku", "mythos", "opus", "sonnet"];

/// F14: agents whose names are taken already, and who wins.
pub(super) fn clashes(bound: &[Bound<'_>], others: &[OtherAgent]) -> Vec<Finding> {
    let names = || bound.iter().map(|bound| bound.agent.name.as_str());
    let built_in = names().filter(|name| BUILT_IN.contains(name)).map(replaces_built_in);
    let scopes = others.iter().filter(|other| names().any(|name| name == other.name)).map(two_scopes);
    built_in.chain(scopes).collect()
}

/// Routed agents whose wire id looks like a Claude model's: their context window can't be told to Claude Code.
pub(super) fn taken_for_claude(bound: &[Bound<'_>], config: &Config) -> Vec<Finding> {
    bound.iter().filter_map(|bound| looks_like_claude(bound, config)).collect()
}

/// Whether Claude Code takes an id for a Claude model's.
pub(super) fn is_claude_like(id: &str) -> bool {
    let id = id.to_ascii_lowercase();
    CLAUDE_MODELS.iter().any(|model| id.contains(model))
}

fn replaces_built_in(name: &str) -> Finding {
    Finding::new(
        Severity::Warns,
        format!("agent {name}"),
        "Claude Code has an agent of this name; yours takes its place in every launch",
    )
    .mended_by("rename yours, unless that is what you want")
}

fn two_scopes(other: &OtherAgent) -> Finding {
    let OtherAgent { name, file, model, scope, .. } = other;
    let (place, file) = (scope.place(), file.display());
    let subject = format!("agent {name}");
    let message = match scope {
        Scope::Managed => format!("{place} hold an agent of this name (model {model}), which beats yours"),
        Scope::Project | Scope::User | Scope::Plugin => {
            format!("{place} hold an agent of this name (model {model}) too; yours beats it in this launch")
        }
    };
    Finding::new(Severity::Warns, subject, message)
        .mended_by(format!("rename one of the two; theirs is {file}"))
}

fn looks_like_claude(bound: &Bound<'_>, config: &Config) -> Option<Finding> {
    let wire = bound.wire.as_ref()?.as_str();
    let route = bound.agent.model.route()?;
    if !is_claude_like(wire) {
        return None;
    }
    let subject = format!("agent {}", bound.agent.name);
    let window = config.routes.get(route).and_then(|settings| settings.context_window);
    let (severity, lost) = match window {
        Some(window) => (Severity::Warns, format!("; the {window} tokens of its route don't count")),
        None => (Severity::Notes, String::new()),
    };
    let message =
        format!("Claude Code takes its id `{wire}` for a Claude model's, with a window of 1M tokens{lost}");
    let remedy = if is_claude_like(&route.to_string()) {
        "nothing, if the route's model has such a window; else take another model"
    } else {
        "rename the agent, so that its name holds no Claude model's"
    };
    Some(Finding::new(severity, subject, message).mended_by(remedy))
}
