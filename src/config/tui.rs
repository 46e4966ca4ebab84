//! How the terminal app looks and behaves.

/// `[tui]`. No part of what a session is launched with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tui {
    pub theme: ThemeChoice,
    pub mouse: Mouse,
    pub motion: Motion,
    pub signs: Signs,
}

/// `theme`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// The one that fits the terminal's background.
    #[default]
    Auto,
    /// A theme that there is.
    Named(String),
}

impl ThemeChoice {
    /// The word for [`Self::Auto`], which no theme can have for its name.
    pub const AUTO: &str = "auto";

    /// As the file says it.
    pub fn name(&self) -> &str {
        match self {
            Self::Auto => Self::AUTO,
            Self::Named(name) => name,
        }
    }
}

/// `mouse`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mouse {
    /// The app hears of it.
    #[default]
    Ours,
    /// It stays the terminal's.
    Terminals,
}

/// `motion`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Motion {
    #[default]
    Full,
    /// Nothing moves that only shows that time passes.
    Reduced,
}

/// `signs`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Signs {
    #[default]
    Unicode,
    Ascii,
}
