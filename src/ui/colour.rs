//! Whether colours are wanted, and words in them. Never the only sign of anything.

/// Whether the terminal wants colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Never,
    Ansi,
}

/// The colours that are used, by what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Bad,
    Good,
    Doubtful,
    Note,
    /// Headings, and what is beside the point.
    Faint,
}

impl Colour {
    /// The text in the tone, where colours are wanted.
    pub fn paint(self, text: &str, tone: Tone) -> String {
        let code = match tone {
            Tone::Bad => 31,
            Tone::Good => 32,
            Tone::Doubtful => 33,
            Tone::Note => 36,
            Tone::Faint => 2,
        };
        match self {
            Self::Never => text.to_owned(),
            Self::Ansi => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}
