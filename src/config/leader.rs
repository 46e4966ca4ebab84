//! The key that begins a command of ours in an attached terminal.

use std::fmt;
use std::str::FromStr;

/// Ctrl with a letter or one of `]\^_@`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leader(char);

/// Why a text names no leader.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeaderError {
    #[error("`{0}` is no key that can lead: it is `ctrl-` and a letter, or `ctrl-` and one of ] \\ ^ _ @")]
    Unknown(String),
    #[error("`{0}` can't lead, because most terminals send the same for {1}")]
    Taken(String, &'static str),
}

impl Leader {
    /// A small letter or a sign.
    pub fn sign(self) -> char {
        self.0
    }

    /// What a terminal sends for it that knows no better way.
    pub fn byte(self) -> u8 {
        // Nothing but ASCII is taken in.
        u8::try_from(self.0).map_or(0, |sign| sign & 0x1f)
    }
}

impl Default for Leader {
    /// Claude Code and shells leave it alone, and telnet has made it known.
    fn default() -> Self {
        Self(']')
    }
}

impl FromStr for Leader {
    type Err = LeaderError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sign = text.strip_prefix("ctrl-").and_then(|sign| {
            let mut signs = sign.chars();
            signs.next().filter(|_| signs.next().is_none())
        });
        match sign {
            Some('i') => Err(LeaderError::Taken(text.to_owned(), "Tab")),
            Some('m') => Err(LeaderError::Taken(text.to_owned(), "Enter")),
            Some('[') => Err(LeaderError::Taken(text.to_owned(), "Escape")),
            Some(sign @ ('a'..='z' | ']' | '\\' | '^' | '_' | '@')) => Ok(Self(sign)),
            _ => Err(LeaderError::Unknown(text.to_owned())),
        }
    }
}

/// For a person: `Ctrl-]`.
impl fmt::Display for Leader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ctrl-{}", self.0.to_ascii_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leader_is_ctrl_with_a_letter_or_a_sign() {
        for (text, byte, shown) in [
            ("ctrl-]", 0x1d, "Ctrl-]"),
            ("ctrl-\\", 0x1c, "Ctrl-\\"),
            ("ctrl-^", 0x1e, "Ctrl-^"),
            ("ctrl-_", 0x1f, "Ctrl-_"),
            ("ctrl-@", 0, "Ctrl-@"),
            ("ctrl-a", 1, "Ctrl-A"),
            ("ctrl-z", 26, "Ctrl-Z"),
        ] {
            let leader: Leader = text.parse().unwrap();
            assert_eq!((leader.byte(), leader.to_string().as_str()), (byte, shown));
        }
        for text in ["", "ctrl-", "ctrl-A", "ctrl-é", "ctrl-]]", "Ctrl-]", "alt-a", "]", "ctrl-1"] {
            assert!(matches!(text.parse::<Leader>(), Err(LeaderError::Unknown(_))), "{text}");
        }
        for text in ["ctrl-i", "ctrl-m", "ctrl-["] {
            assert!(matches!(text.parse::<Leader>(), Err(LeaderError::Taken(..))), "{text}");
        }
    }
}
