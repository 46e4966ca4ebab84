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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::theme::Themes;
    use crate::config::{Config, Problem};

    const PROVIDER: &str = "[providers.p]\nbase_url = \"https://a.example/v1\"\n";

    fn read_text(text: &str) -> (Config, Vec<Problem>) {
        let (config_dir, themes) = (Path::new("/c"), &Themes::default());
        let around = crate::config::meaning::Around { config_dir, home: None, themes };
        let mut report = Report::new(Path::new("/c/config.toml"));
        let config = crate::config::meaning::read(text, &around, &mut report);
        (config, report.into_problems())
    }

    /// Limit, effort and thinking of the route `p/m`.
    fn held(lines: &str) -> ChatOptions {
        let (config, problems) = read_text(lines);
        assert!(problems.is_empty(), "{problems:?}");
        config.chat(&"p/m".parse().unwrap())
    }

    #[test]
    fn a_route_comes_before_its_provider_and_both_before_the_preset_key_by_key() {
        let openai = "[providers.p]\npreset = \"openai\"\n";
        let chat = format!("{PROVIDER}dialect = \"openai-chat\"\n");
        let route = "[routes.\"p/m\"]\nchat = { effort = false, thinking = \"reasoning\" }";
        let (old, new) = (LimitField::MaxTokens, LimitField::MaxCompletionTokens);
        let reasoning = Some(ThinkingField::Reasoning);
        for (text, limit, effort, thinking) in [
            (chat.clone(), old, None, None),
            (openai.to_owned(), new, Some(Effort::High), None),
            (format!("{openai}chat = {{ effort = \"max\" }}"), new, Some(Effort::Max), None),
            (format!("{openai}chat.limit = \"max_tokens\"\n{route}"), old, None, reasoning),
            (format!("{chat}chat.effort = \"low\"\n{route}"), old, None, reasoning),
        ] {
            assert_eq!(held(&text), ChatOptions { limit, effort, thinking }, "{text}");
        }
    }

    #[test]
    fn what_cant_be_read_is_told_and_leaves_what_is_usual() {
        let openai = "[providers.p]\npreset = \"openai\"\n";
        for (value, part) in [
            ("{ limit = \"tokens\" }", "`max_completion_tokens`"),
            ("{ limit = false }", "`max_completion_tokens`"),
            ("{ effort = true }", "or `false`"),
            ("{ effort = \"ultra\" }", "`xhigh`"),
            ("{ thinking = \"thoughts\" }", "`reasoning_content`"),
            ("{ effrt = \"low\" }", "did you mean `effort`"),
            ("7", "a table"),
        ] {
            let (config, problems) = read_text(&format!("{openai}chat = {value}"));
            let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
            assert!(told.len() == 1 && told[0].contains(part), "{value}: {told:?}");
            let chat = config.chat(&"p/m".parse().unwrap());
            assert_eq!((chat.limit, chat.effort), (LimitField::MaxCompletionTokens, Some(Effort::High)));
        }
    }

    #[test]
    fn where_nothing_is_translated_it_is_said_to_do_nothing() {
        let (_, problems) = read_text(&format!("{PROVIDER}chat.effort = \"low\"\n"));
        assert!(problems.len() == 1 && problems[0].message.contains("does nothing"), "{problems:?}");
    }
}
