//! What differs between providers that speak Chat Completions.

use crate::dialect::prompt::Effort;

/// The defaults are what every such provider takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub limit: LimitField,
    /// The highest `reasoning_effort` that the provider knows; more is said as this. `None`: effort isn't said,
    /// since models that don't reason refuse the field.
    pub effort: Option<Effort>,
    /// How earlier thinking goes back. `None`: it doesn't, since strict providers refuse fields that they don't
    /// know. `DeepSeek` demands it on turns that called tools (its guide "Thinking Mode").
    pub thinking: Option<ThinkingField>,
}

/// The field that carries the limit of output tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitField {
    /// What compatible providers know; deprecated by `OpenAI`.
    #[default]
    MaxTokens,
    /// What `OpenAI`'s reasoning models demand (`OpenAI`'s API reference, "Create chat completion").
    MaxCompletionTokens,
}

/// The field of an assistant's message that carries its thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingField {
    /// `DeepSeek`, Kimi, GLM, llama.cpp.
    ReasoningContent,
    /// `OpenRouter`, newer vLLM.
    Reasoning,
}
