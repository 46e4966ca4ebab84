//! Tokens, counted as Anthropic's API counts them.

/// As the provider counts. All in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::dialect) struct Usage {
    /// All of the request's, those from and into a cache among them.
    pub(in crate::dialect) prompt: u64,
    pub(in crate::dialect) cached: u64,
    pub(in crate::dialect) written: u64,
    /// Those of thinking among them.
    pub(in crate::dialect) completion: u64,
}

/// Each token in one field only.
#[expect(clippy::struct_field_names, reason = "the names are Anthropic's")]
#[derive(Debug, serde::Serialize)]
pub(super) struct Said {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

impl Usage {
    pub(super) fn said(self) -> Said {
        Said {
            input_tokens: self.prompt.saturating_sub(self.cached).saturating_sub(self.written),
            cache_creation_input_tokens: self.written,
            cache_read_input_tokens: self.cached,
            output_tokens: self.completion,
        }
    }
}
