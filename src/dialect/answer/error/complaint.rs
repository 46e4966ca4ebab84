//! A provider's error, whatever its shape.

use std::fmt;

use serde_json::Value;

/// How much of an answer that is no JSON is kept, in characters.
const LINE: usize = 500;

/// What a provider says went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::dialect) struct Complaint {
    message: String,
    code: Option<String>,
    kind: Option<String>,
    param: Option<String>,
}

impl Complaint {
    /// An answer's body.
    pub(super) fn read(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Self::of(&value),
            Err(_) => Self { message: line(&String::from_utf8_lossy(body)), ..Self::default() },
        }
    }

    /// `OpenAI`'s `{"error":{…}}`, its inside, or one of the shapes that others use in its place.
    pub(in crate::dialect) fn of(value: &Value) -> Self {
        let value = value.get(0).unwrap_or(value);
        let inner = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let word = |key: &str| inner.get(key).or_else(|| value.get(key)).and_then(word);
        Self {
            message: message(inner, value),
            code: word("code"),
            kind: word("type").or_else(|| word("status")).filter(|kind| kind != "error"),
            param: word("param"),
        }
    }

    /// Of an answer that said nothing of it in its status line.
    pub(super) fn status(&self) -> u16 {
        self.words().map(status).find(|status| *status != UNKNOWN).unwrap_or(UNKNOWN)
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// Its code and its type.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        [self.code.as_deref(), self.kind.as_deref()].into_iter().flatten()
    }
}

const UNKNOWN: u16 = 500;

/// By a code or type of the provider's.
fn status(word: &str) -> u16 {
    let number = word.parse().ok().filter(|status| (400..600).contains(status));
    let has = |parts: &[&str]| parts.iter().any(|part| word.to_ascii_lowercase().contains(part));
    match number {
        Some(status) => status,
        None if has(&["rate_limit", "quota", "resource_exhausted", "too_many"]) => 429,
        None if has(&["overloaded", "unavailable"]) => 529,
        None if has(&["authentication", "api_key", "unauthorized"]) => 401,
        None if has(&["permission", "forbidden"]) => 403,
        None if has(&["invalid", "context_length", "bad_request"]) => 400,
        None => UNKNOWN,
    }
}

/// With what `OpenRouter` passes on of the provider behind it.
fn message(inner: &Value, value: &Value) -> String {
    let named = ["message", "detail", "error", "msg"].iter().find_map(|key| inner.get(key));
    let outer = || value.get("message").filter(|_| !inner.is_string());
    let message = text(named.or_else(outer).unwrap_or(inner));
    match inner.pointer("/metadata/raw").map(text) {
        Some(raw) if !raw.is_empty() && raw != message => format!("{message}: {raw}"),
        _ => message,
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(word) if !word.is_empty() => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Plain text, or what a page of HTML says first, on one line.
fn line(text: &str) -> String {
    let titled = || {
        let lower = text.to_ascii_lowercase();
        let start = lower.find("<title>")? + "<title>".len();
        text.get(start..start + lower[start..].find("</title>")?)
    };
    let plain = titled().map_or_else(|| without_tags(text), str::to_owned);
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() { "no message".to_owned() } else { words.chars().take(LINE).collect() }
}

fn without_tags(text: &str) -> String {
    if !text.trim_start().starts_with('<') {
        return text.to_owned();
    }
    let behind_tags = text.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    behind_tags.collect::<Vec<_>>().join(" ")
}

/// The message, and what else the provider names.
impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [("code", &self.code), ("type", &self.kind), ("param", &self.param)];
        let named = named.iter().filter_map(|(name, word)| Some(format!("{name}: {}", word.as_ref()?)));
        let named = named.collect::<Vec<_>>().join(", ");
        f.write_str(&self.message)?;
        if named.is_empty() { Ok(()) } else { write!(f, " ({named})") }
    }
}
