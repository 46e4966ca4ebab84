//! A tool call's arguments: JSON within a JSON string, as far as it has come.

use serde::de::IgnoredAny;
use serde_json::error::Category;

/// What the arguments are if nothing more comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A tool without parameters.
    Empty,
    Object,
    /// The beginning of something.
    Cut,
    /// The model's mistake.
    Other,
}

impl Shape {
    /// Of the inside of a JSON string.
    pub(super) fn of(escaped: &str) -> Self {
        let Some(json) = decoded(escaped) else { return Self::Other };
        if json.trim().is_empty() {
            return Self::Empty;
        }
        match serde_json::from_str::<IgnoredAny>(&json) {
            Ok(_) if json.trim_start().starts_with('{') => Self::Object,
            Err(error) if error.classify() == Category::Eof => Self::Cut,
            _ => Self::Other,
        }
    }
}

/// What a JSON string says, given without its quotes. `None` of half a surrogate pair.
pub(super) fn decoded(escaped: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{escaped}\"")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_whole_cut_or_a_mistake() {
        for (json, shape) in [
            ("", Shape::Empty),
            (" \n", Shape::Empty),
            ("{}", Shape::Object),
            (r#" {"a":[1,"}"]} "#, Shape::Object),
            (r#"{"a":"#, Shape::Cut),
            (r#"{"a":"b"#, Shape::Cut),
            ("{\"a\":\"b\\", Shape::Cut),
            (r#"{"a":1}}"#, Shape::Other),
            ("{'a':1}", Shape::Other),
            ("[1]", Shape::Other),
        ] {
            let quoted = serde_json::to_string(json).unwrap();
            assert_eq!(Shape::of(&quoted[1..quoted.len() - 1]), shape, "{json}");
        }
    }
}
