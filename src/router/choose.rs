//! Step 3: which upstream a request goes to. Pure.
//!
//! The key is the body's top-level `model` alone: a wire id, then a route id, each also with `[1m]` removed.
//! Whatever is unknown goes to the default upstream. What an *agent* may do with a key that isn't its own, the
//! policy decides.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::config::{Policy, RouteId, StrayRule, WireId};

use super::caller::Caller;

/// A wire id of the session: an agent bound to a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The agent's name, as Claude Code's hooks say it; [`WireId::MAIN`] for the main session.
    pub agent: String,
    pub wire: WireId,
    pub route: RouteId,
}

/// All keys that lead away from the default upstream.
#[derive(Debug, Default)]
pub struct Table {
    bindings: Names<Binding>,
    routes: Names<RouteId>,
    /// Agents that have a route, and the wire id that is theirs.
    agents: HashMap<String, WireId>,
    main: Option<RouteId>,
    policy: Policy,
}

/// What is asked for, and by whom.
#[derive(Debug)]
pub struct Ask<'a> {
    pub model: Option<&'a str>,
    pub caller: &'a Caller,
    /// Claude Code's request class.
    pub class: Option<&'a str>,
    /// The wire ids that the main session has run on: its agents may have inherited any of them.
    pub main_models: &'a [WireId],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// To the default upstream. `stray`: the routed agent that isn't on its route, let pass.
    Default { stray: Option<String> },
    /// To a route. `agent`: whose wire id it was; `None` for a route id.
    Route { route: RouteId, agent: Option<String> },
    /// Nothing is sent.
    Refused(Refusal),
}

/// A model's choice that the policy doesn't allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The agent that was called off its route; `None`: one that has no route of its own.
    pub agent: Option<String>,
    pub message: String,
}

impl Table {
    /// `routes` are the route ids that may be written as a model; `bindings` the agents' wire ids.
    pub fn new(bindings: Vec<Binding>, routes: Vec<RouteId>, policy: Policy) -> Self {
        let agents = bindings.iter().map(|b| (b.agent.clone(), b.wire.clone())).collect();
        let main = bindings.iter().find(|b| b.agent == WireId::MAIN).map(|b| b.route.clone());
        let bindings = Names::new(bindings.into_iter().map(|b| (b.wire.as_str().to_owned(), b)));
        let routes = Names::new(routes.into_iter().map(|route| (route.to_string(), route)));
        Self { bindings, routes, agents, main, policy }
    }

    /// All names that lead to a route, where the main session runs on one; else nobody asks for them here.
    pub fn names(&self) -> Option<Vec<String>> {
        self.main.as_ref()?;
        let mut names: Vec<String> =
            self.bindings.exact.keys().chain(self.routes.exact.keys()).cloned().collect();
        names.sort();
        Some(names)
    }

    /// The wire id of an agent that has a route.
    pub fn wire_of(&self, agent: &str) -> Option<&WireId> {
        self.agents.get(agent)
    }

    pub fn stray_rule(&self) -> StrayRule {
        self.policy.stray
    }

    pub fn choose(&self, ask: &Ask<'_>) -> Choice {
        let Some(model) = ask.model else { return Choice::Default { stray: None } };
        if let Some(binding) = self.binding(model) {
            return self.bound(binding, ask);
        }
        if let Some(route) = self.routes.get(model) {
            return Choice::Route { route: route.clone(), agent: None };
        }
        self.unrouted(model, ask)
    }

    /// The binding that a model's name stands for.
    pub fn binding(&self, model: &str) -> Option<&Binding> {
        self.bindings.get(model)
    }

    /// The route whose id a model's name is, where routes may be named by it.
    pub fn route(&self, model: &str) -> Option<&RouteId> {
        self.routes.get(model)
    }

    /// A wire id holds for its agent, for that agent's descendants, and for the main session; a model's own
    /// choice of it needs the policy's leave.
    fn bound(&self, binding: &Binding, ask: &Ask<'_>) -> Choice {
        let inherited = ask.main_models.contains(&binding.wire) || binding.agent == WireId::MAIN;
        let own = match ask.caller {
            Caller::Main | Caller::Unknown => true,
            // An ancestor that no hook has named may be the wire id's own agent.
            Caller::Agent { name, ancestors, orphan } => {
                *orphan || inherited || *name == binding.agent || ancestors.contains(&binding.agent)
            }
        };
        if own || self.policy.allows(&binding.route) {
            let agent = Some(binding.agent.clone());
            return Choice::Route { route: binding.route.clone(), agent };
        }
        let agent = self.routed(ask.caller).map(str::to_owned);
        let message = format!(
            "the model `{}` belongs to the agent `{}`, and the policy allows no model to choose {} for itself. \
             Call the agent by its name instead, or add the route to `[policy] allowed`.",
            binding.wire, binding.agent, binding.route
        );
        Choice::Refused(Refusal { agent, message })
    }

    /// Not a key of ours: the default upstream, unless it is a stray or the main session has a route itself.
    fn unrouted(&self, model: &str, ask: &Ask<'_>) -> Choice {
        let counts = matches!(ask.class, Some("subagent" | "workflow"));
        if let Some(agent) = self.routed(ask.caller).filter(|_| counts) {
            return match self.policy.stray {
                StrayRule::Pass => Choice::Default { stray: Some(agent.to_owned()) },
                StrayRule::Deny => {
                    let message = self.stray_message(agent, model);
                    Choice::Refused(Refusal { agent: Some(agent.to_owned()), message })
                }
            };
        }
        match &self.main {
            Some(route) if model.starts_with("claude") => {
                Choice::Route { route: route.clone(), agent: Some(WireId::MAIN.to_owned()) }
            }
            _ => Choice::Default { stray: None },
        }
    }

    /// What the main model is told when it calls a routed agent with another model.
    pub fn stray_message(&self, agent: &str, model: &str) -> String {
        let wire = self.agents.get(agent).map_or("its route", WireId::as_str);
        format!(
            "the agent `{agent}` runs on {wire}; it was called with the model `{model}`. \
             Call the agent `{agent}` again without a model. (`[policy] stray = \"pass\"` lets such calls through.)"
        )
    }

    fn routed<'a>(&self, caller: &'a Caller) -> Option<&'a str> {
        match caller {
            Caller::Agent { name, .. } if self.agents.contains_key(name) => Some(name),
            _ => None,
        }
    }
}

/// Names as they were given, and as Claude Code may send them: it takes `[1m]` out wherever it stands.
#[derive(Debug)]
struct Names<T> {
    exact: HashMap<String, T>,
    bare: HashMap<String, String>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { exact: HashMap::new(), bare: HashMap::new() }
    }
}

impl<T> Names<T> {
    fn new(entries: impl Iterator<Item = (String, T)>) -> Self {
        let (mut exact, mut bare) = (HashMap::new(), HashMap::new());
        for (name, value) in entries {
            // Of two names that differ in their window only, the first is meant.
            bare.entry(without_window(&name).into_owned()).or_insert_with(|| name.clone());
            exact.insert(name, value);
        }
        Self { exact, bare }
    }

    /// The exact name first, then the name without `[1m]`.
    fn get(&self, name: &str) -> Option<&T> {
        self.exact.get(name).or_else(|| self.exact.get(self.bare.get(&*without_window(name))?))
    }
}

/// A name without any `[1m]` or `[2m]`, in either case.
fn without_window(name: &str) -> Cow<'_, str> {
    let windows = ["[1m]", "[1M]", "[2m]", "[2M]"];
    if !name.contains('[') {
        return name.into();
    }
    windows.iter().fold(name.to_owned(), |name, window| name.replace(window, "")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(text: &str) -> RouteId {
        text.parse().unwrap()
    }

    fn binding(agent: &str, to: &str) -> Binding {
        Binding { agent: agent.into(), wire: WireId::new(agent, &route(to)), route: route(to) }
    }

    fn table(policy: Policy) -> Table {
        let bindings = vec![
            binding("reviewer", "glm/glm-5"),
            binding("critic", "ollama/glm-5"),
            binding("odd", "or/[1m]x"),
        ];
        Table::new(bindings, vec![route("or/free")], policy)
    }

    fn agent(name: &str, ancestors: &[&str]) -> Caller {
        let ancestors = ancestors.iter().map(|&a| a.to_owned()).collect();
        Caller::Agent { name: name.into(), ancestors, orphan: false }
    }

    fn choose(table: &Table, model: &str, caller: &Caller, class: &str) -> String {
        let ask = Ask { model: Some(model), caller, class: Some(class), main_models: &[] };
        match table.choose(&ask) {
            Choice::Default { stray: None } => "default".into(),
            Choice::Default { stray: Some(agent) } => format!("stray {agent}"),
            Choice::Route { route, .. } => route.to_string(),
            Choice::Refused(refusal) => format!("refused {}", refusal.agent.unwrap_or_default()),
        }
    }

    #[test]
    fn r2_r14_r15_each_wire_id_leads_to_its_own_route_and_nothing_else_does() {
        let table = table(Policy::default());
        for (model, want) in [
            ("reviewer@glm/glm-5", "glm/glm-5"),
            ("critic@ollama/glm-5", "ollama/glm-5"),
            ("Reviewer@glm/glm-5", "default"),
            ("reviewer@ollama/glm-5", "default"),
            ("glm-5", "default"),
            ("glm/glm-5", "default"),
            ("or/free", "or/free"),
            ("claude-opus-5", "default"),
            ("claude-xyz-9", "default"),
            ("", "default"),
        ] {
            assert_eq!(choose(&table, model, &Caller::Main, "main"), want, "{model}");
        }
    }

    #[test]
    fn a13_the_window_suffix_is_seen_through() {
        let table = table(Policy::default());
        for (model, want) in [
            ("reviewer@glm/glm-5[1m]", "glm/glm-5"),
            ("reviewer@glm/glm-5[1M][1m]", "glm/glm-5"),
            ("odd@or/[1m]x", "or/[1m]x"),
            ("odd@or/x", "or/[1m]x"),
            ("reviewer@glm/glm[x]-5", "default"),
            ("claude-opus-5[1m]", "default"),
        ] {
            assert_eq!(choose(&table, model, &Caller::Main, "main"), want, "{model}");
        }
    }

    #[test]
    fn a_wire_id_holds_for_its_agent_and_its_descendants_only() {
        let off = table(Policy::default());
        let wire = "reviewer@glm/glm-5";
        for (caller, want) in [
            (Caller::Main, "glm/glm-5"),
            (Caller::Unknown, "glm/glm-5"),
            (agent("reviewer", &[]), "glm/glm-5"),
            (agent("Explore", &["general-purpose", "reviewer"]), "glm/glm-5"),
            (agent("Explore", &[]), "refused "),
            (agent("critic", &[]), "refused critic"),
        ] {
            assert_eq!(choose(&off, wire, &caller, "subagent"), want, "{caller:?}");
        }
        let orphan = Caller::Agent { name: "Explore".into(), ancestors: vec!["Plan".into()], orphan: true };
        assert_eq!(choose(&off, wire, &orphan, "subagent"), "glm/glm-5", "nothing speaks against it");
        let main_models = ["critic", "reviewer"].map(|agent| off.wire_of(agent).unwrap().clone());
        let caller = agent("Explore", &[]);
        let ask =
            Ask { model: Some(wire), caller: &caller, class: Some("subagent"), main_models: &main_models };
        assert!(matches!(off.choose(&ask), Choice::Route { .. }), "inherited from the main session");
        let allowed = [route("glm/glm-5")].into();
        let on = table(Policy { enabled: true, allowed, ..Policy::default() });
        assert_eq!(choose(&on, wire, &agent("critic", &[]), "subagent"), "glm/glm-5");
    }

    #[test]
    fn a12_strays_are_the_routed_agents_own_turns_and_nothing_else() {
        let deny = table(Policy::default());
        let pass = table(Policy { stray: StrayRule::Pass, ..Policy::default() });
        let reviewer = agent("reviewer", &[]);
        for (class, denied, passed) in [
            ("subagent", "refused reviewer", "stray reviewer"),
            ("workflow", "refused reviewer", "stray reviewer"),
            ("auxiliary", "default", "default"),
            ("compaction", "default", "default"),
            ("", "default", "default"),
        ] {
            assert_eq!(choose(&deny, "claude-opus-5", &reviewer, class), denied);
            assert_eq!(choose(&pass, "claude-opus-5", &reviewer, class), passed);
        }
        assert_eq!(choose(&deny, "claude-opus-5", &agent("Explore", &[]), "subagent"), "default");
    }

    #[test]
    fn l6_a_main_route_takes_whatever_claude_model_still_comes() {
        let main = Table::new(vec![binding("main", "glm/glm-5")], vec![], Policy::default());
        assert_eq!(choose(&main, "main@glm/glm-5", &agent("Explore", &[]), "subagent"), "glm/glm-5");
        assert_eq!(choose(&main, "claude-haiku-4-5-20251001", &Caller::Main, "auxiliary"), "glm/glm-5");
        assert_eq!(choose(&main, "gpt-x", &Caller::Main, "main"), "default");
    }
}
