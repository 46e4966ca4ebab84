//! What a record leaves out, because it may be a key in a place where people put one. Pure.
//!
//! That is a value below `env` or `headers` that is written out, one that is given to an option or to a parameter of an
//! address whose name says that it is a secret, and any text that looks like a key. Its place is marked, so that it can
//! be filled from the file that it stands in.

use serde_json::{Value, json};

/// Below these keys stand values that programs take for secrets.
const SECRET_MAPS: [&str; 2] = ["env", "headers"];

/// How the names of options and parameters end whose values are secrets.
const SECRET_NAMES: [&str; 4] = ["key", "token", "secret", "password"];

/// What keys begin with, and the length from which a word that begins so is one.
const PREFIXES: [&str; 16] = [
    "sk-",
    "sk_",
    "pk_",
    "rk_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xox",
    "AKIA",
    "AIza",
    "hf_",
    "ya29.",
    "eyJ",
    "tvly-",
];
const KEY_LENGTH: usize = 16;

/// Stands where something is left out.
const MARK: &str = "subagents:withheld";

/// Whether a text, or a text within it if it is JSON, may be a key.
pub fn may_hold_a_key(text: &str) -> bool {
    match serde_json::from_str::<Value>(text) {
        Ok(mut value @ (Value::Object(_) | Value::Array(_))) => withhold(&mut value) > 0,
        _ => looks_like_a_key(text),
    }
}

/// Takes out what may be a key, and marks its place. Gives how often.
pub(super) fn withhold(value: &mut Value) -> usize {
    match value {
        Value::String(text) if looks_like_a_key(text) => mark(value),
        Value::Array(values) => withhold_options(values) + values.iter_mut().map(withhold).sum::<usize>(),
        Value::Object(map) => map.iter_mut().map(|(key, value)| withhold_entry(key, value)).sum(),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Puts into every marked place what stands there in `today`, and gives these places. The first that is missing is the
/// error.
pub(super) fn fill(value: &mut Value, today: &Value) -> Result<Vec<String>, String> {
    let mut filled = Vec::new();
    fill_at("", value, Some(today), &mut filled)?;
    Ok(filled)
}

fn withhold_entry(key: &str, value: &mut Value) -> usize {
    match value {
        Value::Object(map) if SECRET_MAPS.contains(&key) => {
            map.values_mut().filter(|value| is_literal(value)).map(mark).sum()
        }
        value => withhold(value),
    }
}

/// The words after options such as `--api-key`; in `--api-key=…`, the word itself.
fn withhold_options(words: &mut [Value]) -> usize {
    let mut is_secret = false;
    let mut withheld = 0;
    for word in words {
        let text = word.as_str().unwrap_or_default();
        let (option, given) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let names_secret = option.starts_with("--") && is_secret_name(option);
        let is_given = given.is_some_and(|value| names_secret && is_literal_text(value));
        let follows = is_secret && !option.starts_with("--") && is_literal_text(text);
        is_secret = names_secret && given.is_none();
        withheld += if is_given || follows { mark(word) } else { 0 };
    }
    withheld
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|ending| name.ends_with(ending))
}

/// Anything but the name of a variable, which Claude Code puts the value in for.
fn is_literal(value: &Value) -> bool {
    value.as_str().is_none_or(is_literal_text)
}

fn is_literal_text(text: &str) -> bool {
    let text = text.strip_prefix("Bearer ").unwrap_or(text);
    !text.is_empty() && !is_variable(text)
}

/// `${NAME}`, and nothing that stands in for it where it is unset.
fn is_variable(text: &str) -> bool {
    let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(is_letter)
}

fn mark(value: &mut Value) -> usize {
    *value = json!({MARK: true});
    1
}

fn is_mark(value: &Value) -> bool {
    value.as_object().is_some_and(|map| map.contains_key(MARK))
}

fn fill_at(
    place: &str,
    value: &mut Value,
    today: Option<&Value>,
    filled: &mut Vec<String>,
) -> Result<(), String> {
    if is_mark(value) {
        *value = today.cloned().ok_or_else(|| place.to_owned())?;
        filled.push(place.to_owned());
        return Ok(());
    }
    match value {
        Value::Object(map) => map.iter_mut().try_for_each(|(key, value)| {
            fill_at(&below(place, key), value, today.and_then(|today| today.get(key)), filled)
        }),
        Value::Array(values) => values.iter_mut().enumerate().try_for_each(|(at, value)| {
            let today = today.and_then(|today| counterpart(today, value, at));
            let name =
                value.get("name").and_then(Value::as_str).map_or_else(|| at.to_string(), str::to_owned);
            fill_at(&below(place, &name), value, today, filled)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// What has a name is found by it, anything else by its place.
fn counterpart<'t>(today: &'t Value, value: &Value, at: usize) -> Option<&'t Value> {
    let named = |name: &Value| today.as_array()?.iter().find(|other| other.get("name") == Some(name));
    value.get("name").map_or_else(|| today.get(at), named)
}

fn below(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

/// A word that begins as keys do, a `Bearer` with its token, or an address with a password.
fn looks_like_a_key(text: &str) -> bool {
    let separates = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=' | ':' | ',' | ';' | '(' | ')' | '<' | '>')
    };
    let mut before = "";
    for word in text.split(separates).filter(|word| !word.is_empty()) {
        let bearer =
            before.eq_ignore_ascii_case("bearer") && !word.starts_with('$') && !word.starts_with('{');
        if word.len() >= KEY_LENGTH && (bearer || PREFIXES.iter().any(|prefix| word.starts_with(prefix))) {
            return true;
        }
        before = word;
    }
    has_password(text) || has_secret_parameter(text)
}

/// `scheme://host/path?api_key=…`
fn has_secret_parameter(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let address =
            rest.split(|c: char| c.is_whitespace() || c == '"' || c == '\'').next().unwrap_or_default();
        let query = address.split_once('?').map_or("", |(_, query)| query);
        let mut parameters = query.split(['&', '#', ';']).filter_map(|parameter| parameter.split_once('='));
        parameters.any(|(name, value)| is_secret_name(name) && is_literal_text(value))
    })
}

/// `scheme://user:password@host`
fn has_password(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', ' ', '"', '\n']).next().unwrap_or_default();
        authority.split_once('@').is_some_and(|(user, _)| user.contains(':') && !user.contains('$'))
    })
}
