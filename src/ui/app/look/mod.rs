//! How things look: colours by what they mean, and the signs that are drawn.

mod glyphs;
mod theme;

pub use glyphs::Glyphs;
pub use theme::{Role, Theme};

use ratatui::style::Style;

/// Colours and signs.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    pub theme: Theme,
    pub glyphs: Glyphs,
}

impl Look {
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }
}

impl Default for Look {
    fn default() -> Self {
        Self { theme: Theme::default(), glyphs: Glyphs::UNICODE }
    }
}
