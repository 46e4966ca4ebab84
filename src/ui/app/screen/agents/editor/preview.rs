//! What Claude Code is told of the agent: its part of `--agents`, as a launch would compose it.

use super::check::Checked;
use crate::config::Config;
use crate::launch::agents_json::definitions;
use crate::launch::bind::bind;

/// The JSON, or why there is none.
pub(super) fn preview(checked: &Checked, config: &Config) -> Result<String, &'static str> {
    let Some(agent) = &checked.agent else { return Err("It is no agent as it stands: mend what is marked.") };
    let mut config = config.clone();
    match config.agents.iter_mut().find(|other| other.file == agent.file) {
        Some(other) => *other = agent.clone(),
        None => config.agents.push(agent.clone()),
    }
    let (bound, _) = bind(&config);
    if !bound.iter().any(|bound| bound.agent.file == agent.file) {
        return Err("A launch leaves it out: its route can't be used.");
    }
    let all = definitions(&bound);
    let Some(definition) = all.get(&agent.name) else {
        return Err("The main model isn't told of it, as it is hidden or off.");
    };
    let part = serde_json::json!({ &agent.name: definition });
    serde_json::to_string_pretty(&part).map_err(|_| "It can't be written as JSON.")
}
