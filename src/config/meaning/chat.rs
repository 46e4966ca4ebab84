//! `chat = { … }` of a provider or a route: what its dialect of `OpenAI`'s leaves open.

use toml::de::DeValue;

use crate::config::raw::Section;
use crate::config::report::Report;
use crate::config::{ChatOptions, Effort, LimitField, ThinkingField};

const LIMIT: &str = "`max_tokens` or `max_completion_tokens`";
const EFFORT: &str = "the highest one known, `low`, `medium`, `high`, `xhigh` or `max`, or `false`";
const THINKING: &str = "`reasoning_content`, `reasoning`, or `false`";

/// `usual`: what holds where nothing is said.
pub(super) fn read(mut section: Section<'_>, usual: ChatOptions, report: &mut Report) -> ChatOptions {
    let limit = section.typed("limit", LIMIT, report, |value| LimitField::of(value.as_str()?));
    let effort = section.typed("effort", EFFORT, report, |value| unless_false(value, Effort::of));
    let thinking =
        section.typed("thinking", THINKING, report, |value| unless_false(value, ThinkingField::of));
    section.finish(report);
    ChatOptions {
        limit: limit.map_or(usual.limit, |limit| limit.value),
        effort: effort.map_or(usual.effort, |effort| effort.value),
        thinking: thinking.map_or(usual.thinking, |thinking| thinking.value),
    }
}

#[expect(
    clippy::option_option,
    reason = "the outer is whether the value can be read, the inner what it says"
)]
fn unless_false<T>(value: &DeValue<'_>, of: fn(&str) -> Option<T>) -> Option<Option<T>> {
    match value.as_bool() {
        Some(false) => Some(None),
        _ => of(value.as_str()?).map(Some),
    }
}
