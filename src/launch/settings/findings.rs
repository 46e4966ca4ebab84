//! What the user's or an organisation's settings mean for a launch: what they switch off, and what they bypass.
//!
//! Pure; each answer is a sentence for the user, or nothing.

use serde_json::Value;

use super::{Layer, Settings};
use crate::config::environment::Environment;
use crate::launch::arguments::Arguments;

/// Variables that send Claude Code's requests somewhere else than to its base URL.
const OTHER_CLOUDS: [&str; 6] = [
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
];

/// Why Claude Code would not ask its base URL at all; routed agents must not be launched then.
pub fn other_cloud(settings: &Settings, environment: &Environment) -> Option<String> {
    let set = |name: &&str| settings.effective(name, environment).is_some_and(|value| truthy(&value));
    OTHER_CLOUDS.iter().find(|name| set(name)).map(|name| {
        format!(
            "{name} is set: Claude Code then asks that cloud directly and no request reaches the router. \
             Unset it to use routed agents"
        )
    })
}

/// Managed settings beat ours: the base URL that they set stands, and the router is passed by.
pub fn pinned_base_url(settings: &Settings) -> Option<String> {
    let (layer, url) = settings.variable("ANTHROPIC_BASE_URL")?;
    (layer == Layer::Managed && !url.is_empty()).then(|| {
        "your organisation's managed settings set ANTHROPIC_BASE_URL, which nothing beats: no request \
         reaches the router. Ask for it to be removed there, or for `[main] upstream` to be used instead"
            .to_owned()
    })
}

/// Why hooks to `url` would not be called, if they would not.
///
/// Without hooks nobody tells which agent a request belongs to, and nothing is refused.
pub fn hooks_off(
    settings: &Settings,
    arguments: &Arguments,
    environment: &Environment,
    url: &str,
) -> Option<String> {
    let switch = |(option, variable): &(&str, &str)| {
        let set = settings.effective(variable, environment).is_some_and(|value| truthy(&value));
        (arguments.has(option) || set).then(|| format!("--{option} switches hooks off"))
    };
    [("bare", "CLAUDE_CODE_SIMPLE"), ("safe-mode", "CLAUDE_CODE_SAFE_MODE")]
        .iter()
        .find_map(switch)
        .or_else(|| disabled(settings))
        .or_else(|| managed_only(settings))
        .or_else(|| not_allowed(settings, url))
}

fn disabled(settings: &Settings) -> Option<String> {
    let (layer, value) = settings.values("disableAllHooks").next()?;
    (value == true).then(|| format!("`disableAllHooks` in {} switches hooks off", layer.name()))
}

fn managed_only(settings: &Settings) -> Option<String> {
    let managed = settings.layer(Layer::Managed)?;
    (managed.get("allowManagedHooksOnly") == Some(&Value::Bool(true)))
        .then(|| "`allowManagedHooksOnly` in managed settings allows no other hooks".to_owned())
}

fn not_allowed(settings: &Settings, url: &str) -> Option<String> {
    let lists: Vec<(Layer, &Value)> = settings.values("allowedHttpHookUrls").collect();
    let (layer, _) = *lists.first()?;
    let mut patterns =
        lists.iter().filter_map(|(_, list)| list.as_array()).flatten().filter_map(Value::as_str);
    let allowed = patterns.any(|pattern| matches(pattern, url));
    (!allowed).then(|| {
        let name = layer.name();
        format!("`allowedHttpHookUrls` in {name} doesn't list `http://127.0.0.1:*`, where the router listens")
    })
}

/// `*` stands for any text.
fn matches(pattern: &str, url: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == url };
    let Some(tail) = url.strip_prefix(start) else { return false };
    let mut cuts = tail.char_indices().map(|(at, _)| at).chain([tail.len()]);
    cuts.any(|at| matches(rest, &tail[at..]))
}

/// As Claude Code reads a switch.
fn truthy(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
}
