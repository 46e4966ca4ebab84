//! What a screen has for others: answers for the child, and events for whoever watches.
//!
//! Both are bounded. A child that asks without reading, or rings without end, loses the newest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Answers, in bytes.
const ANSWERS: usize = 64 * 1024;

/// Events that wait to be taken.
const EVENTS: usize = 256;

/// Something that the child did apart from drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Bell,
    /// The window's title has changed; empty: it was taken back.
    Title(String),
    /// OSC 52: to be copied into the person's clipboard. Reading it is never granted.
    Copy {
        target: Clipboard,
        text: String,
    },
    /// OSC 9, 777 or 99.
    Notification {
        title: String,
        body: String,
    },
    /// The child went to the other of its two screens, so what the terminal kept of it is out of date.
    ScreenSwitched,
    /// The emulator failed and began anew: ask the child to draw again.
    Restarted,
}

/// Where a copied text belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clipboard {
    Clipboard,
    /// What the middle button pastes.
    Selection,
}

/// The outbox as the screen and its emulator share it.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Outbox>>);

impl Shared {
    /// An emulator that panicked while it held the lock has at most lost its last message.
    pub(super) fn lock(&self) -> MutexGuard<'_, Outbox> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
pub(super) struct Outbox {
    title: String,
    answers: Vec<u8>,
    events: VecDeque<Event>,
}

impl Outbox {
    /// Answers stay whole and in the order of the questions.
    pub(super) fn answer(&mut self, bytes: &[u8]) {
        if self.answers.len() + bytes.len() <= ANSWERS {
            self.answers.extend_from_slice(bytes);
        }
    }

    pub(super) fn tell(&mut self, event: Event) {
        let has_room = self.events.len() < EVENTS;
        match (self.events.back_mut(), &event) {
            (Some(last), _) if *last == event => {}
            // Only the newest title counts.
            (Some(last @ Event::Title(_)), Event::Title(_)) => *last = event,
            _ if has_room => self.events.push_back(event),
            _ => {}
        }
    }

    pub(super) fn retitle(&mut self, title: String) {
        if title != self.title {
            self.title.clone_from(&title);
            self.tell(Event::Title(title));
        }
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn take_answers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.answers)
    }

    pub(super) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_either_is_bounded() {
        let mut outbox = Outbox::default();
        for number in 0..100_000 {
            outbox.answer(b"\x1b[?6c");
            outbox.tell(Event::Copy { target: Clipboard::Clipboard, text: number.to_string() });
        }
        assert!(outbox.take_answers().len() <= ANSWERS);
        assert_eq!(outbox.take_events().len(), EVENTS);
        assert!(outbox.take_answers().is_empty() && outbox.take_events().is_empty());
    }

    #[test]
    fn the_same_again_is_one_event_and_of_titles_the_last() {
        let mut outbox = Outbox::default();
        let title = |text: &str| Event::Title(text.to_owned());
        for event in [Event::Bell, Event::Bell, title("a"), title("b"), Event::Bell] {
            outbox.tell(event);
        }
        assert_eq!(outbox.take_events(), [Event::Bell, title("b"), Event::Bell]);
    }
}
