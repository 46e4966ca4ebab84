//! What Claude Code asks for, and where else a provider may take it. Pure.

use crate::config::{Dialect, Provider};

const ANTHROPIC: &str = "/anthropic";
const VERSION: &str = "/v1";

/// As Claude Code calls them, query and all.
pub(super) const COMPLETION: &str = "/v1/messages?beta=true";
pub(super) const COUNT: &str = "/v1/messages/count_tokens?beta=true";

/// Other dialects and base URLs at the same host, the likeliest first.
pub(super) fn others(provider: &Provider) -> Vec<(Dialect, String)> {
    let base = provider.base_url.as_str();
    match provider.dialect {
        Dialect::Anthropic => {
            let above = base.strip_suffix(ANTHROPIC);
            let beside = above.map_or_else(|| format!("{base}{ANTHROPIC}"), str::to_owned);
            let chat = format!("{}{VERSION}", above.unwrap_or(base));
            vec![
                (Dialect::Anthropic, beside),
                (Dialect::OpenaiChat, chat.clone()),
                (Dialect::OpenaiResponses, chat),
            ]
        }
        Dialect::OpenaiChat => beside_openai(base, Dialect::OpenaiResponses),
        Dialect::OpenaiResponses => beside_openai(base, Dialect::OpenaiChat),
    }
}

/// `other`: the second of `OpenAI`'s dialects.
fn beside_openai(base: &str, other: Dialect) -> Vec<(Dialect, String)> {
    let above = base.strip_suffix(VERSION).unwrap_or(base);
    vec![
        (Dialect::Anthropic, above.to_owned()),
        (Dialect::Anthropic, format!("{above}{ANTHROPIC}")),
        (other, base.to_owned()),
    ]
}
