//! Why an answer ended.

/// By the provider's own words, with those of its look-alikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dialect) enum Finish {
    /// `stop`, `tool_calls`, and whatever else isn't known: what was said decides.
    Ended,
    /// The limit of tokens, or the end of the model's context.
    Cut,
    /// The provider's filter.
    Filtered,
}

impl Finish {
    /// Of a `finish_reason`, or of what `OpenAI`'s Responses give as the reason of an incomplete one.
    pub(in crate::dialect) fn of(reason: &str) -> Self {
        match reason {
            "length" | "max_tokens" | "max_output_tokens" | "model_length" => Self::Cut,
            "content_filter" | "safety" | "refusal" => Self::Filtered,
            _ => Self::Ended,
        }
    }
}
