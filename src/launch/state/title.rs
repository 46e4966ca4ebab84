//! What the mark before Claude Code's title says.

/// What the mark tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// A model or a tool is at work somewhere, and no dialog is shown.
    Busy,
    /// Nothing is at work, or a dialog is shown.
    Still,
}

impl Mark {
    /// `None`: a title of somebody else's, or of another version's. Half circles turn and braille dots wander while it
    /// works; a star stands when it doesn't.
    pub(super) fn of(title: &str) -> Option<Self> {
        match title.chars().next()? {
            '◐'..='◓' | '\u{2800}'..='\u{28ff}' => Some(Self::Busy),
            '✳' => Some(Self::Still),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_character_tells() {
        for (title, want) in [
            ("◐ Claude Code", Some(Mark::Busy)),
            ("◑ Claude Code", Some(Mark::Busy)),
            ("⠂ Mend the door", Some(Mark::Busy)),
            ("✳ Claude Code", Some(Mark::Still)),
            ("vim ✳", None),
            ("", None),
        ] {
            assert_eq!(Mark::of(title), want, "{title}");
        }
    }
}
