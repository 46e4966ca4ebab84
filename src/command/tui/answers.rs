//! What the terminal answers about its colours, found among the keys that it sends.
//!
//! The reader of events knows no such answers: it makes keys of them, Alt-] and then one for each character. They are
//! held back for as long as they can still become an answer; those that don't are keys again, in their order. So no key
//! is lost, whoever has typed it, and nothing waits for a terminal that never answers.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::launch::attach::{Answer, answer};

/// The parts of an answer come together; what comes later was typed.
const PATIENCE: Duration = Duration::from_millis(100);

/// Nobody feels that an Esc takes so long.
const BLINK: Duration = Duration::from_millis(5);

/// A terminal that has answered nothing by then never does.
const AWAITED: Duration = Duration::from_secs(2);

/// What an answer begins with, and what stands in it up to its end.
const HEADS: [&str; 4] = ["\x1b]10;rgb:", "\x1b]11;rgb:", "\x1b]10;rgba:", "\x1b]11;rgba:"];
const MARK: char = '/';

const ESC: &str = "\x1b";

/// No answer is longer, in characters.
const LONGEST: usize = 64;

/// What comes from the terminal.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Told {
    Event(Event),
    Colour(Answer),
}

/// What may become an answer.
#[derive(Debug, Default)]
pub(super) struct Answers {
    text: String,
    held: Vec<Event>,
    since: Option<Instant>,
    /// As long as an Esc may be an answer's first byte.
    awaited: Option<Instant>,
}

/// How far a text is an answer.
#[derive(Debug, PartialEq, Eq)]
enum Reach {
    Part,
    Whole,
    None,
}

impl Answers {
    /// The terminal is asked now.
    pub(super) fn ask(&mut self, now: Instant) {
        self.awaited = Some(now + AWAITED);
    }

    /// What an event comes to.
    pub(super) fn hear(&mut self, event: Event, now: Instant) -> Vec<Told> {
        let Event::Key(key) = &event else { return vec![Told::Event(event)] };
        let Some(written) = written(key) else { return self.release(event) };
        let text = format!("{}{written}", self.text);
        match reach(&text) {
            Reach::Part if text != ESC || self.awaited.is_some_and(|until| now < until) => {
                self.text = text;
                self.held.push(event);
                self.since = Some(now);
                Vec::new()
            }
            Reach::Whole => {
                self.clear();
                let answer = answer(text.as_bytes());
                // It is asked for last.
                if let Some(Answer::Background(_)) = answer {
                    self.awaited = None;
                }
                answer.map(Told::Colour).into_iter().collect()
            }
            Reach::Part | Reach::None if self.text.is_empty() => vec![Told::Event(event)],
            Reach::Part | Reach::None => {
                let mut told = self.clear();
                told.extend(self.hear(event, now));
                told
            }
        }
    }

    /// When [`Self::give_up`] is to be called.
    pub(super) fn due(&self) -> Option<Instant> {
        let patience = if self.text == ESC && !self.held.is_empty() { BLINK } else { PATIENCE };
        self.since.map(|since| since + patience)
    }

    /// What is held isn't an answer. An Esc alone is a key then; what follows it may be the rest of an answer still, which
    /// nobody has typed.
    pub(super) fn give_up(&mut self) -> Vec<Told> {
        if self.text == ESC && !self.held.is_empty() {
            return self.held.drain(..).map(Told::Event).collect();
        }
        self.clear()
    }

    fn clear(&mut self) -> Vec<Told> {
        self.text.clear();
        self.since = None;
        self.held.drain(..).map(Told::Event).collect()
    }

    fn release(&mut self, event: Event) -> Vec<Told> {
        let mut told = self.clear();
        told.push(Told::Event(event));
        told
    }
}

/// What the terminal has sent for the key to be read; `None`: no answer has such a key.
fn written(key: &KeyEvent) -> Option<String> {
    if key.kind != KeyEventKind::Press {
        return None;
    }
    match (key.code, key.modifiers.difference(KeyModifiers::SHIFT)) {
        (KeyCode::Char(character), KeyModifiers::NONE) => Some(character.to_string()),
        (KeyCode::Char(character), KeyModifiers::ALT) => Some(format!("\x1b{character}")),
        (KeyCode::Char('g'), KeyModifiers::CONTROL) => Some("\x07".to_owned()),
        // The string's end may come in two parts.
        (KeyCode::Esc, KeyModifiers::NONE) => Some(ESC.to_owned()),
        _ => None,
    }
}

fn reach(text: &str) -> Reach {
    if HEADS.iter().any(|head| head.starts_with(text)) {
        return Reach::Part;
    }
    let Some(rest) = HEADS.iter().find_map(|head| text.strip_prefix(head)) else { return Reach::None };
    let end = rest.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == MARK);
    match end {
        "" | ESC if text.len() < LONGEST => Reach::Part,
        "\x07" | "\x1b\\" => Reach::Whole,
        _ => Reach::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::screen::Rgb;

    fn key(code: KeyCode, held: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, held))
    }

    /// As the reader of events makes keys of it.
    fn keys(text: &str) -> Vec<Event> {
        let mut keys = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            keys.push(match character {
                '\x1b' => match characters.next() {
                    Some(next) => key(KeyCode::Char(next), KeyModifiers::ALT),
                    None => key(KeyCode::Esc, KeyModifiers::NONE),
                },
                '\x07' => key(KeyCode::Char('g'), KeyModifiers::CONTROL),
                upper if upper.is_uppercase() => key(KeyCode::Char(upper), KeyModifiers::SHIFT),
                other => key(KeyCode::Char(other), KeyModifiers::NONE),
            });
        }
        keys
    }

    fn told(events: Vec<Event>) -> Vec<Told> {
        let mut answers = Answers::default();
        let mut told: Vec<Told> =
            events.into_iter().flat_map(|event| answers.hear(event, Instant::now())).collect();
        assert_eq!(answers.due().is_some(), !answers.held.is_empty());
        told.extend(answers.give_up());
        told
    }

    fn check(text: &str, expect: &[Told]) {
        assert_eq!(told(keys(text)), expect, "{text:?}");
    }

    #[test]
    fn answers_are_found_and_everything_else_is_a_key_in_its_order() {
        let ground = Told::Colour(Answer::Background(Rgb(0xfd, 0xf6, 0xe3)));
        let written = Told::Colour(Answer::Foreground(Rgb(0, 0x11, 0xff)));
        let typed = |text: &str| keys(text).into_iter().map(Told::Event).collect::<Vec<_>>();
        check("\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\", std::slice::from_ref(&ground));
        check("\x1b]11;rgb:FDFD/F6F6/E3E3\x07", std::slice::from_ref(&ground));
        check(
            "\x1b]10;rgba:00/11/ff\x07\x1b]11;rgb:fd/f6/e3\x07q",
            &[vec![written, ground.clone()], typed("q")].concat(),
        );
        for text in [
            "q",
            "\x1b",
            "\x1b]",
            "\x1b]]",
            "\x1b]1",
            "\x1b]11;rgb:fd/zz",
            "\x1b]11;rgb:ff\x1bx",
            "\x1b]12;rgb:1/1/1\x07",
        ] {
            check(text, &typed(text));
        }
        check("\x1b]1\x1b]11;rgb:fdfd/f6f6/e3e3\x07", &[typed("\x1b]1"), vec![ground.clone()]].concat());
        let long = format!("\x1b]11;rgb:{}", "f".repeat(100));
        check(&long, &typed(&long));
        // The end in two reads.
        let mut split = keys("\x1b]11;rgb:fdfd/f6f6/e3e3\x1b");
        split.extend(keys("\\"));
        assert_eq!(told(split), [ground]);
    }

    #[test]
    fn an_esc_that_comes_alone_begins_an_answer_only_while_one_is_awaited() {
        let (escape, start) = (key(KeyCode::Esc, KeyModifiers::NONE), Instant::now());
        let ground = Told::Colour(Answer::Background(Rgb(0xfd, 0xf6, 0xe3)));
        let rest = || keys("]11;rgb:fdfd/f6f6/e3e3\x07");
        let mut answers = Answers::default();
        let mut hear = |event: &Event| answers.hear(event.clone(), start);
        assert_eq!(hear(&escape), [Told::Event(escape.clone())], "nothing is awaited");
        let typed: Vec<Told> = rest().iter().flat_map(&mut hear).collect();
        assert_eq!(typed.len(), rest().len());

        answers.ask(start);
        assert_eq!(answers.hear(escape.clone(), start), []);
        assert_eq!(answers.due(), Some(start + BLINK));
        let told: Vec<Told> = rest().into_iter().flat_map(|event| answers.hear(event, start)).collect();
        assert_eq!((told, answers.due()), (vec![ground], None));
        assert_eq!(answers.hear(escape.clone(), start).len(), 1, "it has answered");

        answers.ask(start);
        assert_eq!(answers.hear(escape.clone(), start + AWAITED).len(), 1, "it never answers");
    }

    #[test]
    fn an_esc_that_is_pressed_while_an_answer_is_awaited_is_a_key_soon() {
        let (escape, start) = (key(KeyCode::Esc, KeyModifiers::NONE), Instant::now());
        let pressed = vec![Told::Event(escape.clone())];
        let mut answers = Answers::default();
        answers.ask(start);
        answers.hear(escape.clone(), start);
        assert_eq!((answers.give_up(), answers.due()), (pressed.clone(), Some(start + PATIENCE)));
        // The rest came late: at least it types nothing.
        let rest = keys("]11;rgb:fdfd/f6f6/e3e3\x07").into_iter();
        let told: Vec<Told> = rest.flat_map(|event| answers.hear(event, start)).collect();
        assert!(matches!(told.as_slice(), [Told::Colour(_)]), "{told:?}");

        answers.ask(start);
        answers.hear(escape.clone(), start);
        answers.give_up();
        let next = keys("q").remove(0);
        assert_eq!(answers.hear(next.clone(), start), [Told::Event(next.clone())]);
        answers.hear(escape.clone(), start);
        assert_eq!(answers.hear(next.clone(), start), [pressed[0].clone(), Told::Event(next)]);
        answers.hear(escape.clone(), start);
        assert_eq!(answers.hear(escape, start), pressed, "the second may begin one as well");
        answers.give_up();
        assert_eq!((answers.give_up(), answers.due()), (vec![], None));
    }

    #[test]
    fn the_mouse_passes_what_is_held() {
        let mut answers = Answers::default();
        let now = Instant::now();
        assert_eq!(answers.hear(key(KeyCode::Char(']'), KeyModifiers::ALT), now), []);
        assert_eq!(answers.due(), Some(now + PATIENCE));
        assert_eq!(answers.hear(Event::FocusGained, now), [Told::Event(Event::FocusGained)]);
        assert_eq!(answers.hear(key(KeyCode::Left, KeyModifiers::NONE), now).len(), 2);
        assert_eq!(answers.due(), None);
    }
}
