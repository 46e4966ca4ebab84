//! Looks at the machine for the doctor: what is there, what can be read, who answers.
//!
//! Each look has a limit. Secrets are read one after the other, because a command may ask a person for a
//! passphrase, and are dropped at once.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use tokio::task::JoinSet;

use super::demand::{Demand, demands};
use super::{Facts, Installed};
use crate::config::secret::resolve;
use crate::config::{Config, Environment, Problem, Profile, ProviderName, SecretError};
use crate::launch::agents_json::read_own;
use crate::launch::arguments::Arguments;
use crate::launch::claude::{Claude, ClaudeError};
use crate::launch::delegation::sandbox;
use crate::launch::scopes::others;
use crate::launch::settings::{Places, Settings};
use crate::launch::surroundings::Surroundings;
use crate::launch::upstream::default_upstream;
use crate::router::{Limits, Shared, Trust, Upstream};

/// For Claude Code's `--version`.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// For a connection to a provider, TLS included.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// What is looked at.
pub struct Ground<'a> {
    pub environment: &'a Environment,
    pub profile: &'a Profile,
    /// The folder that Claude Code would start in.
    pub project: &'a Path,
}

/// Looks at everything that [`super::examine`] judges. Takes seconds; a secret's command up to 30 of them.
pub async fn gather(ground: &Ground<'_>, config: Config, problems: Vec<Problem>) -> Facts {
    let Ground { environment, profile, project } = *ground;
    let arguments = Arguments::parse(&profile.args);
    let places = Places::of(environment, project);
    let settings = Settings::read(&places, &arguments, environment);
    let upstream = default_upstream(config.main.upstream.as_deref(), &settings, environment);
    let wanted = demands(&config, profile);
    let secrets = read_secrets(&wanted, environment);
    let (answers, upstream_answers) =
        ask(&wanted, &upstream.base_url, &Surroundings::read(&settings, environment)).await;
    Facts {
        claude: installed(&config, environment),
        problems,
        profile: profile.clone(),
        own_agents: read_own(&arguments, project),
        arguments,
        others: others(&places, &settings),
        settings,
        environment: environment.clone(),
        secrets,
        answers,
        upstream,
        upstream_answers,
        sandbox: sandbox::is_there(),
        config,
    }
}

fn installed(config: &Config, environment: &Environment) -> Result<Installed, ClaudeError> {
    let claude = Claude::find(config.claude.path.as_deref(), environment)?;
    Ok(Installed { path: claude.path().to_owned(), version: claude.version(VERSION_LIMIT) })
}

fn read_secrets(
    demands: &[Demand<'_>],
    environment: &Environment,
) -> BTreeMap<ProviderName, Result<(), SecretError>> {
    let mut secrets = BTreeMap::new();
    for demand in demands {
        if let Some(reference) = demand.provider.auth.secret() {
            let name = demand.provider.name.clone();
            secrets.entry(name).or_insert_with(|| resolve(reference, environment).map(drop));
        }
    }
    secrets
}

/// Who answers: each provider once, and the default upstream; all at the same time.
async fn ask(
    demands: &[Demand<'_>],
    default: &str,
    surroundings: &Surroundings,
) -> (BTreeMap<ProviderName, Result<(), String>>, Result<(), String>) {
    let shared = Shared::new(&surroundings.proxies);
    let providers: BTreeMap<_, _> =
        demands.iter().map(|demand| (&demand.provider.name, demand.provider)).collect();
    let mut asked = JoinSet::new();
    for (name, provider) in providers {
        let (name, url) = (name.clone(), provider.base_url.clone());
        let (trust, shared) = (Trust::of(provider), shared.clone());
        asked.spawn(async move { (Some(name), reach(&url, trust, &shared).await) });
    }
    let (url, trust) = (default.to_owned(), surroundings.trust());
    asked.spawn(async move { (None, reach(&url, trust, &shared).await) });
    let mut answers = BTreeMap::new();
    let mut default = Ok(());
    for (name, answer) in asked.join_all().await {
        match name {
            Some(name) => drop(answers.insert(name, answer)),
            None => default = answer,
        }
    }
    (answers, default)
}

/// A connection is answer enough: what a provider says without a question costs nobody anything.
async fn reach(url: &str, trust: Trust, shared: &Shared) -> Result<(), String> {
    let base = url.parse().map_err(|error: crate::router::BaseError| error.to_string())?;
    let limits = Limits { connect: ANSWER_LIMIT, first_byte: None, idle: ANSWER_LIMIT, total: None };
    let upstream = Upstream::route(url.to_owned(), base, trust, limits, shared);
    upstream.reach().await
}
