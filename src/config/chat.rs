//! What differs between providers that speak one of `OpenAI`'s dialects.

use serde::{Deserialize, Serialize};

use super::{Config, RouteId};

/// `chat` of a provider or a route. The defaults are what every such provider takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatOptions {
    pub limit: LimitField,
    /// The highest effort that the model knows; more is said as this. `None`: effort isn't said, since models that
    /// don't reason refuse the field. The one option that Responses has too.
    pub effort: Option<Effort>,
    /// How earlier thinking goes back. `None`: it doesn't, since strict providers refuse fields that they don't know.
    pub thinking: Option<ThinkingField>,
}

impl ChatOptions {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Config {
    /// What holds on this route: its own, else its provider's.
    pub fn chat(&self, route: &RouteId) -> ChatOptions {
        let own = self.routes.get(route).and_then(|settings| settings.chat);
        let providers = || self.providers.get(route.provider()).map(|provider| provider.chat);
        own.or_else(providers).unwrap_or_default()
    }
}

/// The field that carries the limit of output tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitField {
    /// What compatible providers know; deprecated by `OpenAI`.
    #[default]
    MaxTokens,
    /// What `OpenAI`'s reasoning models demand (`OpenAI`'s API reference, "Create chat completion").
    MaxCompletionTokens,
}

impl LimitField {
    /// As config.toml writes it.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "max_tokens" => Some(Self::MaxTokens),
            "max_completion_tokens" => Some(Self::MaxCompletionTokens),
            _ => None,
        }
    }
}

/// The field of an assistant's message that carries its thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingField {
    /// `DeepSeek`, Kimi, GLM, llama.cpp.
    ReasoningContent,
    /// `OpenRouter`, newer vLLM.
    Reasoning,
}

impl ThinkingField {
    /// As config.toml writes it.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "reasoning_content" => Some(Self::ReasoningContent),
            "reasoning" => Some(Self::Reasoning),
            _ => None,
        }
    }
}

/// How hard a model is to think, in rising order, by the words that both vendors use (`output_config.effort` of
/// Anthropic's API, `ReasoningEffort` of `OpenAI`'s).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

impl Effort {
    /// As both vendors write it.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "low" => Some(Self::Low),
            "medium" => Some(Self::Medium),
            "high" => Some(Self::High),
            "xhigh" => Some(Self::Xhigh),
            "max" => Some(Self::Max),
            _ => None,
        }
    }
}
