//! Routes and wire ids: the two names that a request is sent by.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use super::chat::ChatOptions;
use super::provider::{ProviderName, Timeouts};
use super::repair::Repairs;

/// One exact provider and model, written `provider/model` and split at the first `/`.
///
/// A model's name may hold further slashes (`openrouter/anthropic/claude-sonnet-5`), a provider's may not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteId {
    provider: ProviderName,
    model: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteIdError {
    #[error("`{0}` is no route: write it as `provider/model`")]
    NoSlash(String),
    #[error("`{0}` names no provider before the `/`")]
    NoProvider(String),
    #[error("`{0}` names no model after the `/`")]
    NoModel(String),
    #[error("`{0}` holds white space or a control character")]
    Blank(String),
}

impl RouteId {
    pub fn new(provider: &ProviderName, model: &str) -> Result<Self, RouteIdError> {
        format!("{provider}/{model}").parse()
    }

    pub fn provider(&self) -> &ProviderName {
        &self.provider
    }

    /// The provider's own name of the model: what is written into the body on the way out.
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl FromStr for RouteId {
    type Err = RouteIdError;

    fn from_str(text: &str) -> Result<Self, RouteIdError> {
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(RouteIdError::Blank(text.escape_debug().to_string()));
        }
        let (provider, model) = text.split_once('/').ok_or_else(|| RouteIdError::NoSlash(text.to_owned()))?;
        if model.is_empty() {
            return Err(RouteIdError::NoModel(text.to_owned()));
        }
        let provider = provider.parse().map_err(|_| RouteIdError::NoProvider(text.to_owned()))?;
        Ok(Self { provider, model: model.to_owned() })
    }
}

impl fmt::Display for RouteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// What Claude Code sends as `model` for a routed agent: `AGENT@PROVIDER/MODEL`, split at the first `@`.
///
/// The agent's part is its name with everything outside `A-Za-z0-9._-` made `-`. `main` is reserved for the
/// main session's own route.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WireId(String);

impl WireId {
    /// The agent part that stands for the main session.
    pub const MAIN: &'static str = "main";

    /// The wire id of the agent whose slug is `slug` (see [`WireId::slugs`]).
    pub fn new(slug: &str, route: &RouteId) -> Self {
        Self(format!("{slug}@{route}"))
    }

    pub fn main(route: &RouteId) -> Self {
        Self::new(Self::MAIN, route)
    }

    /// Unique slugs for these agent names, in their order: where two would be equal, a number is added.
    pub fn slugs<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut taken = std::collections::HashSet::from([Self::MAIN.to_owned()]);
        names
            .into_iter()
            .map(|name| {
                let plain = slug(name);
                let numbered = (2..).map(|n| format!("{plain}-{n}"));
                let free = std::iter::once(plain.clone()).chain(numbered).find(|s| !taken.contains(s));
                let free = free.unwrap_or(plain);
                taken.insert(free.clone());
                free
            })
            .collect()
    }

    /// The agent part and the route part of any text that has the shape of a wire id.
    pub fn split(text: &str) -> Option<(&str, RouteId)> {
        let (agent, route) = text.split_once('@')?;
        (!agent.is_empty()).then_some(())?;
        Some((agent, route.parse().ok()?))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WireId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn slug(name: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    name.chars().map(|c| if keep(c) { c } else { '-' }).collect()
}

/// What is known of one route beyond its name. Nothing here is needed to use it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RouteSettings {
    /// Tokens.
    pub context_window: Option<NonZeroU64>,
    /// Tokens of one answer, at most.
    pub output_limit: Option<NonZeroU64>,
    /// The levels of effort that the model takes, lowest first; empty: not known.
    pub efforts: Vec<String>,
    /// One of `efforts`.
    pub default_effort: Option<String>,
    pub price: Option<Price>,
    /// Whether the model can call tools; only an explicit `tools = false` says no.
    pub no_tools: bool,
    /// Whether the model reads text only; only an explicit `images = false` says so.
    pub no_images: bool,
    /// Repairs that the person switches for this route.
    pub repairs: Repairs,
    /// Requests at once; the others wait. `None`: any number.
    pub concurrency: Option<NonZeroU64>,
    /// Requests that may wait; `None`: [`RouteSettings::QUEUE`].
    pub queue: Option<NonZeroU64>,
    /// Routes to try when this one fails, in their order. All are authorised, and local ones if this one is.
    pub fallback: Vec<RouteId>,
    /// What is sent here stays on this machine.
    pub local: bool,
    /// `None`: the provider's.
    pub timeouts: Option<Timeouts>,
    /// `None`: the provider's.
    pub chat: Option<ChatOptions>,
}

impl RouteSettings {
    /// Requests that may wait for a route, unless something else is said.
    pub const QUEUE: u64 = 64;
}

/// USD per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    /// `None`: priced as input.
    pub cache_read: Option<f64>,
    /// `None`: priced as input.
    pub cache_write: Option<f64>,
}

impl Price {
    /// USD of so many tokens that go in, none of them from a cache.
    #[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
    pub fn of_input(&self, tokens: u64) -> f64 {
        tokens as f64 * self.input / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_splits_at_the_first_slash() {
        let route: RouteId = "openrouter/anthropic/claude-sonnet-5".parse().unwrap();
        assert_eq!((route.provider().as_str(), route.model()), ("openrouter", "anthropic/claude-sonnet-5"));
        assert_eq!(route.to_string(), "openrouter/anthropic/claude-sonnet-5");
        // A2: `a` + `b/c` is not `a/b` + `c`.
        assert_ne!("a/b/c".parse::<RouteId>().unwrap().provider().as_str(), "a/b");
    }

    #[test]
    fn what_is_no_route_is_refused_with_a_reason() {
        for (text, part) in [
            ("plain", "provider/model"),
            ("/m", "no provider"),
            ("p/", "no model"),
            ("p/a b", "white space"),
            ("", "provider/model"),
        ] {
            let error = text.parse::<RouteId>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn two_agents_never_share_a_wire_id() {
        let slugs = WireId::slugs(["a b", "a-b", "main", "größe", "a b"]);
        assert_eq!(slugs, ["a-b", "a-b-2", "main-2", "gr--e", "a-b-3"]);
    }

    #[test]
    fn a_wire_id_splits_at_the_first_at() {
        let (agent, route) = WireId::split("reviewer@glm/x@y").unwrap();
        assert_eq!((agent, route.model()), ("reviewer", "x@y"));
        assert!(WireId::split("@glm/x").is_none());
        assert!(WireId::split("claude-opus-5").is_none());
    }
}
