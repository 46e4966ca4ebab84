//! Whether a provider means that the prompt is too long for its model: Claude Code then compacts the conversation,
//! if it is told in Anthropic's words.

use super::Complaint;

/// Codes and types that mean it.
const CODES: [&str; 3] = ["context_length_exceeded", "exceed_context_size_error", "string_above_max_length"];

/// Parts of messages that mean it, in lower case, and who writes so.
const WORDS: [&str; 14] = [
    // OpenAI, vLLM, DeepSeek, OpenRouter, Mistral.
    "maximum context length",
    // OpenAI's Responses.
    "exceeds the context window",
    // llama.cpp.
    "exceeds the available context size",
    // LM Studio.
    "context size has been exceeded",
    "context length of only",
    // Ollama.
    "input length exceeds the context length",
    // Groq.
    "reduce the length of the messages",
    // Moonshot.
    "exceeded model token limit",
    // Google.
    "exceeds the maximum number of tokens allowed",
    // xAI.
    "maximum prompt length",
    // Alibaba.
    "range of input length should be",
    // Text Generation Inference.
    "`inputs` tokens + `max_new_tokens` must be",
    // Those that pass on what Anthropic says.
    "prompt is too long",
    "context_length_exceeded",
];

/// A limit of output tokens that is no fault of the prompt's: a shorter prompt would not mend it.
const LIMIT: [&str; 2] = ["max_tokens' or 'max_completion_tokens' is too large", "max_tokens is too large"];

pub(super) fn is_said_by(complaint: &Complaint) -> bool {
    let message = complaint.message().to_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
    let named = complaint.words().any(|word| CODES.contains(&word));
    (named || says(&WORDS)) && !says(&LIMIT)
}
