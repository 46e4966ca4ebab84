//! Styles by meaning, as the terminal is told them.

use ratatui::style::{Color, Modifier, Style};

use crate::config::theme::{self, Colour, Role};

/// A style for each role.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    styles: [Style; Role::ALL.len()],
}

impl Theme {
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// Without colours: weight and inversion alone tell things apart.
    pub fn plain() -> Self {
        Self::by(|role| match role {
            Role::Text | Role::Good | Role::Busy => Style::new(),
            Role::Faint | Role::Border | Role::Stale => Style::new().add_modifier(Modifier::DIM),
            Role::Title | Role::Focus | Role::Waiting | Role::Bad | Role::Key => {
                Style::new().add_modifier(Modifier::BOLD)
            }
            Role::Selected => Style::new().add_modifier(Modifier::REVERSED),
        })
    }

    fn by(style: impl Fn(Role) -> Style) -> Self {
        Self { styles: Role::ALL.map(|(role, _)| style(role)) }
    }
}

impl From<&theme::Theme> for Theme {
    fn from(theme: &theme::Theme) -> Self {
        Self::by(|role| styled(theme.style(role)))
    }
}

const MODIFIERS: [(&str, Modifier); 5] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underlined", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
];

fn styled(style: theme::Style) -> Style {
    let set = MODIFIERS.iter().filter(|(word, _)| style.emphasis.has(word)).map(|(_, modifier)| *modifier);
    let (fg, bg) = (style.fg.map(colour), style.bg.map(colour));
    Style { fg, bg, add_modifier: set.collect(), ..Style::new() }
}

/// The sixteen go out by their own names, which the most modest terminal knows.
fn colour(colour: Colour) -> Color {
    const SIXTEEN: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    match colour {
        Colour::Default => Color::Reset,
        Colour::Indexed(index) => SIXTEEN.get(usize::from(index)).copied().unwrap_or(Color::Indexed(index)),
        Colour::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::theme::{Emphasis, Themes};

    #[test]
    fn each_role_has_its_own_place_and_each_word_its_modifier() {
        for (place, (role, name)) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role as usize, place, "{name}");
        }
        assert_eq!(MODIFIERS.map(|(word, _)| word), Emphasis::WORDS);
    }

    #[test]
    fn what_a_file_says_is_what_the_terminal_is_told() {
        let theme = |name: &str| Theme::from(&Themes::default().get(name).unwrap());
        assert_eq!(theme("dark").style(Role::Faint), Style::new().fg(Color::DarkGray));
        assert_eq!(theme("dark").style(Role::Text), Style::new());
        let selected = Style::new().fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::REVERSED);
        assert_eq!(theme("light").style(Role::Selected), selected);
        let text = Style::new().fg(Color::Rgb(0xff, 0xff, 0xff)).bg(Color::Rgb(0, 0, 0));
        assert_eq!(theme("high-contrast").style(Role::Text), text);
    }
}
