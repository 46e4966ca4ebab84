//! Makes a router of a configuration: secrets are read here, once, before anything is launched.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::task::TaskTracker;

use super::surroundings::Surroundings;
use super::upstream::shown;
use crate::config::secret::resolve;
use crate::config::{
    Config, Environment, Policy, Provider, RouteId, RouteRefusal, RouteSettings, SecretError,
};
use crate::dialect::{Speech, repair};
use crate::router::{
    Adaptation, Allowances, BODY_LIMIT, Base, BaseError, Binding, Breaker, Callers, Circuit, Control,
    Credential, CredentialError, DEFAULT_ROUTE, Destination, LateFailures, Limits, Listener, Meter, Pass,
    Passes, Pulse, Running, Seats, Service, Shared, Table, Token, Trust, Upstream,
};

/// What a router is to do, before anything of it exists.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The default upstream's base URL.
    pub default_upstream: String,
    pub bindings: Vec<Binding>,
    /// Bindings that only a child can get: of agents that the main model doesn't see.
    pub hidden: Vec<Binding>,
    /// Routes that may be named by their id alone.
    pub open_routes: Vec<RouteId>,
    pub policy: Policy,
    pub surroundings: Surroundings,
}

#[derive(Debug, thiserror::Error)]
pub enum AssemblyError {
    #[error("the default upstream `{url}`: {source}")]
    DefaultUpstream {
        /// As [`shown`].
        url: String,
        source: BaseError,
    },
    #[error("{owner}: {refusal}. {}", refusal.remedy())]
    Route { owner: String, refusal: RouteRefusal },
    #[error("{owner}: route `{route}`: {source}")]
    Secret { owner: String, route: RouteId, source: SecretError },
    #[error("{owner}: route `{route}`: {source}")]
    Credential { owner: String, route: RouteId, source: CredentialError },
    #[error("{owner}: route `{route}`: {source}")]
    Base { owner: String, route: RouteId, source: BaseError },
}

/// A router with everything that it needs, not listening yet.
pub struct Assembly {
    default: Arc<Upstream>,
    routes: HashMap<RouteId, Arc<Destination>>,
    pub allowances: Arc<Allowances>,
    pub table: Arc<Table>,
    pub meter: Arc<Meter>,
    pub callers: Arc<Callers>,
    tasks: TaskTracker,
}

/// A router at work.
#[derive(Debug)]
pub struct Engine {
    pub port: u16,
    running: Running,
}

impl Assembly {
    /// # Errors
    /// The first route that can't be used: it names the agent, the route and what is missing.
    pub fn new(plan: &Plan, config: &Config, environment: &Environment) -> Result<Self, AssemblyError> {
        let shared = Shared::new(&plan.surroundings.proxies);
        let url = &plan.default_upstream;
        let base =
            url.parse().map_err(|source| AssemblyError::DefaultUpstream { url: shown(url), source })?;
        let default = Upstream::default(DEFAULT_ROUTE.to_owned(), base, &shared);
        let default = Arc::new(default.trusting(plan.surroundings.trust()));
        let routes = plan.destinations(config, environment, &shared)?;
        let labels = std::iter::once(DEFAULT_ROUTE.to_owned());
        let labels =
            labels.chain(plan.routes(config).into_iter().map(|(route, _)| route.to_string())).collect();
        let table = Table::new(plan.bindings.clone(), plan.open_routes.clone(), plan.policy.clone());
        let meter = Meter::new(labels);
        for to in routes.values().filter(|to| !to.fallback.is_empty()) {
            meter.circuit(to.label(), Circuit::Closed);
        }
        Ok(Self {
            default,
            routes,
            allowances: Arc::new(Allowances::new(config.budgets.iter().cloned())),
            table: Arc::new(table),
            meter: Arc::new(meter),
            callers: Arc::default(),
            tasks: shared.tasks,
        })
    }

    /// Who may come in: at first whoever has the session's own token.
    pub fn passes(&self, token: Token) -> Arc<Passes> {
        Arc::new(Passes::new(token, Pass::main(Arc::clone(&self.table), Arc::clone(&self.callers))))
    }

    /// Begins to serve.
    pub fn start(self, listener: Listener, passes: Arc<Passes>, control: Option<Arc<dyn Control>>) -> Engine {
        let port = listener.port();
        let service = Service {
            passes,
            port,
            default: self.default,
            routes: self.routes,
            allowances: self.allowances,
            meter: self.meter,
            control,
            body_limit: BODY_LIMIT,
            late: LateFailures::default(),
            pulse: Pulse::default(),
        };
        Engine { port, running: listener.serve(Arc::new(service), self.tasks) }
    }
}

impl Engine {
    /// `http://127.0.0.1:PORT/s/TOKEN`
    pub fn base_url(port: u16, token: &Token) -> String {
        format!("http://127.0.0.1:{port}/s/{}", token.expose())
    }

    /// Requests in flight may end within `grace`.
    pub async fn stop(self, grace: Duration) {
        self.running.stop(grace).await;
    }
}

impl Plan {
    /// Every route of the plan once, with who wants it.
    fn routes<'a>(&'a self, config: &'a Config) -> Vec<(&'a RouteId, String)> {
        let bound =
            self.bindings.iter().chain(&self.hidden).map(|b| (&b.route, format!("agent `{}`", b.agent)));
        let open = self.open_routes.iter().map(|route| (route, "config.toml".to_owned()));
        let wanted: Vec<_> = bound.chain(open).collect();
        let instead = wanted.iter().flat_map(|(route, _)| {
            let others = config.routes.get(route).into_iter().flat_map(|settings| &settings.fallback);
            others.map(move |other| (other, format!("`fallback` of `{route}`")))
        });
        let instead: Vec<_> = instead.collect();
        let mut seen = BTreeSet::new();
        wanted.into_iter().chain(instead).filter(|(route, _)| seen.insert(*route)).collect()
    }

    fn destinations(
        &self,
        config: &Config,
        environment: &Environment,
        shared: &Shared,
    ) -> Result<HashMap<RouteId, Arc<Destination>>, AssemblyError> {
        let own_headers = self.surroundings.own_headers.iter().map(String::as_str);
        let destination = |(route, owner): (&RouteId, String)| {
            let provider = config.provider_for(route);
            let provider =
                provider.map_err(|refusal| AssemblyError::Route { owner: owner.clone(), refusal })?;
            let credential = credential(provider, route, &owner, environment)?;
            let credential = credential.without(own_headers.clone());
            let base: Base = provider.base_url.parse().map_err(|source| AssemblyError::Base {
                owner,
                route: route.clone(),
                source,
            })?;
            let settings = config.routes.get(route).cloned().unwrap_or_default();
            let limits = Limits::of(settings.timeouts.unwrap_or(provider.timeouts));
            let upstream = Upstream::route(route.to_string(), base, Trust::of(provider), limits, shared);
            let line = settings.queue.map_or(RouteSettings::QUEUE, NonZeroU64::get);
            let destination = Destination {
                route: route.clone(),
                upstream: Arc::new(upstream),
                credential,
                model: serde_json::Value::from(route.model()).to_string().into(),
                price: settings.price,
                window: settings.context_window,
                adaptation: Adaptation {
                    speech: Speech::new(provider.dialect, config.chat(route)),
                    repairs: repair::Plan::new(config.repairs(route)),
                },
                seats: settings.concurrency.map(|seats| Seats::new(seats, line)),
                breaker: Breaker::default(),
                fallback: settings.fallback,
            };
            Ok((route.clone(), Arc::new(destination)))
        };
        self.routes(config).into_iter().map(destination).collect()
    }
}

fn credential(
    provider: &Provider,
    route: &RouteId,
    owner: &str,
    environment: &Environment,
) -> Result<Credential, AssemblyError> {
    let auth = provider.auth.for_dialect(provider.dialect);
    let Some(reference) = auth.secret() else { return Ok(Credential::none()) };
    let secret = resolve(reference, environment).map_err(|source| AssemblyError::Secret {
        owner: owner.to_owned(),
        route: route.clone(),
        source,
    })?;
    Credential::of(&auth, &secret).map_err(|source| AssemblyError::Credential {
        owner: owner.to_owned(),
        route: route.clone(),
        source,
    })
}

/// A listener on `port`, 0 for any.
///
/// # Errors
/// The port is taken; the message names it.
pub async fn bind(port: u16) -> io::Result<Listener> {
    Listener::bind(port).await
}
