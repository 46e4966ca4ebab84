//! How things look: styles by what they mean, and the signs that are drawn.

mod glyphs;
mod shade;
mod theme;

pub use crate::config::theme::Role;
pub use glyphs::Glyphs;
pub use shade::Shade;
pub use theme::Theme;

use ratatui::style::Style;

use crate::config::theme::Themes;
use crate::config::{Config, Motion, Signs, ThemeChoice, Tui};
use crate::ui::Colour;

/// Styles and signs.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    pub theme: Theme,
    pub glyphs: Glyphs,
    pub motion: Motion,
}

/// What is known of the terminal, and what the command line and the environment say. That wins over the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminal {
    pub colour: Colour,
    /// `None`: as the configuration says.
    pub signs: Option<Signs>,
    pub shade: Shade,
}

/// How the app looks now, and why.
#[derive(Debug, Clone)]
pub struct Appearance {
    pub look: Look,
    pub terminal: Terminal,
    /// A theme that is looked at and stands in no file.
    tried: Option<String>,
}

impl Look {
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    fn of(theme: &str, tui: &Tui, themes: &Themes, terminal: &Terminal) -> Self {
        let theme = match terminal.colour {
            Colour::Never => Theme::plain(),
            // One that has gone meanwhile leaves everything as text.
            Colour::Ansi => Theme::from(&themes.get(theme).unwrap_or_default()),
        };
        let glyphs = match terminal.signs.unwrap_or(tui.signs) {
            Signs::Unicode => Glyphs::UNICODE,
            Signs::Ascii => Glyphs::ASCII,
        };
        Self { theme, glyphs, motion: tui.motion }
    }
}

impl Appearance {
    /// Before the configuration is known.
    pub fn new(terminal: Terminal) -> Self {
        let mut appearance = Self { look: Look::default(), terminal, tried: None };
        appearance.settle(&Config::default());
        appearance
    }

    /// The configuration is another one, or what is known of the terminal.
    pub fn settle(&mut self, config: &Config) {
        self.look = Look::of(self.theme(&config.tui), &config.tui, &config.themes, &self.terminal);
    }

    /// The files were read anew. Whoever has another theme in them now wants to see that one.
    pub fn take(&mut self, config: &Config, before: &Config) {
        if config.tui.theme != before.tui.theme {
            self.tried = None;
        }
        self.settle(config);
    }

    /// Looks at a theme; `None`: at the one that the configuration names again.
    pub fn try_on(&mut self, theme: Option<String>, config: &Config) {
        self.tried = theme;
        self.settle(config);
    }

    /// A theme that is looked at and stands in no file.
    pub fn tried(&self) -> Option<&str> {
        self.tried.as_deref()
    }

    /// The name of the theme that is shown.
    fn theme<'t>(&'t self, tui: &'t Tui) -> &'t str {
        let named = match &tui.theme {
            ThemeChoice::Named(name) => Some(name.as_str()),
            ThemeChoice::Auto => None,
        };
        // Who looks at `auto` sees what it takes.
        let wanted = self
            .tried
            .as_deref()
            .map_or(named, |tried| Some(tried).filter(|tried| *tried != ThemeChoice::AUTO));
        wanted.unwrap_or(match self.terminal.shade {
            Shade::Dark => Themes::DARK,
            Shade::Light => Themes::LIGHT,
        })
    }
}

impl Default for Look {
    fn default() -> Self {
        Self::of(Themes::DARK, &Tui::default(), &Themes::default(), &Terminal::default())
    }
}

impl Default for Terminal {
    fn default() -> Self {
        Self { colour: Colour::Ansi, signs: None, shade: Shade::Dark }
    }
}
