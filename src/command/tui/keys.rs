//! The keymap as a file, and the terminal's events in our own words.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use crate::launch::screen::Size;
use crate::launch::screen::input::{self, Button, Focus, Key, Modifiers, Press, Stroke};
use crate::ui::app::action::{Action, Place};
use crate::ui::app::input::{Chord, Did, Input, Mouse};
use crate::ui::app::keymap::Keymap;

/// Lines that one notch of the wheel goes.
const NOTCH: i16 = 3;

/// Every key with what it does.
pub(super) fn text(keymap: &Keymap) -> String {
    let line = |(chord, action): &(Chord, Action)| {
        let (chord, name) = (format!("{:?}", chord.to_string()), format!("{:?}", action.name()));
        format!("{chord:<12} = {name:<20} # {}\n", action.text())
    };
    let keys = |place: Place| keymap.of(place).iter().map(line).collect::<Vec<_>>().concat();
    Place::ALL.map(|(place, name)| format!("[{name}]\n{}\n", keys(place))).concat()
}

/// `None`: it means nothing to us.
pub(super) fn taken(event: Event) -> Option<Input> {
    Some(match event {
        Event::Key(key) => Input::Key(stroke(key)?),
        Event::Paste(text) => Input::Paste(text),
        Event::Mouse(event) => Input::Mouse(mouse(event)?),
        Event::FocusGained => Input::Focus(Focus::Gained),
        Event::FocusLost => Input::Focus(Focus::Lost),
        Event::Resize(columns, rows) => Input::Resize(Size::new(columns, rows)),
    })
}

fn stroke(event: KeyEvent) -> Option<Stroke> {
    let mut modifiers = modifiers(event.modifiers);
    let key = match event.code {
        KeyCode::Char(character) => Key::Character(character),
        KeyCode::Enter => Key::Enter,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => {
            modifiers = modifiers.with(Modifiers::SHIFT);
            Key::Tab
        }
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Esc => Key::Escape,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Right => Key::Right,
        KeyCode::Left => Key::Left,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Insert => Key::Insert,
        KeyCode::Delete => Key::Delete,
        KeyCode::F(number) => Key::Function(number),
        KeyCode::Null => Key::Character('@'),
        _ => return None,
    };
    let press = match event.kind {
        KeyEventKind::Press => Press::Down,
        KeyEventKind::Repeat => Press::Repeat,
        KeyEventKind::Release => return None,
    };
    Some(Stroke { press, ..Stroke::new(legacy(key, modifiers), modifiers) })
}

/// Terminals of the old way send these signs as digits' control characters.
fn legacy(key: Key, modifiers: Modifiers) -> Key {
    match key {
        Key::Character(digit @ '4'..='7') if modifiers == Modifiers::CONTROL => {
            Key::Character(['\\', ']', '^', '_'][usize::from(digit as u8 - b'4')])
        }
        key => key,
    }
}

fn modifiers(held: KeyModifiers) -> Modifiers {
    let pairs = [
        (KeyModifiers::SHIFT, Modifiers::SHIFT),
        (KeyModifiers::ALT, Modifiers::ALT),
        (KeyModifiers::CONTROL, Modifiers::CONTROL),
        (KeyModifiers::SUPER, Modifiers::SUPER),
    ];
    let held = pairs.into_iter().filter(|(theirs, _)| held.contains(*theirs));
    held.fold(Modifiers::NONE, |all, (_, ours)| all.with(ours))
}

fn mouse(event: MouseEvent) -> Option<Mouse> {
    let did = match event.kind {
        MouseEventKind::Down(pressed) => Did::Button(input::Action::Press(button(pressed))),
        MouseEventKind::Up(released) => Did::Button(input::Action::Release(button(released))),
        MouseEventKind::Drag(held) => Did::Button(input::Action::Move(Some(button(held)))),
        MouseEventKind::Moved => Did::Button(input::Action::Move(None)),
        MouseEventKind::ScrollDown => Did::Wheel(NOTCH),
        MouseEventKind::ScrollUp => Did::Wheel(-NOTCH),
        MouseEventKind::ScrollLeft | MouseEventKind::ScrollRight => return None,
    };
    Some(Mouse { did, column: event.column, row: event.row, modifiers: modifiers(event.modifiers) })
}

fn button(button: MouseButton) -> Button {
    match button {
        MouseButton::Left => Button::Left,
        MouseButton::Middle => Button::Middle,
        MouseButton::Right => Button::Right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_they_do() {
        let stroke = |code, held| stroke(KeyEvent::new(code, held)).unwrap();
        let leader = stroke(KeyCode::Char('5'), KeyModifiers::CONTROL);
        assert_eq!(leader, Stroke::new(Key::Character(']'), Modifiers::CONTROL), "as old terminals send it");
        let back = stroke(KeyCode::BackTab, KeyModifiers::SHIFT);
        assert_eq!(back, Stroke::new(Key::Tab, Modifiers::SHIFT));
        let line = stroke(KeyCode::Enter, KeyModifiers::SHIFT);
        assert_eq!(line, Stroke::new(Key::Enter, Modifiers::SHIFT));
    }

    #[test]
    fn what_is_printed_is_a_keymap() {
        let keymap = Keymap::with("").unwrap();
        assert_eq!(Keymap::with(&text(&keymap)).unwrap(), keymap);
    }
}
