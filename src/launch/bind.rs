//! Binds agents to their routes: which wire id each has, and what keeps one from being launched.
//!
//! Pure. A slug depends on all agents of the configuration, not on the ones that a launch takes, so that an
//! agent's wire id is the same in every launch.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use crate::config::agent::resolves;
use crate::config::{Agent, Auth, Config, RouteRefusal, SecretRef, Visibility, WireId};

/// An agent that can be launched.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound<'a> {
    pub agent: &'a Agent,
    /// What Claude Code is told to send as `model`; `None` for an agent on no route.
    pub wire: Option<WireId>,
}

/// Why an agent can't be launched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    #[error("agent `{agent}` has no {field}: Claude Code would not start it; give it one")]
    Blank { agent: String, field: &'static str },
    #[error("agent `{0}`: a name must be there, not begin with `-` and hold no `:`; rename it")]
    Name(String),
    #[error(
        "agent `{0}` has a tool's name, which only a hidden agent may (`visibility: hidden`); rename or hide it"
    )]
    Tool(String),
    #[error("agent `{agent}`: {refusal}: {}", refusal.remedy())]
    Route { agent: String, refusal: RouteRefusal },
}

/// The main session's own route, as the child must know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainRoute {
    pub wire: WireId,
    /// The provider wants no key, so Claude Code needs a stand-in to start without a login.
    pub keyless: bool,
}

/// Binds every agent of the configuration, in its order; what can't be bound is told, each with its reason.
pub fn bind(config: &Config) -> (Vec<Bound<'_>>, Vec<BindError>) {
    let slugs = WireId::slugs(config.agents.iter().map(|agent| agent.name.as_str()));
    let mut bound = Vec::new();
    let mut refused = Vec::new();
    for (agent, slug) in config.agents.iter().zip(&slugs) {
        match check(agent, config) {
            Ok(()) => {
                let wire = agent.model.route().map(|route| WireId::new(slug, route));
                bound.push(Bound { agent, wire });
            }
            Err(error) => refused.push(error),
        }
    }
    (bound, refused)
}

/// `[main] route`, if it is set and its provider is known.
pub fn main_route(config: &Config) -> Option<MainRoute> {
    let route = config.main.route.as_ref()?;
    let provider = config.providers.get(route.provider())?;
    Some(MainRoute { wire: WireId::main(route), keyless: provider.auth == Auth::None })
}

/// The smallest context window, in tokens, among the routes of these agents and of the main session.
pub fn smallest_window(bound: &[Bound<'_>], config: &Config) -> Option<NonZeroU64> {
    let routes = bound.iter().filter_map(|bound| bound.agent.model.route()).chain(&config.main.route);
    routes.filter_map(|route| config.routes.get(route)?.context_window).min()
}

/// The environment variables that providers' secrets are read from.
pub fn secret_variables(config: &Config) -> BTreeSet<String> {
    let secrets = config.providers.values().filter_map(|provider| provider.auth.secret());
    secrets
        .filter_map(|secret| match secret {
            SecretRef::Env(name) => Some(name.clone()),
            SecretRef::Command(_) | SecretRef::File(_) | SecretRef::Keyring { .. } => None,
        })
        .collect()
}

fn check(agent: &Agent, config: &Config) -> Result<(), BindError> {
    let name = agent.name.clone();
    if name.trim().is_empty() || name.starts_with('-') || name.contains(':') {
        return Err(BindError::Name(name));
    }
    if agent.visibility == Visibility::Model && is_a_tool(&name) {
        return Err(BindError::Tool(name));
    }
    for (field, text) in [("description", &agent.description), ("prompt", &agent.prompt)] {
        if text.trim().is_empty() {
            return Err(BindError::Blank { agent: name, field });
        }
    }
    let provider = agent.model.route().map_or(Ok(()), |route| config.provider_for(route).map(|_| ()));
    provider.map_err(|refusal| BindError::Route { agent: name, refusal })
}

/// E3: for a model, the name would stand for both.
fn is_a_tool(name: &str) -> bool {
    const OURS: [&str; 4] = ["delegate_subagent", "route_subagent", "list_subagents", "list_subagent_models"];
    OURS.contains(&name) || resolves(name)
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::Map;

    use super::*;
    use crate::config::{ChatOptions, Dialect, Model, Provider, Repairs, RouteSettings, Timeouts, Tls};

    /// An agent that lacks nothing; `model` is a route where it holds a `/`.
    pub(crate) fn agent(name: &str, model: &str) -> Agent {
        let model = match model.parse() {
            Ok(route) => Model::Route(route),
            Err(_) if model == "inherit" => Model::Inherit,
            Err(_) => Model::Claude(model.to_owned()),
        };
        Agent {
            name: name.to_owned(),
            description: format!("Does {name}"),
            prompt: format!("You do {name}."),
            tools: None,
            model,
            visibility: Visibility::Model,
            read_only: false,
            fields: Map::new(),
            unknown: Map::new(),
            file: format!("{name}.md").into(),
        }
    }

    /// A configuration with these agents, and the providers `ollama` (no key) and `glm` (`env:ZAI_API_KEY`).
    pub(crate) fn config(agents: Vec<Agent>) -> Config {
        let key = Auth::Bearer(SecretRef::Env("ZAI_API_KEY".to_owned()));
        let providers = [provider("ollama", Auth::None), provider("glm", key)];
        let providers = providers.into_iter().map(|p| (p.name.clone(), p)).collect();
        Config { providers, agents, ..Config::default() }
    }

    fn provider(name: &str, auth: Auth) -> Provider {
        Provider {
            name: name.parse().unwrap(),
            base_url: "http://127.0.0.1:1".to_owned(),
            dialect: Dialect::Anthropic,
            auth,
            tls: Tls::System,
            timeouts: Timeouts::default(),
            preset: None,
            repairs: Repairs::default(),
            chat: ChatOptions::default(),
        }
    }

    fn refusal(agent: Agent) -> String {
        let mut config = config(vec![agent]);
        let no_tools = RouteSettings { no_tools: true, ..RouteSettings::default() };
        config.routes.insert("ollama/dumb".parse().unwrap(), no_tools);
        let (bound, refused) = bind(&config);
        assert_eq!(bound.len() + refused.len(), 1);
        refused.first().map(ToString::to_string).unwrap_or_default()
    }

    #[test]
    fn a_routed_agent_gets_its_wire_id_and_no_other_does() {
        let config = config(vec![agent("a b", "ollama/m"), agent("a-b", "glm/m"), agent("c", "sonnet")]);
        let (bound, refused) = bind(&config);
        let wires: Vec<_> = bound.iter().map(|b| b.wire.as_ref().map(WireId::as_str)).collect();
        assert_eq!(wires, [Some("a-b@ollama/m"), Some("a-b-2@glm/m"), None]);
        assert_eq!(refused, []);
    }

    #[test]
    fn l11_f13_what_claude_code_would_not_start_is_refused() {
        for (change, part) in [
            ((|a| a.description = " \n".to_owned()) as fn(&mut Agent), "no description"),
            (|a| a.prompt.clear(), "no prompt"),
            (|a| a.name = "-x".to_owned(), "not begin with `-`"),
            (|a| a.name = "p:x".to_owned(), "hold no `:`"),
            (|a| a.name.clear(), "a name must be there"),
        ] {
            let mut agent = agent("x", "inherit");
            change(&mut agent);
            let message = refusal(agent);
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn e3_only_a_hidden_agent_may_have_a_tools_name() {
        for name in ["delegate_subagent", "Read", "mcp__subagents__x"] {
            assert!(refusal(agent(name, "inherit")).contains("a tool's name"), "{name}");
            let hidden = Agent { visibility: Visibility::Hidden, ..agent(name, "inherit") };
            assert_eq!(refusal(hidden), "", "{name}");
        }
    }

    #[test]
    fn l10_a_route_that_cannot_serve_is_refused_by_agent_route_and_provider() {
        for route in ["nobody/m", "ollama/dumb"] {
            let message = refusal(agent("rev", route));
            let provider = route.split('/').next().unwrap();
            for part in ["`rev`", route, provider] {
                assert!(message.contains(part), "{message}");
            }
        }
    }

    #[test]
    fn l7_the_smallest_window_of_the_bound_routes_counts() {
        let mut config = config(vec![agent("a", "ollama/a"), agent("b", "glm/b"), agent("c", "haiku")]);
        assert_eq!(smallest_window(&bind(&config).0, &config), None);
        for (route, window) in
            [("ollama/a", 64_000), ("glm/b", 32_768), ("glm/unbound", 1_000), ("glm/main", 9_000)]
        {
            let settings =
                RouteSettings { context_window: NonZeroU64::new(window), ..RouteSettings::default() };
            config.routes.insert(route.parse().unwrap(), settings);
        }
        assert_eq!(smallest_window(&bind(&config).0, &config), NonZeroU64::new(32_768));
        config.main.route = Some("glm/main".parse().unwrap());
        assert_eq!(smallest_window(&[], &config), NonZeroU64::new(9_000));
    }

    #[test]
    fn l6_the_main_route_is_keyless_when_its_provider_is() {
        let mut config = config(Vec::new());
        assert_eq!(main_route(&config), None);
        for (route, keyless) in [("ollama/m", true), ("glm/m", false)] {
            config.main.route = Some(route.parse().unwrap());
            let main = main_route(&config).unwrap();
            assert_eq!((main.wire.as_str(), main.keyless), (format!("main@{route}").as_str(), keyless));
        }
        assert_eq!(secret_variables(&config), BTreeSet::from(["ZAI_API_KEY".to_owned()]));
    }
}
