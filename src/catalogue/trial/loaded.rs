//! How much of a prompt a server of Ollama keeps: it loads a model with a context of its own choice, whatever the model
//! was trained for, and forgets the beginning of what is longer.

use std::num::NonZeroU64;

use serde_json::Value;

use super::report::Verdict;
use crate::catalogue::Fault;
use crate::catalogue::listing::ollama::loaded;
use crate::config::preset::ListShape;
use crate::config::{Auth, Provider};

/// Tokens. Claude Code's own prompt and tools take half of it before anything is asked.
const LEAST: u64 = 32_000;

/// Which models are loaded, and how.
pub(super) const CALL: &str = "/api/ps";

/// The base URL and the key of the server's own API; `None`: it is none of Ollama.
pub(super) fn place(provider: &Provider) -> Option<(String, Auth)> {
    let place =
        crate::catalogue::places(provider).into_iter().find(|place| place.shape == ListShape::Ollama)?;
    let base_url = place.base_url.strip_suffix("/v1").unwrap_or(&place.base_url);
    Some((base_url.to_owned(), place.auth))
}

/// What the answer says of the model, which has just been used. `window` is what the configuration says that it has.
pub(super) fn judge(answer: Result<Value, Fault>, model: &str, window: Option<NonZeroU64>) -> Verdict {
    let value = match answer {
        Ok(value) => value,
        Err(fault) => return Verdict::Unknown(format!("it doesn't say with how many tokens: {fault}")),
    };
    let Some(tokens) = loaded(&value, model) else {
        return Verdict::Unknown("it doesn't say with how many tokens the model is loaded".to_owned());
    };
    let wanted = window.map_or(LEAST, NonZeroU64::get);
    if tokens.get() >= wanted {
        return Verdict::Works;
    }
    let why = if window.is_some() { "`context_window` says" } else { "an agent needs" };
    Verdict::Fails(format!(
        "the model is loaded with {tokens} tokens, {why} {wanted}, and the beginning of a prompt that is longer gets \
         lost: start Ollama with OLLAMA_CONTEXT_LENGTH={wanted}, or set `num_ctx` in a Modelfile"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(value: Value, window: Option<u64>) -> Verdict {
        judge(Ok(value), "qwen3:8b", window.and_then(NonZeroU64::new))
    }

    fn with(tokens: u64) -> Value {
        json!({"models": [
            {"name": "other:1b", "model": "other:1b", "context_length": 1},
            {"name": "qwen3:8b", "model": "qwen3:8b", "context_length": tokens},
        ]})
    }

    #[test]
    fn d15_a_short_context_is_told_before_the_first_agent_meets_it() {
        for (tokens, window, expect) in [
            (4096, None, "fails"),
            (65_536, None, "works"),
            (4096, Some(4096), "works"),
            (65_536, Some(131_072), "fails"),
            (16_384, Some(8192), "works"),
        ] {
            assert_eq!(judged(with(tokens), window).word(), expect, "{tokens} {window:?}");
        }
        let told = judged(with(4096), None);
        let told = told.reason().unwrap_or_default();
        assert!(told.contains("4096 tokens") && told.contains("OLLAMA_CONTEXT_LENGTH=32000"), "{told}");
    }

    #[test]
    fn d15_what_nobody_says_is_unknown() {
        let missing = Err(Fault::Missing { status: 404, path: CALL.to_owned() });
        assert_eq!(judge(missing, "m", None).word(), "unknown");
        for value in [json!({"models": []}), json!({"models": [{"model": "qwen3:8b"}]}), json!("Ollama")] {
            assert_eq!(judged(value.clone(), None).word(), "unknown", "{value}");
        }
    }
}
