//! What is different between two snapshots of launches. Pure.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};

/// Longer texts, and all that is no single value, differ without being shown.
const SHOWN: usize = 60;

/// One thing that isn't as it was.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    pub part: Part,
    /// The agent, route or provider; empty for what there is one of.
    pub name: String,
    pub change: Change,
    /// What changed of it.
    pub fields: Vec<Field>,
}

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    Agent,
    Route,
    Provider,
    Policy,
    Main,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    Added,
    Removed,
    Changed,
}

/// One value of it, before and now; `None` where it is no short text, number or word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Field {
    pub name: String,
    pub recorded: Option<String>,
    pub current: Option<String>,
}

/// Everything that differs. Of routes and providers only those count that one of the two launches uses. An older
/// record tells less, and what it doesn't tell isn't compared.
pub fn differences(recorded: &Value, current: &Value) -> Vec<Difference> {
    let used: BTreeSet<String> = used_routes(recorded).chain(used_routes(current)).collect();
    let mut found = agents(recorded, current);
    found.extend(used.iter().filter_map(|id| route(id, &recorded["routes"][id], &current["routes"][id])));
    found.extend(providers(&used, &recorded["providers"], &current["providers"]));
    found.extend(changed(Part::Policy, "", &recorded["policy"], &current["policy"]));
    found.extend(changed(Part::Main, "", &recorded["main"], &current["main"]));
    found
}

fn agents(recorded: &Value, current: &Value) -> Vec<Difference> {
    let is_whole = recorded["version"] != 1;
    let mut found = Vec::new();
    // The first version had the main session's route among its agents.
    for before in list(recorded).filter(|before| is_whole || before["name"] != "main") {
        match list(current).find(|now| now["name"] == before["name"]) {
            Some(now) => found.extend(changed(Part::Agent, name(before), &with_model(before), now)),
            None => found.push(whole(Part::Agent, name(before), Change::Removed)),
        }
    }
    let is_known = |now: &&Value| list(recorded).any(|before| before["name"] == now["name"]);
    let new = list(current).filter(|now| is_whole && !is_known(now));
    found.extend(new.map(|now| whole(Part::Agent, name(now), Change::Added)));
    found
}

/// The first version called an agent's model its route.
fn with_model(agent: &Value) -> Value {
    let mut agent = agent.clone();
    if let Some(route) = agent.as_object_mut().and_then(|agent| agent.remove("route")) {
        agent["model"] = route;
    }
    agent
}

/// A route of which nothing is set has no entry, and isn't gone for that.
fn route(id: &str, recorded: &Value, current: &Value) -> Option<Difference> {
    match (recorded.as_object(), current.as_object()) {
        (None, Some(now)) => {
            let unset: Map<String, Value> = now.keys().map(|key| (key.clone(), Value::Null)).collect();
            changed(Part::Route, id, &Value::Object(unset), current)
        }
        _ => changed(Part::Route, id, recorded, current),
    }
}

/// Those of these routes.
fn providers(routes: &BTreeSet<String>, recorded: &Value, current: &Value) -> Vec<Difference> {
    let names = routes.iter().filter_map(|route| route.split_once('/')).map(|(name, _)| name);
    let compare = |name: &str| match (&recorded[name], &current[name]) {
        (Value::Null, Value::Null) => None,
        (Value::Null, _) => Some(whole(Part::Provider, name, Change::Added)),
        (_, Value::Null) => Some(whole(Part::Provider, name, Change::Removed)),
        (before, now) => changed(Part::Provider, name, before, now),
    };
    let names: BTreeSet<&str> = names.filter(|_| recorded.is_object()).collect();
    names.into_iter().filter_map(compare).collect()
}

/// Only what is recorded is compared.
fn changed(part: Part, name: &str, recorded: &Value, current: &Value) -> Option<Difference> {
    let recorded = recorded.as_object()?;
    let fields = recorded.iter().filter(|(key, before)| is_other(before, &current[key.as_str()]));
    let fields = fields.filter(|(key, _)| !matches!(key.as_str(), "file" | "wire_id"));
    let fields: Vec<Field> = fields
        .map(|(key, before)| Field {
            name: key.clone(),
            recorded: short(before),
            current: short(&current[key.as_str()]),
        })
        .collect();
    let change = Change::Changed;
    (!fields.is_empty()).then(|| Difference { part, name: name.to_owned(), change, fields })
}

/// What isn't set is written in more ways than one.
fn is_other(before: &Value, now: &Value) -> bool {
    let is_unset = |value: &Value| {
        matches!(value, Value::Null | Value::Bool(false)) || *value == Value::Array(Vec::new())
    };
    before != now && !(is_unset(before) && is_unset(now))
}

fn whole(part: Part, name: &str, change: Change) -> Difference {
    Difference { part, name: name.to_owned(), change, fields: Vec::new() }
}

fn short(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => Some("none".to_owned()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(values) => values
            .iter()
            .map(|value| value.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .map(|texts| if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }),
        Value::Object(_) => None,
    }
    .filter(|text| text.chars().count() <= SHOWN && !text.contains('\n'))
}

/// Every route that a launch uses.
fn used_routes(snapshot: &Value) -> impl Iterator<Item = String> {
    let of_agents = list(snapshot).filter(|agent| agent["wire_id"].is_string());
    let of_agents = of_agents.flat_map(|agent| [&agent["model"], &agent["route"]]);
    let allowed = snapshot["policy"]["allowed"].as_array().into_iter().flatten();
    let all = of_agents.chain(allowed).chain([&snapshot["main"]["route"]]);
    all.filter_map(Value::as_str).map(str::to_owned)
}

fn list(snapshot: &Value) -> impl Iterator<Item = &Value> {
    snapshot["agents"].as_array().into_iter().flatten()
}

fn name(agent: &Value) -> &str {
    agent["name"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn recorded() -> Value {
        json!({
            "version": 2,
            "agents": [
                {"name": "rev", "model": "glm/glm-5", "prompt": "You review.", "wire_id": "rev@glm/glm-5", "file": "/a"},
                {"name": "old", "model": "sonnet", "prompt": "x", "wire_id": null, "file": "/b"},
            ],
            "providers": {"glm": {"base_url": "https://a"}, "unused": {"base_url": "https://b"}},
            "routes": {"glm/glm-5": {"price": {"input": 1.0}, "context_window": 1000}, "unused/m": {"price": null}},
            "policy": {"enabled": false, "allowed": [], "stray": "deny"},
            "main": {"upstream": null, "route": null},
        })
    }

    fn lines(recorded: &Value, current: &Value) -> Vec<String> {
        let field = |field: &Field| format!("{} {:?} {:?}", field.name, field.recorded, field.current);
        let line = |d: &Difference| {
            let fields: Vec<String> = d.fields.iter().map(field).collect();
            format!("{:?} {} {:?}: {}", d.part, d.name, d.change, fields.join("; "))
        };
        differences(recorded, current).iter().map(line).collect()
    }

    #[test]
    fn the_same_has_no_differences() {
        assert_eq!(lines(&recorded(), &recorded()), [""; 0]);
    }

    #[test]
    fn each_thing_that_is_not_as_it_was_is_told() {
        let mut now = recorded();
        now["agents"][0]["model"] = json!("ollama/q");
        now["agents"][0]["wire_id"] = json!("rev@ollama/q");
        now["agents"][0]["prompt"] = json!("You\nreview.");
        now["agents"][0]["file"] = json!("/elsewhere");
        now["agents"][1] = json!({"name": "new", "model": "inherit", "wire_id": null});
        now["providers"] = json!({"ollama": {"base_url": "http://c"}, "glm": {"base_url": "https://d"}});
        now["routes"] =
            json!({"glm/glm-5": {"price": {"input": 2.0}}, "ollama/q": {"no_tools": true, "efforts": []}});
        now["policy"]["allowed"] = json!(["glm/glm-5"]);
        now["main"]["upstream"] = json!("https://g");
        assert_eq!(
            lines(&recorded(), &now),
            [
                "Agent rev Changed: model Some(\"glm/glm-5\") Some(\"ollama/q\"); prompt Some(\"You review.\") None",
                "Agent old Removed: ",
                "Agent new Added: ",
                "Route glm/glm-5 Changed: price None None; context_window Some(\"1000\") Some(\"none\")",
                "Route ollama/q Changed: no_tools Some(\"none\") Some(\"true\")",
                "Provider glm Changed: base_url Some(\"https://a\") Some(\"https://d\")",
                "Provider ollama Added: ",
                "Policy  Changed: allowed Some(\"none\") Some(\"glm/glm-5\")",
                "Main  Changed: upstream Some(\"none\") Some(\"https://g\")",
            ]
        );
    }

    #[test]
    fn of_an_older_record_what_it_tells_is_compared() {
        let before = json!({
            "version": 1,
            "agents": [
                {"name": "rev", "route": "glm/glm-4", "wire_id": "rev@glm/glm-4"},
                {"name": "main", "route": "glm/glm-5", "wire_id": "main@glm/glm-5"},
            ],
            "routes": {"glm/glm-4": {"context_window": null, "price": null}, "glm/glm-5": {"context_window": 1000, "price": {"input": 1.0}}},
            "policy": {"enabled": true, "allowed": [], "stray": "deny"},
        });
        assert_eq!(
            lines(&before, &recorded()),
            [
                "Agent rev Changed: model Some(\"glm/glm-4\") Some(\"glm/glm-5\")",
                "Policy  Changed: enabled Some(\"true\") Some(\"false\")",
            ]
        );
    }
}
