//! What descriptions cost: Claude Code tells the main model all of them, in every session. Pure.

/// Tokens. Above this, for all descriptions together, Claude Code warns ("Agent descriptions are over the 15,000-token
/// limit", in 2.1.332). That notice counts `NAME: DESCRIPTION` of every active agent that isn't built in, and
/// changes nothing.
pub const DESCRIPTIONS_LIMIT: usize = 15_000;

/// Characters of one token, about; as Claude Code itself reckons.
const CHARACTERS: usize = 4;

/// About how many tokens the main model reads of this agent.
pub fn description_tokens(name: &str, description: &str) -> usize {
    (name.chars().count() + ": ".len() + description.chars().count()).div_ceil(CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_characters_are_a_token() {
        assert_eq!(description_tokens("rev", "Reviews."), 4);
        assert_eq!(description_tokens("é", ""), 1);
    }
}
