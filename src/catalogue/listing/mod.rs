//! From a provider's answer to its models, by the answer's shape. Pure, and lenient: a field that can't be read is
//! left out, and a list that is none is an error of the caller's.

pub(super) mod lm_studio;
pub(super) mod models;
pub(super) mod ollama;

use std::num::NonZeroU64;

use serde_json::Value;

/// The first of these that is a number of tokens.
fn tokens<const N: usize>(candidates: [&Value; N]) -> Option<NonZeroU64> {
    candidates.into_iter().find_map(|value| NonZeroU64::new(value.as_u64()?))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Whether the list names the word; `None` where there is no list.
fn names(list: &Value, word: &str) -> Option<bool> {
    Some(list.as_array()?.iter().any(|item| item == word))
}

/// The words in a list of mixed values.
fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(text).collect()
}
