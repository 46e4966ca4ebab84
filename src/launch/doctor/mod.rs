//! What would go wrong at the next launch, each with its fix.
//!
//! [`gather`] looks at the machine once, with limits; [`examine`] judges what it saw, and is pure. Nothing here
//! mends, writes or prints, and no finding ever holds a secret's value.

mod agents;
mod claude_code;
mod composed;
mod demand;
mod finding;
mod gather;
mod limits;
mod names;
mod routes;
mod sandbox;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::agents_json::OwnAgentsError;
use super::agents_json::handed_over;
use super::arguments::Arguments;
use super::bind::bind;
use super::claude::{ClaudeError, Version};
use super::scopes::OtherAgent;
use super::settings::Settings;
use super::upstream::Upstream;
use crate::config::{Config, Environment, Problem, Profile, ProviderName, SecretError};

pub use finding::{Finding, Severity};
pub use gather::{Ground, gather};

/// All that the findings are drawn from.
#[derive(Debug)]
pub struct Facts {
    pub claude: Result<Installed, ClaudeError>,
    pub config: Config,
    /// What is wrong with the configuration folder.
    pub problems: Vec<Problem>,
    /// What the launch takes.
    pub profile: Profile,
    /// The profile's, as Claude Code reads them.
    pub arguments: Arguments,
    /// The user's own `--agents`, if the profile has one.
    pub own_agents: Result<Option<Map<String, Value>>, OwnAgentsError>,
    pub settings: Settings,
    pub environment: Environment,
    /// Whether a secret can be read, for each provider that the launch needs and that wants one.
    pub secrets: BTreeMap<ProviderName, Result<(), SecretError>>,
    /// Whether anybody answers, for each provider that the launch needs; else why not.
    pub answers: BTreeMap<ProviderName, Result<(), String>>,
    pub upstream: Upstream,
    pub upstream_answers: Result<(), String>,
    /// Agents that Claude Code finds by itself.
    pub others: Vec<OtherAgent>,
    /// This kernel can keep a delegation that only reads from writing.
    pub sandbox: bool,
}

/// The Claude Code that would be launched.
#[derive(Debug)]
pub struct Installed {
    pub path: PathBuf,
    pub version: Result<Version, ClaudeError>,
}

/// Everything worth telling, the gravest first.
pub fn examine(facts: &Facts) -> Vec<Finding> {
    let (all, refused) = bind(&facts.config);
    let bound: Vec<_> = all.into_iter().filter(|bound| facts.profile.takes(&bound.agent.name)).collect();
    let handed_over = handed_over(&bound, facts.own_agents.as_ref().ok().and_then(Option::as_ref));
    let demands = demand::demands(&facts.config, &facts.profile);
    let mut findings = vec![claude_code::installed(&facts.claude)];
    findings.extend(facts.problems.iter().chain(&facts.settings.problems).map(Finding::from));
    findings.extend(settings::bypasses(facts, !demands.is_empty()));
    findings.extend(composed::warnings(facts, &bound, &handed_over, &findings));
    findings.extend(agents::refused(&refused, &facts.config));
    findings.extend(agents::size(&bound));
    findings.extend(names::clashes(&bound, &facts.others));
    findings.extend(names::taken_for_claude(&bound, &facts.config));
    findings.extend(routes::windows(&handed_over, &facts.config));
    findings.extend(routes::secrets(&demands, &facts.secrets));
    findings.extend(routes::answers(&demands, &facts.answers));
    findings.extend(routes::upstream(facts));
    findings.extend(limits::fallbacks(&demands, &facts.config));
    findings.extend(limits::windows(&demands, &facts.config));
    let others = facts.others.iter().map(|other| other.name.as_str());
    findings.extend(limits::budgets(&facts.config, others));
    findings.extend(sandbox::in_force(&facts.config.delegation, facts.sandbox));
    findings.sort_by_key(|finding| finding.severity);
    findings
}
