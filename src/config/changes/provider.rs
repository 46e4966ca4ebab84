//! A provider's table: made, and changed one key at a time.

use toml_edit::{InlineTable, Value};

use crate::config::edit::{Document, DocumentError};
use crate::config::{Config, ProviderName, SecretRef, SecretRefError};

/// What a provider's table is to hold. What is left out is the preset's, or has a default.
#[derive(Debug, Clone)]
pub struct NewProvider {
    pub name: ProviderName,
    pub preset: Option<String>,
    pub base_url: Option<String>,
    /// As `dialect` writes it.
    pub dialect: Option<String>,
    /// As `auth.kind` writes it.
    pub auth_kind: Option<String>,
    /// For `auth.kind` `header`.
    pub header: Option<String>,
    pub secret: Option<SecretRef>,
}

/// The keys of a provider that can be set, and what each takes.
pub const PROVIDER_KEYS: [(&str, &str); 12] = [
    ("preset", "a preset's name"),
    ("base_url", "an address"),
    ("dialect", "anthropic, openai-chat or openai-responses"),
    ("auth.kind", "none, bearer, x-api-key, both or header"),
    ("auth.secret", "env:NAME, file:PATH, cmd:COMMAND or keyring:SERVICE/ACCOUNT"),
    ("auth.header", "a header's name"),
    ("ca_file", "a PEM file"),
    ("verify_tls", "true or false"),
    ("timeouts.connect", "seconds"),
    ("timeouts.first_byte", "seconds"),
    ("timeouts.idle", "seconds"),
    ("timeouts", "only with --unset"),
];

/// Why a key can't be set to a value. Holds nothing of the value: it may be a key of another kind.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("a provider has no such key: there is {known}", known = known_keys())]
    Unknown,
    #[error("`{key}` can't be this: it takes {takes}")]
    Value { key: &'static str, takes: &'static str },
    #[error("`auth.secret`: {0}")]
    Secret(#[from] SecretRefError),
    #[error(transparent)]
    Document(#[from] DocumentError),
}

/// What is done to one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderValue<'v> {
    Set(&'v str),
    Unset,
}

/// Adds the provider's table.
///
/// # Errors
/// The file is written in a form that can't be changed.
pub fn add_provider(document: &mut Document, provider: &NewProvider) -> Result<(), DocumentError> {
    let name = provider.name.as_str();
    let texts =
        [("preset", &provider.preset), ("base_url", &provider.base_url), ("dialect", &provider.dialect)];
    for (key, text) in texts {
        if let Some(text) = text {
            document.set(&["providers", name, key], text.as_str())?;
        }
    }
    let auth = auth_table(provider);
    if auth.is_empty() { Ok(()) } else { document.set(&["providers", name, "auth"], Value::from(auth)) }
}

/// Sets or unsets one key of the provider's table; false where there was nothing to unset.
///
/// # Errors
/// There is no such key, it can't have this value, or the file can't be changed there.
pub fn set_provider(
    document: &mut Document,
    name: &ProviderName,
    key: &str,
    value: ProviderValue<'_>,
) -> Result<bool, KeyError> {
    let known = PROVIDER_KEYS.iter().find(|(known, _)| *known == key);
    let (key, takes) = *known.ok_or(KeyError::Unknown)?;
    let path: Vec<&str> = ["providers", name.as_str()].into_iter().chain(key.split('.')).collect();
    match value {
        ProviderValue::Unset => Ok(document.remove(&path)?),
        ProviderValue::Set(text) => {
            document.set(&path, typed(key, takes, text)?)?;
            Ok(true)
        }
    }
}

/// Who needs the provider: agents, routes with settings, the policy, the main session.
pub fn users(config: &Config, provider: &ProviderName) -> Vec<String> {
    let agents = config.agents.iter().filter_map(|agent| Some((&agent.name, agent.model.route()?)));
    let agents = agents.filter(|(_, route)| route.provider() == provider);
    let agents = agents.map(|(name, route)| format!("agent `{name}` (`{route}`)"));
    let routes = config.routes.keys().filter(|route| route.provider() == provider);
    let routes = routes.map(|route| format!("[routes.\"{route}\"]"));
    let allowed = config.policy.allowed.iter().filter(|route| route.provider() == provider);
    let allowed = allowed.map(|route| format!("`allowed` of [policy] (`{route}`)"));
    let main = config.main.route.iter().filter(|route| route.provider() == provider);
    let main = main.map(|route| format!("`route` of [main] (`{route}`)"));
    agents.chain(routes).chain(allowed).chain(main).collect()
}

fn auth_table(provider: &NewProvider) -> InlineTable {
    let secret = provider.secret.as_ref().map(SecretRef::to_string);
    let parts = [("kind", &provider.auth_kind), ("header", &provider.header), ("secret", &secret)];
    let mut table = InlineTable::new();
    for (key, text) in parts {
        if let Some(text) = text {
            table.insert(key, Value::from(text.as_str()));
        }
    }
    table
}

fn typed(key: &'static str, takes: &'static str, text: &str) -> Result<Value, KeyError> {
    let wrong = || KeyError::Value { key, takes };
    match key {
        "timeouts" => Err(wrong()),
        "verify_tls" => Ok(Value::from(text.parse::<bool>().map_err(|_| wrong())?)),
        "auth.secret" => Ok(Value::from(text.parse::<SecretRef>()?.to_string())),
        seconds if seconds.starts_with("timeouts.") => number(text).ok_or_else(wrong),
        _ => Ok(Value::from(text)),
    }
}

/// As it was written: a whole number stays one.
fn number(text: &str) -> Option<Value> {
    let whole = text.parse::<i64>().ok().map(Value::from);
    whole.or_else(|| text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from))
}

fn known_keys() -> String {
    let names: Vec<String> = PROVIDER_KEYS.iter().map(|(key, _)| format!("`{key}`")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(key: &str, value: &str) -> Result<String, KeyError> {
        let mut document = Document::parse("[providers.p]\npreset = \"glm\" # mine\n").unwrap();
        set_provider(&mut document, &"p".parse().unwrap(), key, ProviderValue::Set(value))?;
        Ok(document.to_string())
    }

    #[test]
    fn a_new_table_holds_what_was_given_and_no_more() {
        let mut document = Document::parse("").unwrap();
        let provider = NewProvider {
            name: "gw".parse().unwrap(),
            preset: None,
            base_url: Some("https://gw.example".to_owned()),
            dialect: None,
            auth_kind: Some("header".to_owned()),
            header: Some("x-key".to_owned()),
            secret: Some("env:K".parse().unwrap()),
        };
        add_provider(&mut document, &provider).unwrap();
        let expect = "[providers.gw]\nbase_url = \"https://gw.example\"\nauth = { kind = \"header\", header = \
                      \"x-key\", secret = \"env:K\" }\n";
        assert_eq!(document.to_string(), expect);
    }

    #[test]
    fn each_key_takes_its_own_kind_of_value() {
        assert!(set("verify_tls", "false").unwrap().ends_with("verify_tls = false\n"));
        assert!(set("timeouts.idle", "30").unwrap().ends_with("timeouts = { idle = 30 }\n"));
        assert!(set("timeouts.connect", "0.5").unwrap().ends_with("{ connect = 0.5 }\n"));
        assert!(set("auth.secret", "env:K").unwrap().ends_with("auth = { secret = \"env:K\" }\n"));
        assert!(set("preset", "kimi").unwrap().contains("\"kimi\" # mine"));
    }

    #[test]
    fn i03_a_wrong_value_is_refused_and_never_repeated() {
        for (key, part) in [
            ("auth.secret", "no reference"),
            ("verify_tls", "true or false"),
            ("timeouts.idle", "seconds"),
            ("timeouts", "--unset"),
            ("api_key", "no such key"),
        ] {
            let told = set(key, "sk-canary").unwrap_err().to_string();
            assert!(told.contains(part) && !told.contains("canary"), "{told}");
        }
    }

    #[test]
    fn what_is_unset_goes_and_what_was_not_there_is_told() {
        let mut document =
            Document::parse("[providers.p]\ntimeouts = { idle = 1 }\nbase_url = \"x\"\n").unwrap();
        let name = "p".parse().unwrap();
        let mut unset = |key| set_provider(&mut document, &name, key, ProviderValue::Unset).unwrap();
        assert!(unset("timeouts") && unset("base_url"));
        assert!(!unset("ca_file"));
        assert_eq!(document.to_string(), "[providers.p]\n");
    }
}
