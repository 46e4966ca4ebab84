//! Budgets: how much may be used of which routes, by whom, and in which time.

use std::num::NonZeroU64;

use super::{ProviderName, RouteId};

/// `[budgets.NAME]`. What isn't limited is `None`; one limit at least is set.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    pub name: String,
    pub per: Period,
    /// Only this agent's requests count; `None`: everybody's.
    pub agent: Option<String>,
    /// Only requests to these count; `None`: to any route. The default upstream never counts.
    pub routes: Option<Routes>,
    pub requests: Option<NonZeroU64>,
    /// Tokens that weren't read from a cache, in and out.
    pub tokens: Option<NonZeroU64>,
    /// USD. Requests without a price count as nothing.
    pub usd: Option<f64>,
}

/// The time in which a budget may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Period {
    /// Each request by itself, as far as can be told before it is sent.
    Request,
    Session,
    /// The person's day, from midnight, over all sessions.
    Day,
}

impl Period {
    pub const ALL: [Self; 3] = [Self::Request, Self::Session, Self::Day];

    /// As config.toml writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Session => "session",
            Self::Day => "day",
        }
    }
}

/// One route, or all of a provider: `provider/*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes(RouteId);

impl std::str::FromStr for Routes {
    type Err = super::route::RouteIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl std::fmt::Display for Routes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Routes {
    pub fn provider(&self) -> &ProviderName {
        self.0.provider()
    }

    /// Whether the route is one of them.
    pub fn hold(&self, route: &RouteId) -> bool {
        self.0 == *route || (self.0.model() == "*" && self.0.provider() == route.provider())
    }
}

impl Budget {
    /// Whether a request counts.
    pub fn covers(&self, agent: &str, route: &RouteId) -> bool {
        self.agent.as_deref().is_none_or(|wanted| wanted == agent)
            && self.routes.as_ref().is_none_or(|routes| routes.hold(route))
    }
}
