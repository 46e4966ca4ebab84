//! One line that is typed in.

use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use unicode_segmentation::UnicodeSegmentation;

use super::canvas::Canvas;
use super::measure::width;
use crate::launch::screen::input::{Key, Modifiers};
use crate::ui::app::input::Chord;
use crate::ui::table::visible;

/// A text and the place in it where the next character goes, as a byte.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    text: String,
    at: usize,
}

impl Field {
    /// With the cursor at the end.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), at: text.len() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the key meant something here.
    pub fn press(&mut self, chord: Chord) -> bool {
        match (chord.0, chord.1) {
            (Key::Character(character), Modifiers::NONE) => self.insert(&character.to_string()),
            (Key::Backspace, Modifiers::NONE) => self.remove(self.before(), self.at),
            (Key::Delete, _) => self.remove(self.at, self.after()),
            (Key::Left, _) => self.at = self.before(),
            (Key::Right, _) => self.at = self.after(),
            (Key::Home, _) | (Key::Character('a'), Modifiers::CONTROL) => self.at = 0,
            (Key::End, _) | (Key::Character('e'), Modifiers::CONTROL) => self.at = self.text.len(),
            (Key::Character('u'), Modifiers::CONTROL) => self.remove(0, self.at),
            (Key::Character('k'), Modifiers::CONTROL) => self.remove(self.at, self.text.len()),
            (Key::Character('w'), Modifiers::CONTROL) | (Key::Backspace, _) => {
                self.remove(self.word(), self.at);
            }
            _ => return false,
        }
        true
    }

    /// Adds a text; a line break becomes a space.
    pub fn insert(&mut self, text: &str) {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.text.insert_str(self.at, &text);
        self.at += text.len();
    }

    /// Draws what fits, with the cursor in sight.
    pub fn draw(&self, is_focused: bool, area: Rect, canvas: &mut Canvas<'_>) {
        let (before, rest) = self.text.split_at(self.at);
        // What is in it may come from elsewhere.
        let (before, rest) = (visible(before), visible(rest));
        let mut start = 0;
        while start < before.len() && width(&before[start..]) + 1 > usize::from(area.width) {
            start += before[start..].graphemes(true).next().map_or(1, str::len);
        }
        let under = rest.graphemes(true).next().unwrap_or(" ");
        let after = rest.get(under.len()..).unwrap_or_default();
        let cursor = if is_focused { Modifier::REVERSED } else { Modifier::empty() };
        let spans = [
            Span::raw(before[start..].to_owned()),
            Span::raw(under.to_owned()).style(cursor),
            Span::raw(after.to_owned()),
        ];
        Line::from_iter(spans).render(area, canvas.buffer);
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.at = from;
    }

    fn before(&self) -> usize {
        self.at - self.text[..self.at].graphemes(true).next_back().map_or(0, str::len)
    }

    fn after(&self) -> usize {
        self.at + self.text[self.at..].graphemes(true).next().map_or(0, str::len)
    }

    /// Where the word before the cursor begins.
    fn word(&self) -> usize {
        let words = self.text[..self.at].trim_end();
        words.rfind(char::is_whitespace).map_or(0, |space| space + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_typed_and_mended() {
        let mut field = Field::new("héllo wörld");
        for (keys, expect) in [
            (vec!["ctrl-w"], "héllo "),
            (vec!["👩", "x", "backspace", "backspace"], "héllo "),
            (vec!["left", "left", "delete"], "héll "),
            (vec!["home", "delete", "right", "backspace"], "ll "),
            (vec!["end", "ctrl-u"], ""),
            (vec!["delete", "backspace", "left", "right", "a"], "a"),
        ] {
            for key in keys {
                assert!(field.press(key.parse().unwrap()));
            }
            assert_eq!(field.text(), expect);
        }
        assert!(!field.press("f1".parse().unwrap()));
        field.insert("b\r\nc");
        assert_eq!(field.text(), "ab  c");
    }
}
