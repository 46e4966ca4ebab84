//! What a child runs on, and with which effort (A3, A7, A8, A11, D7). Pure.

use super::refusal::Refusal;
use super::request::Selection;
use crate::config::{Agent, Config, Model, Policy, RouteId, WireId};
use crate::router::{Spoken, Table};

/// What Claude Code can be told to think with.
const LEVELS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];

/// Where a child's requests go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Engine {
    Route(RouteId),
    /// On the default upstream, by this name; `None`: whatever Claude Code takes.
    Default(Option<String>),
}

/// Who chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chooser<'a> {
    /// A person, who may choose whatever works.
    Person,
    /// A model, within this policy.
    Model(&'a Policy),
}

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub engine: Engine,
    pub effort: Option<String>,
}

/// What a turn ran on, from the name that it had on the wire.
pub fn engine_of(spoken: &Spoken, table: &Table) -> Engine {
    if let Some(binding) = table.binding(&spoken.model) {
        return Engine::Route(binding.route.clone());
    }
    let route = table.route(&spoken.model).cloned();
    route.map_or_else(|| Engine::Default(Some(spoken.model.clone())), Engine::Route)
}

/// Decides by request, then agent, then parent.
///
/// # Errors
/// The policy, the provider or the effort doesn't allow it. No provider has been asked by then (A4).
pub fn decide(
    selection: &Selection,
    agent: Option<&Agent>,
    parent: Option<(Engine, Option<String>)>,
    chooser: Chooser<'_>,
    config: &Config,
) -> Result<Decision, Refusal> {
    admitted(selection, chooser)?;
    let baseline = baseline(agent, parent);
    let engine = match &selection.route {
        Some((provider, model)) => Engine::Route(selected(provider, model, chooser, config)?),
        None => baseline.engine.clone(),
    };
    if let Engine::Route(route) = &engine {
        config.provider_for(route).map_err(|refusal| Refusal::Route { route: route.clone(), refusal })?;
    }
    // An effort belongs to its route: another one thinks in other terms.
    let kept = baseline.effort.filter(|_| baseline.engine == engine);
    let effort = selection.effort.clone().or(kept).or_else(|| default_effort(&engine, config));
    let decision = Decision { engine, effort };
    decision.checked(config)
}

/// Nothing may be chosen where the policy is off.
fn admitted(selection: &Selection, chooser: Chooser<'_>) -> Result<(), Refusal> {
    match chooser {
        Chooser::Model(policy) if !policy.enabled && !selection.is_empty() => Err(Refusal::Closed),
        Chooser::Model(_) | Chooser::Person => Ok(()),
    }
}

fn selected(provider: &str, model: &str, chooser: Chooser<'_>, config: &Config) -> Result<RouteId, Refusal> {
    let named = format!("{provider}/{model}");
    // A2: `a/b` and `c` isn't `a` and `b/c`.
    let provider = provider.parse().map_err(|_| forbidden(&named, chooser))?;
    let route = RouteId::new(&provider, model).map_err(|error| Refusal::Arguments(error.to_string()))?;
    match chooser {
        Chooser::Model(policy) if !policy.allows(&route) => Err(forbidden(&named, chooser)),
        _ => config
            .provider_for(&route)
            .map(|_| route.clone())
            .map_err(|refusal| Refusal::Route { route, refusal }),
    }
}

fn forbidden(named: &str, chooser: Chooser<'_>) -> Refusal {
    match chooser {
        Chooser::Model(_) => Refusal::Forbidden(named.escape_debug().to_string()),
        Chooser::Person => Refusal::Arguments(format!("`{named}` is no route: write it as `provider/model`")),
    }
}

/// The agent's own, and where it inherits, its parent's.
fn baseline(agent: Option<&Agent>, parent: Option<(Engine, Option<String>)>) -> Decision {
    let own_effort = agent.and_then(|agent| agent.fields.get("effort")?.as_str().map(str::to_owned));
    let own = match agent.map(|agent| &agent.model) {
        Some(Model::Route(route)) => Some(Engine::Route(route.clone())),
        Some(Model::Claude(model)) => Some(Engine::Default(Some(model.clone()))),
        Some(Model::Inherit) | None => None,
    };
    match (own, parent) {
        (Some(engine), _) => Decision { engine, effort: own_effort },
        (None, Some((engine, effort))) => Decision { engine, effort: own_effort.or(effort) },
        (None, None) => Decision { engine: Engine::Default(None), effort: own_effort },
    }
}

fn default_effort(engine: &Engine, config: &Config) -> Option<String> {
    let Engine::Route(route) = engine else { return None };
    config.routes.get(route)?.default_effort.clone()
}

impl Decision {
    /// A11: what can't be honoured is said before there is a child.
    fn checked(self, config: &Config) -> Result<Self, Refusal> {
        let Some(effort) = &self.effort else { return Ok(self) };
        let known = match &self.engine {
            Engine::Route(route) => config.routes.get(route).map(|settings| settings.efforts.clone()),
            Engine::Default(_) => None,
        };
        let known = known.filter(|efforts| !efforts.is_empty());
        let efforts = known.unwrap_or_else(|| LEVELS.map(str::to_owned).to_vec());
        let sent: Vec<String> =
            efforts.into_iter().filter(|effort| LEVELS.contains(&effort.as_str())).collect();
        if sent.contains(effort) {
            return Ok(self);
        }
        Err(Refusal::Effort { route: self.engine.label(), effort: effort.clone(), efforts: sent })
    }
}

impl Engine {
    /// `provider/model`, or `default`.
    pub fn label(&self) -> String {
        match self {
            Self::Route(route) => route.to_string(),
            Self::Default(_) => crate::router::DEFAULT_ROUTE.to_owned(),
        }
    }

    /// A wire id for an agent with this slug; `None` on the default upstream.
    pub fn wire(&self, slug: &str) -> Option<WireId> {
        match self {
            Self::Route(route) => Some(WireId::new(slug, route)),
            Self::Default(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::RouteSettings;
    use crate::launch::bind::tests::{agent, config};

    fn route(text: &str) -> RouteId {
        text.parse().unwrap()
    }

    fn policy(allowed: &[&str]) -> Policy {
        let allowed: BTreeSet<RouteId> = allowed.iter().map(|text| route(text)).collect();
        Policy { enabled: !allowed.is_empty(), allowed, ..Policy::default() }
    }

    fn selection(chosen: &str, effort: &str) -> Selection {
        let route = chosen.split_once('|').map(|(provider, model)| (provider.to_owned(), model.to_owned()));
        Selection { route, effort: Some(effort.to_owned()).filter(|effort| !effort.is_empty()) }
    }

    fn settings() -> Config {
        let mut config = config(Vec::new());
        let default = |effort: &str| RouteSettings {
            default_effort: Some(effort.to_owned()),
            ..RouteSettings::default()
        };
        config.routes.insert(route("ollama/b"), default("low"));
        let efforts = vec!["low".to_owned(), "high".to_owned(), "ultra".to_owned()];
        config.routes.insert(route("glm/c"), RouteSettings { efforts, ..RouteSettings::default() });
        config
    }

    fn parent(model: &str, effort: &str) -> (Engine, Option<String>) {
        let engine = model.parse().map_or(Engine::Default(Some(model.to_owned())), Engine::Route);
        (engine, Some(effort.to_owned()).filter(|effort| !effort.is_empty()))
    }

    #[test]
    fn a7_request_beats_agent_beats_parent_and_another_route_clears_the_effort() {
        let config = settings();
        let mut routed = agent("rev", "ollama/a");
        routed.fields.insert("effort".to_owned(), "high".into());
        let inheriting = agent("inh", "inherit");
        let policy = policy(&["ollama/a", "ollama/b", "glm/c"]);
        for (chosen, effort, agent, parent, want) in [
            ("", "", Some(&routed), Some(parent("claude-opus-5", "max")), ("ollama/a", Some("high"))),
            ("", "low", Some(&routed), None, ("ollama/a", Some("low"))),
            ("ollama|a", "", Some(&routed), None, ("ollama/a", Some("high"))),
            ("ollama|b", "", Some(&routed), None, ("ollama/b", Some("low"))),
            ("glm|c", "", Some(&routed), None, ("glm/c", None)),
            ("glm|c", "high", Some(&routed), None, ("glm/c", Some("high"))),
            ("", "", Some(&inheriting), Some(parent("ollama/b", "high")), ("ollama/b", Some("high"))),
            ("", "", Some(&inheriting), Some(parent("ollama/b", "")), ("ollama/b", Some("low"))),
            ("", "", None, Some(parent("claude-opus-5", "max")), ("claude-opus-5", Some("max"))),
            ("", "", None, None, ("", None)),
        ] {
            let chooser = Chooser::Model(&policy);
            let decision = decide(&selection(chosen, effort), agent, parent, chooser, &config).unwrap();
            let name = match &decision.engine {
                Engine::Route(route) => route.to_string(),
                Engine::Default(model) => model.clone().unwrap_or_default(),
            };
            assert_eq!((name.as_str(), decision.effort.as_deref()), want, "{chosen} {effort}");
        }
    }

    #[test]
    fn a1_a3_off_refuses_every_field_and_a8_inheriting_needs_no_leave() {
        let (config, off) = (settings(), Policy::default());
        for (chosen, effort) in [("ollama|a", ""), ("", "low")] {
            let refused = decide(&selection(chosen, effort), None, None, Chooser::Model(&off), &config);
            assert_eq!(refused, Err(Refusal::Closed));
        }
        let inherited =
            decide(&Selection::default(), None, Some(parent("ollama/a", "")), Chooser::Model(&off), &config);
        assert_eq!(inherited.unwrap().engine, Engine::Route(route("ollama/a")));
        let bound = agent("rev", "ollama/a");
        let own = decide(&Selection::default(), Some(&bound), None, Chooser::Model(&off), &config);
        assert_eq!(own.unwrap().engine, Engine::Route(route("ollama/a")), "the person's own binding");
    }

    #[test]
    fn a2_a_route_that_isnt_authorised_is_refused_however_it_is_cut() {
        let (config, policy) = (settings(), policy(&["ollama/x/y"]));
        for chosen in ["ollama|x", "ollama/x|y", "glm|x/y", "../ollama|x/y", "ollama|X/y"] {
            let refused =
                decide(&selection(chosen, ""), None, None, Chooser::Model(&policy), &config).unwrap_err();
            assert!(matches!(refused, Refusal::Forbidden(_)), "{chosen}: {refused}");
        }
        assert!(decide(&selection("ollama|x/y", ""), None, None, Chooser::Model(&policy), &config).is_ok());
        assert!(decide(&selection("glm|anything", ""), None, None, Chooser::Person, &config).is_ok());
    }

    #[test]
    fn a11_what_a_route_cant_do_is_said_first() {
        let config = settings();
        let check = |chosen: &str, effort: &str| {
            decide(&selection(chosen, effort), None, None, Chooser::Person, &config)
        };
        let refused = check("glm|c", "medium").unwrap_err().to_string();
        assert_eq!(refused, "glm/c knows no effort `medium` (there is: low, high)");
        assert!(check("glm|c", "ultra").is_err(), "Claude Code couldn't ask for it");
        assert!(check("nobody|m", "").is_err());
    }
}
