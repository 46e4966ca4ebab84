//! A JSON string as it stands in the message, quotes, escapes and all.
//!
//! It is copied and joined without being decoded: long texts cost little, and what no Rust string can hold (half
//! of a surrogate pair, which JavaScript writes as an escape) goes on as it came.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(Cow<'a, RawValue>);

impl<'a> Text<'a> {
    /// `None` for what is no string.
    pub(super) fn new(raw: &'a RawValue) -> Option<Self> {
        raw.get().starts_with('"').then_some(Self(Cow::Borrowed(raw)))
    }

    pub(super) fn of(plain: &str) -> Text<'static> {
        let quoted = serde_json::value::to_raw_value(plain);
        Text(Cow::Owned(quoted.unwrap_or_else(|_| RawValue::NULL.to_owned())))
    }

    /// From what [`Self::escaped`] gave, or parts of it that were cut at no escape.
    pub(super) fn from_escaped(escaped: &str) -> Text<'static> {
        let quoted = RawValue::from_string(format!("\"{escaped}\""));
        quoted.map_or_else(|_| Text::of(escaped), |quoted| Text(Cow::Owned(quoted)))
    }

    /// Without its quotes, still escaped.
    pub(super) fn escaped(&self) -> &str {
        let quoted = self.0.get();
        quoted.get(1..quoted.len() - 1).unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.escaped().is_empty()
    }

    /// Nothing but white space?
    pub(super) fn is_blank(&self) -> bool {
        let mut rest = self.escaped().trim_start();
        while let Some(next) = ["\\n", "\\r", "\\t"].iter().find_map(|escape| rest.strip_prefix(escape)) {
            rest = next.trim_start();
        }
        rest.is_empty()
    }

    /// All of them, with `between` between two. `None` of none.
    pub(super) fn join(texts: &[Self], between: &str) -> Option<Self> {
        match texts {
            [] => None,
            [one] => Some(one.clone()),
            many => {
                let between = Text::of(between);
                let all: Vec<&str> = many.iter().map(Self::escaped).collect();
                Some(Self::from_escaped(&all.join(between.escaped())))
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Self::new(raw).ok_or_else(|| D::Error::custom("expected a string"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> Text<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn half_a_surrogate_pair_goes_through() {
        let joined = Text::join(&[text(r#""a\ud83d""#), text(r#""\ude42b""#)], "\n");
        assert_eq!(serde_json::to_string(&joined).unwrap(), r#""a\ud83d\n\ude42b""#);
    }

    #[test]
    fn e16_white_space_is_blank_however_it_is_written() {
        for (json, blank) in [
            (r#""""#, true),
            (r#"" \n\t \r""#, true),
            (r#"" \n.""#, false),
            (r#""\\n""#, false),
            ("\"\u{a0}\"", true),
        ] {
            assert_eq!(text(json).is_blank(), blank, "{json}");
        }
    }

    #[test]
    fn what_is_no_string_is_refused() {
        for json in ["1", "null", "[]", "{}"] {
            assert!(serde_json::from_str::<Text<'_>>(json).is_err(), "{json}");
        }
    }
}
