//! Several lines that are typed in: word wrap, undo, search. The only place that names the text area's crate.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;
use ratatui_textarea::{CursorMove, Input, Key as AreaKey, TextArea, WrapMode};

use crate::launch::screen::input::{Key, Modifiers};
use crate::ui::app::input::Chord;
use crate::ui::app::look::Role;
use crate::ui::app::widget::Canvas;

/// A text, its cursor and what was done to it.
pub(super) struct Text {
    area: TextArea<'static>,
}

impl Text {
    /// Without the line ends' carriage returns, which a file gets back where it has them.
    pub(super) fn new(text: &str) -> Self {
        let lines = text.split('\n').map(|line| line.trim_end_matches('\r').to_owned()).collect();
        let mut area = TextArea::new(lines);
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.set_cursor_line_style(Style::new());
        area.set_search_style(Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD));
        area.set_hard_tab_indent(true);
        let mut text = Self { area };
        text.focus(false);
        text
    }

    /// With the cursor where more is written.
    pub(super) fn at_end(text: &str) -> Self {
        let mut text = Self::new(text);
        text.area.move_cursor(CursorMove::Bottom);
        text.area.move_cursor(CursorMove::End);
        text
    }

    pub(super) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether its cursor is to be seen.
    pub(super) fn focus(&mut self, is_focused: bool) {
        let style = if is_focused { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        self.area.set_cursor_style(style);
    }

    pub(super) fn press(&mut self, chord: Chord) {
        if let Some(input) = input(chord) {
            self.area.input(input);
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.area.insert_str(text.replace("\r\n", "\n").replace('\r', "\n"));
    }

    pub(super) fn undo(&mut self) {
        self.area.undo();
    }

    pub(super) fn redo(&mut self) {
        self.area.redo();
    }

    /// Goes to the next place with this text, whatever its case; whether there is one.
    pub(super) fn find(&mut self, text: &str) -> bool {
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c.is_whitespace();
        let escape = |c: char| if plain(c) { c.to_string() } else { format!("\\{c}") };
        let pattern: String = text.chars().filter(|c| !c.is_control()).map(escape).collect();
        if text.is_empty() || self.area.set_search_pattern(format!("(?i){pattern}")).is_err() {
            return false;
        }
        self.area.search_forward(false)
    }

    /// Nothing is marked as found any more.
    pub(super) fn end_find(&mut self) {
        // An empty pattern is none.
        _ = self.area.set_search_pattern("");
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        if !area.is_empty() {
            (&self.area).render(area, canvas.buffer);
            canvas.buffer.set_style(area, canvas.look.style(Role::Text));
        }
    }
}

fn input(Chord(key, modifiers): Chord) -> Option<Input> {
    let key = match key {
        Key::Character(character) => AreaKey::Char(character),
        Key::Enter => AreaKey::Enter,
        Key::Backspace => AreaKey::Backspace,
        Key::Delete => AreaKey::Delete,
        Key::Up => AreaKey::Up,
        Key::Down => AreaKey::Down,
        Key::Left => AreaKey::Left,
        Key::Right => AreaKey::Right,
        Key::Home => AreaKey::Home,
        Key::End => AreaKey::End,
        Key::PageUp => AreaKey::PageUp,
        Key::PageDown => AreaKey::PageDown,
        Key::Tab | Key::Escape | Key::Insert | Key::Function(_) => return None,
    };
    let has = |modifier| modifiers.contains(modifier);
    Some(Input { key, ctrl: has(Modifiers::CONTROL), alt: has(Modifiers::ALT), shift: has(Modifiers::SHIFT) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_typed_taken_back_and_searched() {
        let mut text = Text::new("One.\r\ntwo (2)\r\nThree");
        assert_eq!(text.text(), "One.\ntwo (2)\nThree");
        text.press("x".parse().unwrap());
        text.paste("a\r\nb");
        assert_eq!(text.text(), "xa\nbOne.\ntwo (2)\nThree");
        text.undo();
        text.undo();
        assert_eq!(text.text(), "One.\ntwo (2)\nThree");
        text.redo();
        assert_eq!(text.text(), "xOne.\ntwo (2)\nThree");
        assert!(text.find("TWO (2)") && !text.find("(3") && !text.find(""));
        text.press("f5".parse().unwrap());
        assert!(text.find("three"));
        text.press("y".parse().unwrap());
        assert!(text.text().ends_with("yThree"));
    }
}
