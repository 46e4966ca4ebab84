//! An agent in the words of `list` and `show`: cells for people, values for programs.

use serde_json::{Value, json};

use crate::command::print;
use crate::config::Visibility;
use crate::config::agent::Agent;
use crate::launch::roster::{Claim, Claimant, Entry, Fate, Room, Roster};
use crate::launch::scopes::{OtherAgent, Scope};

/// What an agent runs on; `-` where the file doesn't say, because it is broken.
pub(super) fn model(agent: Option<&Agent>) -> String {
    agent.map(|agent| agent.model.to_string()).unwrap_or_default()
}

/// `all`, `none`, or how many.
pub(super) fn tools(agent: Option<&Agent>) -> String {
    match agent.map(|agent| agent.tools.as_deref()) {
        None => String::new(),
        Some(None) => "all".to_owned(),
        Some(Some([])) => "none".to_owned(),
        Some(Some(tools)) => tools.len().to_string(),
    }
}

pub(super) fn visibility(agent: &Agent) -> &'static str {
    match agent.visibility {
        Visibility::Model => "model",
        Visibility::Hidden => "hidden",
        Visibility::Off => "off",
    }
}

/// Who wins where several agents have one name, as a sentence for each of the others.
pub(super) fn overlaps(entry: &Entry, roster: &Roster) -> Vec<String> {
    let name = entry.file.name();
    let ours_wins = roster.wins(entry);
    let sentence = |claim: &Claim<'_>| {
        let Claimant::Other(other) = claim.by else { return None };
        let place = format!("{} ({}, model {})", other.scope.place(), other.file.display(), other.model);
        match claim.fate {
            Fate::Wins if entry.is_handed_over() => {
                Some(format!("agent `{name}`: the one in {place} overrides ours"))
            }
            Fate::Overridden if ours_wins => {
                Some(format!("agent `{name}`: ours overrides the one in {place}"))
            }
            Fate::Wins | Fate::Overridden => Some(format!("agent `{name}` is also in {place}")),
            Fate::LeftOut | Fate::Beside => None,
        }
    };
    roster.claims(name).iter().filter_map(sentence).collect()
}

/// Everything that goes by the name, the strongest first, as a row for people.
pub(super) fn claim_row(claim: &Claim<'_>) -> Vec<String> {
    let fate = match claim.fate {
        Fate::Wins => "wins",
        Fate::Overridden => "overridden",
        Fate::LeftOut => "not handed over",
        Fate::Beside => "by this name",
    };
    vec![
        match claim.by {
            Claimant::Ours(_) => "--agents".to_owned(),
            Claimant::Other(other) => scope(other.scope).to_owned(),
        },
        claim.by.name().to_owned(),
        claim.by.model().unwrap_or_default(),
        fate.to_owned(),
        claim.by.file().display().to_string(),
    ]
}

/// The same for programs.
pub(super) fn claim_json(claim: &Claim<'_>) -> Value {
    let scope = match claim.by {
        Claimant::Ours(_) => "ours",
        Claimant::Other(other) => scope(other.scope),
    };
    let fate = match claim.fate {
        Fate::Wins => "wins",
        Fate::Overridden => "overridden",
        Fate::LeftOut => "left_out",
        Fate::Beside => "beside",
    };
    json!({
        "scope": scope, "name": claim.by.name(), "model": claim.by.model(), "fate": fate, "file": claim.by.file(),
    })
}

/// Tells when the definitions come near to what one argument may hold, and the largest of them.
pub(super) fn tell_room(roster: &Roster) {
    let consequence = match roster.room() {
        Room::Enough => return,
        Room::Scarce => "beyond that they are handed over as files",
        Room::None => "so they are handed over as files",
    };
    let mut entries: Vec<&Entry> = roster.entries.iter().collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.bytes));
    let largest: Vec<String> = entries
        .iter()
        .take(3)
        .map(|entry| format!("{} ({} bytes)", entry.file.name(), entry.bytes))
        .collect();
    let (bytes, limit) = (roster.bytes, Roster::LIMIT);
    print::line_to_stderr(&format!(
        "subagents: the definitions take {bytes} of the {limit} bytes of one argument: {consequence}; the largest are {}",
        largest.join(", ")
    ));
}

/// One agent of ours, documented in docs/json/agent-list.schema.json.
pub(super) fn json(entry: &Entry, roster: &Roster) -> Value {
    let agent = entry.file.agent.as_ref();
    let name = entry.file.name();
    json!({
        "name": name,
        "description": agent.map(|agent| &agent.description),
        "file": entry.file.file,
        "usable": entry.usable,
        "model": agent.map(|agent| agent.model.to_string()),
        "route": agent.and_then(|agent| agent.model.route()).map(ToString::to_string),
        "tools": agent.and_then(|agent| agent.tools.clone()),
        "visibility": agent.map(visibility),
        "read_only": agent.map(|agent| agent.read_only),
        "bytes": entry.bytes,
        "wins": roster.wins(entry),
        "namesakes": roster.namesakes(name).map(other).collect::<Vec<_>>(),
        "problems": entry.problems,
    })
}

/// An agent that Claude Code finds by itself.
pub(super) fn other(other: &OtherAgent) -> Value {
    json!({
        "name": other.name,
        "scope": scope(other.scope),
        "model": other.model,
        "description": other.description,
        "tools": other.tools,
        "file": other.file,
    })
}

pub(super) fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Managed => "managed",
        Scope::Project => "project",
        Scope::User => "user",
        Scope::Plugin => "plugin",
    }
}
