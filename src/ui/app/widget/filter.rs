//! What a list is cut down by.

use super::Field;
use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;

/// A text that lines must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Filter {
    #[default]
    Off,
    /// It is being typed.
    Typed(Field),
    /// It was typed.
    Kept(Field),
}

impl Filter {
    /// To be called for [`Action::Filter`].
    pub fn begin(&mut self) {
        let field = match std::mem::take(self) {
            Self::Off => Field::default(),
            Self::Typed(field) | Self::Kept(field) => field,
        };
        *self = Self::Typed(field);
    }

    /// Whether keys go here.
    pub fn is_typed(&self) -> bool {
        matches!(self, Self::Typed(_))
    }

    /// A key while it is typed. Steps and others that a line doesn't know are given back.
    pub fn press(&mut self, chord: Chord, action: Option<Action>) -> Option<Action> {
        let Self::Typed(field) = self else { return action };
        match action {
            Some(Action::Accept) if field.text().is_empty() => *self = Self::Off,
            Some(Action::Accept) => *self = Self::Kept(std::mem::take(field)),
            Some(Action::Back) => *self = Self::Off,
            Some(action) => return Some(action),
            None => _ = field.press(chord),
        }
        None
    }

    pub fn paste(&mut self, text: &str) {
        if let Self::Typed(field) = self {
            field.insert(text);
        }
    }

    /// Shows all again; whether it hid some.
    pub fn end(&mut self) -> bool {
        std::mem::take(self) != Self::Off
    }

    /// Whether a line with these parts stays, whatever their case.
    pub fn keeps(&self, parts: &[&str]) -> bool {
        let Some(text) = self.text() else { return true };
        let text = text.to_lowercase();
        parts.iter().any(|part| part.to_lowercase().contains(&text))
    }

    /// For the title of what is cut down.
    pub fn title(&self, title: &str) -> String {
        match self.text() {
            Some(text) => format!("{title} /{text}"),
            None => title.to_owned(),
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::Off => None,
            Self::Typed(field) | Self::Kept(field) => Some(field.text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_typed_kept_and_forgotten() {
        let mut filter = Filter::default();
        assert!(filter.keeps(&["anything"]));
        filter.begin();
        for key in ["S", "h"] {
            assert_eq!(filter.press(key.parse().unwrap(), None), None);
        }
        assert!(filter.keeps(&["the shop"]) && !filter.keeps(&["blog", "spike"]));
        assert_eq!(filter.press("down".parse().unwrap(), Some(Action::Down)), Some(Action::Down));
        filter.press("enter".parse().unwrap(), Some(Action::Accept));
        assert!(!filter.is_typed() && !filter.keeps(&["blog"]));
        assert_eq!(filter.title("Sessions"), "Sessions /Sh");
        assert!(filter.end() && !filter.end());
    }
}
