//! Repairs: small named changes that make a request fit what a provider takes, or an answer fit Claude Code.
//!
//! Here stands which of them hold on a route and why. What each of them does to bytes is `dialect::repair`'s.

mod evidence;
mod standing;
mod switch;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use evidence::{Evidence, mending};
pub use standing::{Because, Standing};
pub use switch::{Repairs, Switch};

use super::similar::suggestion;

/// Every repair that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    DropAttribution,
    FoldSystemTurns,
    HoistSystemTurns,
    ToolReferencesAsText,
    ImagesAsText,
    DropCacheControl,
    DropContextManagement,
    DropOutputConfig,
    DropEffortWithoutThinking,
    ThinkingAsBudget,
    DropThinkingSetting,
    ClampMaxTokens,
    DropBetaToolFields,
    DropServerTools,
    FreeToolChoice,
    DropBetas,
    CollapseDuplicateStarts,
    SignThinking,
    UsageAtStart,
}

/// A word that names no repair.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no repair `{word}`: {suggestion}")]
pub struct UnknownRepair {
    word: String,
    /// What may be meant, or all that there are.
    suggestion: String,
}

impl Repair {
    /// In the order of every list of them: by what they change.
    pub const ALL: [Self; 19] = [
        Self::DropAttribution,
        Self::FoldSystemTurns,
        Self::HoistSystemTurns,
        Self::ToolReferencesAsText,
        Self::ImagesAsText,
        Self::DropCacheControl,
        Self::DropContextManagement,
        Self::DropOutputConfig,
        Self::DropEffortWithoutThinking,
        Self::ThinkingAsBudget,
        Self::DropThinkingSetting,
        Self::ClampMaxTokens,
        Self::DropBetaToolFields,
        Self::DropServerTools,
        Self::FreeToolChoice,
        Self::DropBetas,
        Self::CollapseDuplicateStarts,
        Self::SignThinking,
        Self::UsageAtStart,
    ];

    /// As config.toml writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::DropAttribution => "drop-attribution",
            Self::FoldSystemTurns => "fold-system-turns",
            Self::HoistSystemTurns => "hoist-system-turns",
            Self::ToolReferencesAsText => "tool-references-as-text",
            Self::ImagesAsText => "images-as-text",
            Self::DropCacheControl => "drop-cache-control",
            Self::DropContextManagement => "drop-context-management",
            Self::DropOutputConfig => "drop-output-config",
            Self::DropEffortWithoutThinking => "drop-effort-without-thinking",
            Self::ThinkingAsBudget => "thinking-as-budget",
            Self::DropThinkingSetting => "drop-thinking-setting",
            Self::ClampMaxTokens => "clamp-max-tokens",
            Self::DropBetaToolFields => "drop-beta-tool-fields",
            Self::DropServerTools => "drop-server-tools",
            Self::FreeToolChoice => "free-tool-choice",
            Self::DropBetas => "drop-betas",
            Self::CollapseDuplicateStarts => "collapse-duplicate-starts",
            Self::SignThinking => "sign-thinking",
            Self::UsageAtStart => "usage-at-start",
        }
    }

    /// What it does, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Self::DropAttribution => {
                "takes the line `x-anthropic-billing-header: …` out of `system`: it changes with each request"
            }
            Self::FoldSystemTurns => "moves system turns among the messages into the user's turn beside them",
            Self::HoistSystemTurns => "moves system turns among the messages to the end of `system`",
            Self::ToolReferencesAsText => "writes tool references as text, and gives deferred tools at once",
            Self::ImagesAsText => "puts a line of text in the place of each image",
            Self::DropCacheControl => "takes `cache_control` out of every block and tool",
            Self::DropContextManagement => "takes out `context_management` and its beta",
            Self::DropOutputConfig => "takes out `output_config` and its beta",
            Self::DropEffortWithoutThinking => "takes out the effort where thinking is disabled",
            Self::ThinkingAsBudget => "writes adaptive thinking as a budget below `max_tokens`",
            Self::DropThinkingSetting => "takes out `thinking`: the model thinks as it does by itself",
            Self::ClampMaxTokens => "lowers `max_tokens` to the route's `output_limit`",
            Self::DropBetaToolFields => "takes out of tools what only betas know, and those betas",
            Self::DropServerTools => "takes out tools that run on Anthropic's servers or are defined there",
            Self::FreeToolChoice => "lets the model choose where a tool was forced",
            Self::DropBetas => "takes values out of the `anthropic-beta` header, or all of them",
            Self::CollapseDuplicateStarts => "takes out the second start of a content block that is open",
            Self::SignThinking => "gives thinking without a signature an empty one",
            Self::UsageAtStart => "puts an estimate where an answer begins with 0 input tokens",
        }
    }

    /// Whether it changes the body of a request.
    pub fn changes_body(self) -> bool {
        self != Self::DropBetas && !self.changes_answer()
    }

    /// Whether it changes the answer on its way back.
    pub fn changes_answer(self) -> bool {
        matches!(self, Self::CollapseDuplicateStarts | Self::SignThinking | Self::UsageAtStart)
    }
}

impl FromStr for Repair {
    type Err = UnknownRepair;

    fn from_str(word: &str) -> Result<Self, UnknownRepair> {
        let found = Self::ALL.into_iter().find(|repair| repair.word() == word);
        found.ok_or_else(|| UnknownRepair {
            word: word.escape_debug().to_string(),
            suggestion: suggestion(word, Self::ALL.map(Self::word)),
        })
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl serde::Serialize for Repair {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> serde::Deserialize<'de> for Repair {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = std::borrow::Cow::<str>::deserialize(deserializer)?;
        word.parse().map_err(serde::de::Error::custom)
    }
}
