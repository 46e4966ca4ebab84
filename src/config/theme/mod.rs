//! Themes: how each thing looks in the terminal app. Some are built in, a person's own are files in `themes/`.
//!
//! What a role looks like stands in one table. A theme that `inherits` another one takes from it every role that it
//! doesn't have itself, whole.

mod builtin;
mod colour;
mod folder;
mod read;
mod resolve;
mod role;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use colour::Colour;
pub(super) use folder::load_dir;
pub use role::Role;

use super::{ThemeChoice, similar};

/// What something is drawn with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// `None`: as whatever it stands in.
    pub fg: Option<Colour>,
    /// `None`: as whatever it stands in.
    pub bg: Option<Colour>,
    pub emphasis: Emphasis,
}

/// What beside colours sets something off: the words of `modifiers`, in the order of [`Emphasis::WORDS`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Emphasis([bool; Emphasis::WORDS.len()]);

impl Emphasis {
    pub const WORDS: [&str; 5] = ["bold", "dim", "italic", "underlined", "reversed"];

    /// Whether this one of [`Self::WORDS`] is set.
    pub fn has(self, word: &str) -> bool {
        Self::WORDS.iter().zip(self.0).any(|(known, is_set)| *known == word && is_set)
    }

    /// `false`: there is no such word.
    fn set(&mut self, word: &str) -> bool {
        let place = Self::WORDS.iter().position(|known| *known == word);
        place.map(|place| self.0[place] = true).is_some()
    }
}

/// A style for each role; of those that aren't here nothing is set off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Theme(BTreeMap<Role, Style>);

impl Theme {
    pub fn style(&self, role: Role) -> Style {
        self.0.get(&role).copied().unwrap_or_default()
    }
}

/// A name that isn't one of those that there are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no theme `{}` that can be used: {remedy}", name.escape_debug())]
pub struct UnknownTheme {
    pub name: String,
    pub remedy: String,
}

/// All that can be taken: the built-in ones, and a person's own, which win.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Themes {
    own: BTreeMap<String, Theme>,
}

impl Themes {
    /// For a dark background.
    pub const DARK: &str = "dark";

    /// For a light background.
    pub const LIGHT: &str = "light";

    /// `None`: there is none of this name that can be used.
    pub fn get(&self, name: &str) -> Option<Theme> {
        self.own.get(name).cloned().or_else(|| builtin::theme(name))
    }

    /// What `theme` of `[tui]` is by this name.
    ///
    /// # Errors
    /// There is no such theme.
    pub fn choose(&self, name: &str) -> Result<ThemeChoice, UnknownTheme> {
        match name {
            ThemeChoice::AUTO => Ok(ThemeChoice::Auto),
            name if self.get(name).is_some() => Ok(ThemeChoice::Named(name.to_owned())),
            name => {
                let known: Vec<&str> = self.choices().collect();
                Err(UnknownTheme { name: name.to_owned(), remedy: similar::suggestion(name, known) })
            }
        }
    }

    /// All that [`Self::choose`] takes.
    pub fn choices(&self) -> impl Iterator<Item = &str> {
        std::iter::once(ThemeChoice::AUTO).chain(self.names())
    }

    /// The built-in ones in their own order, then a person's own.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.own.keys().map(String::as_str);
        builtin::NAMES.iter().copied().chain(own.filter(|name| !builtin::NAMES.contains(name)))
    }

    /// Whether a file of the person's own has the say about it.
    pub fn is_own(&self, name: &str) -> bool {
        self.own.contains_key(name)
    }
}
