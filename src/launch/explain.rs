//! What the policy would say, and by which rule. Pure.

use serde::Serialize;

use crate::config::{Agent, Config, Policy, RouteId, StrayRule, Visibility};

/// Something that somebody may try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// What is tried, as the beginning of a sentence.
    pub attempt: String,
    pub allowed: bool,
    /// Why.
    pub rule: String,
}

/// All that concerns a route.
pub fn of_route(route: &RouteId, config: &Config) -> Vec<Answer> {
    let bound = config.agents.iter().filter(|agent| agent.model.route() == Some(route));
    let mut answers: Vec<Answer> = bound.map(bound_agent).collect();
    answers.push(chosen(route, &config.policy));
    if let Err(refusal) = config.provider_for(route) {
        let rule = format!("{refusal}. {}", refusal.remedy());
        answers.push(Answer { attempt: "anything runs there".to_owned(), allowed: false, rule });
    }
    answers
}

/// All that concerns an agent.
pub fn of_agent(agent: &Agent, config: &Config) -> Vec<Answer> {
    let mut answers = vec![seen(agent), called(agent)];
    if let Some(route) = agent.model.route() {
        answers.push(overridden(agent, &config.policy));
        answers.push(Answer {
            attempt: format!("another agent uses `{}`'s route", agent.name),
            ..chosen(route, &config.policy)
        });
    }
    answers
}

/// A person's own binding authorises that agent for that route.
fn bound_agent(agent: &Agent) -> Answer {
    Answer {
        attempt: format!("`{}` runs there", agent.name),
        allowed: agent.visibility != Visibility::Off,
        rule: match agent.visibility {
            Visibility::Off => "the agent is switched off (`visibility: off`)".to_owned(),
            Visibility::Model | Visibility::Hidden => {
                "its own file binds it to the route, which needs nobody's leave".to_owned()
            }
        },
    }
}

fn chosen(route: &RouteId, policy: &Policy) -> Answer {
    let rule = match (policy.enabled, policy.allowed.contains(route)) {
        (true, true) => "the policy is on and `[policy] allowed` names it",
        (true, false) => "the policy is on and `[policy] allowed` doesn't name it",
        (false, true) => "`[policy] allowed` names it, but `[policy] enabled` is false",
        (false, false) => "`[policy] enabled` is false, so a model chooses nothing",
    };
    Answer {
        attempt: "a model chooses it for itself".to_owned(),
        allowed: policy.allows(route),
        rule: rule.to_owned(),
    }
}

fn seen(agent: &Agent) -> Answer {
    let (allowed, rule) = match agent.visibility {
        Visibility::Model => (true, "it is visible (`visibility: model`)"),
        Visibility::Hidden => {
            (false, "it is hidden (`visibility: hidden`): it can be called by its name only")
        }
        Visibility::Off => (false, "it is switched off (`visibility: off`)"),
    };
    Answer { attempt: "the main model sees it and calls it".to_owned(), allowed, rule: rule.to_owned() }
}

fn called(agent: &Agent) -> Answer {
    let allowed = agent.visibility != Visibility::Off;
    let rule = if allowed {
        "only `visibility: off` keeps one from being called"
    } else {
        "`visibility: off` is for nobody"
    };
    Answer { attempt: "it is delegated to by its name".to_owned(), allowed, rule: rule.to_owned() }
}

fn overridden(agent: &Agent, policy: &Policy) -> Answer {
    let (allowed, rule) = match policy.stray {
        StrayRule::Deny => (
            false,
            "`[policy] stray` is \"deny\": the call is refused, and the model is told to call again without a model",
        ),
        StrayRule::Pass => {
            (true, "`[policy] stray` is \"pass\": it runs off its route, and is counted as a stray")
        }
    };
    Answer {
        attempt: format!("a model calls `{}` with another model", agent.name),
        allowed,
        rule: rule.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::bind::tests::{agent, config};

    fn told(answers: &[Answer]) -> Vec<(bool, &str)> {
        answers.iter().map(|answer| (answer.allowed, answer.attempt.as_str())).collect()
    }

    #[test]
    fn a_route_is_its_agents_and_a_models_if_the_policy_says_so() {
        let mut off = agent("off", "ollama/m");
        off.visibility = Visibility::Off;
        let mut config = config(vec![agent("rev", "ollama/m"), off, agent("other", "glm/m")]);
        let route = "ollama/m".parse().unwrap();
        let runs = [(true, "`rev` runs there"), (false, "`off` runs there")];
        let chosen = "a model chooses it for itself";
        assert_eq!(told(&of_route(&route, &config)), [runs[0], runs[1], (false, chosen)]);
        config.policy.allowed.insert(route.clone());
        assert!(of_route(&route, &config)[2].rule.contains("enabled` is false"));
        config.policy.enabled = true;
        assert_eq!(told(&of_route(&route, &config))[2], (true, chosen));
        let broken = of_route(&"nobody/m".parse().unwrap(), &config);
        assert_eq!(told(&broken), [(false, chosen), (false, "anything runs there")]);
    }

    #[test]
    fn e1_a12_an_agent_is_seen_called_and_kept_on_its_route() {
        let mut hidden = agent("rev", "ollama/m");
        hidden.visibility = Visibility::Hidden;
        let mut config = config(vec![]);
        let answers = of_agent(&hidden, &config);
        assert_eq!(
            answers.iter().map(|answer| answer.allowed).collect::<Vec<_>>(),
            [false, true, false, false]
        );
        config.policy.stray = StrayRule::Pass;
        assert!(of_agent(&hidden, &config)[2].allowed);
        assert_eq!(of_agent(&agent("plain", "inherit"), &config).len(), 2);
    }
}
