//! Colours by meaning. The default takes the terminal's own sixteen, so it fits whatever the person has chosen there.

use ratatui::style::{Color, Modifier, Style};

/// What something is, which decides how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    Text,
    /// Less important.
    Faint,
    Title,
    Border,
    /// The border of what has the keys.
    Focus,
    Selected,
    Good,
    Busy,
    /// A person has to do something.
    Waiting,
    Bad,
    Key,
    /// Not sure any more.
    Stale,
}

/// A style for each role.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    styles: [Style; 12],
}

impl Theme {
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// Without colours: weight and inversion alone tell things apart.
    pub fn plain() -> Self {
        let with = |modifier| Style::new().add_modifier(modifier);
        Self {
            styles: [
                Style::new(),
                with(Modifier::DIM),
                with(Modifier::BOLD),
                with(Modifier::DIM),
                with(Modifier::BOLD),
                with(Modifier::REVERSED),
                Style::new(),
                Style::new(),
                with(Modifier::BOLD),
                with(Modifier::BOLD),
                with(Modifier::BOLD),
                with(Modifier::DIM),
            ],
        }
    }
}

impl Default for Theme {
    fn default() -> Self {
        let coloured = |colour| Style::new().fg(colour);
        Self {
            styles: [
                Style::new(),
                coloured(Color::DarkGray),
                Style::new().add_modifier(Modifier::BOLD),
                coloured(Color::DarkGray),
                coloured(Color::Cyan),
                // One look for the whole line, whatever its parts are.
                Style::new().fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::REVERSED),
                coloured(Color::Green),
                coloured(Color::Blue),
                coloured(Color::Yellow),
                coloured(Color::Red),
                coloured(Color::Cyan),
                coloured(Color::DarkGray),
            ],
        }
    }
}
