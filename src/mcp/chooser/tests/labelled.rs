//! Tasks with the agent that each is for, and the twelve agents. Also read by `tests/claude/servers/chooser.rs`.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Deserialize)]
struct Team {
    agent: Vec<Member>,
}

#[derive(Deserialize)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) description: String,
}

/// The weights were chosen on the first half; the other one says what they are worth.
pub(super) const HALVES: [(&str, &str); 2] = [
    ("development", include_str!("../labelled/development.toml")),
    ("held-out", include_str!("../labelled/held-out.toml")),
];

/// The twelve that the tasks are for.
pub(super) fn team() -> Vec<Member> {
    let team: Team = toml::from_str(include_str!("../labelled/agents.toml")).unwrap();
    team.agent
}

/// Each task of a half after the agent that is meant, or `unsure`.
pub(super) fn tasks(half: &str) -> Vec<(String, String)> {
    let labelled: BTreeMap<String, Vec<String>> = toml::from_str(half).unwrap();
    let each =
        |(meant, tasks): (String, Vec<String>)| tasks.into_iter().map(move |task| (meant.clone(), task));
    labelled.into_iter().flat_map(each).collect()
}
