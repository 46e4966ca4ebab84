//! What is typed in an attached terminal: what of it is for the session, and what for us.
//!
//! Pure. Bytes may be cut anywhere. Only what could be the leader or a terminal's answer is held until it is whole,
//! and after a moment not even that ([`Input::release`]). An escape alone is passed on at once: if it turns out to have
//! begun the leader, the whole key goes to the session. Nothing that is pasted is a command.

use super::sequence::{Answer, Event, Id, Key, Meaning, length, meaning};
use crate::config::Leader;

const ESCAPE: u8 = 0x1b;
const PASTE_END: &[u8] = b"\x1b[201~";

/// So many keys can be held down at once that were ours.
const HANDS: usize = 16;

/// What came in, piece by piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// For the session: keys, and what was pasted.
    Key(Vec<u8>),
    /// For the session too: the mouse, the focus.
    Report(Vec<u8>),
    Command(Command),
    Answer(Answer),
}

/// What the key after the leader asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Detach,
    Status,
    Help,
    /// It is none of ours, and the session doesn't get it.
    Unknown,
}

/// Reads one terminal's input.
#[derive(Debug)]
pub(super) struct Input {
    leader: Leader,
    place: Place,
    /// Begun, and not whole yet.
    held: Vec<u8>,
    /// As many of the held bytes have been passed on already.
    passed: usize,
    /// Keys that are down and whose presses were ours: their repeats and releases are ours too.
    ours: Vec<Id>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Keys,
    /// After the leader.
    Command,
    Paste,
}

impl Input {
    pub(super) fn new(leader: Leader) -> Self {
        Self { leader, place: Place::Keys, held: Vec::new(), passed: 0, ours: Vec::new() }
    }

    /// Takes more input.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        let mut pieces = Pieces { pieces: Vec::new(), skipped: std::mem::take(&mut self.passed) };
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let mut rest = all.as_slice();
        while !rest.is_empty() {
            let taken = self.next(rest, &mut pieces);
            if taken == 0 {
                self.hold(rest, &mut pieces);
                break;
            }
            rest = &rest[taken..];
        }
        pieces.pieces
    }

    /// Whether something waits for its rest.
    pub(super) fn holds(&self) -> bool {
        self.held.len() > self.passed
    }

    /// The rest doesn't come: what is held was all.
    pub(super) fn release(&mut self) -> Vec<Piece> {
        let mut pieces = Pieces { pieces: Vec::new(), skipped: std::mem::take(&mut self.passed) };
        let held = std::mem::take(&mut self.held);
        match self.place {
            Place::Command if !held.is_empty() => self.command(&held, Key::UNNAMED, &mut pieces),
            _ => pieces.typed(&held),
        }
        pieces.pieces
    }

    /// Takes the first of it, and gives how much that was; 0: it isn't whole.
    fn next(&mut self, rest: &[u8], pieces: &mut Pieces) -> usize {
        let taken = match self.place {
            Place::Paste => return self.pasted(rest, pieces),
            Place::Keys if rest[0] != ESCAPE && rest[0] != self.leader.byte() => {
                let plain = memchr::memchr2(ESCAPE, self.leader.byte(), rest).unwrap_or(rest.len());
                pieces.typed(&rest[..plain]);
                return plain;
            }
            // With Alt: nothing of ours.
            Place::Keys if rest.len() > 1 && rest[0] == ESCAPE && !b"[]".contains(&rest[1]) => {
                pieces.typed(&rest[..1]);
                return 1;
            }
            Place::Keys | Place::Command => length(rest).unwrap_or(0),
        };
        if taken > 0 {
            self.sequence(&rest[..taken], pieces);
        }
        taken
    }

    fn pasted(&mut self, rest: &[u8], pieces: &mut Pieces) -> usize {
        let end = memchr::memmem::find(rest, PASTE_END).map(|at| at + PASTE_END.len());
        if end.is_some() {
            self.place = Place::Keys;
        }
        let begun = || (1..PASTE_END.len()).rev().find(|length| rest.ends_with(&PASTE_END[..*length]));
        let taken = end.unwrap_or_else(|| rest.len() - begun().unwrap_or(0));
        pieces.typed(&rest[..taken]);
        taken
    }

    /// Remembers what isn't whole. An escape may be a key, and pasted text is passed on in any case.
    fn hold(&mut self, rest: &[u8], pieces: &mut Pieces) {
        let is_passed = self.place == Place::Paste || (self.place == Place::Keys && rest == [ESCAPE]);
        self.passed = if is_passed { rest.len() } else { pieces.skipped };
        if is_passed {
            pieces.typed(rest);
        }
        self.held = rest.to_vec();
    }

    fn sequence(&mut self, sequence: &[u8], pieces: &mut Pieces) {
        match meaning(sequence) {
            Meaning::Answer(answer) => pieces.answer(answer),
            Meaning::Report => pieces.report(sequence),
            Meaning::Paste => {
                self.place = Place::Paste;
                pieces.typed(sequence);
            }
            Meaning::Key(key) => self.key(sequence, key, pieces),
        }
    }

    fn key(&mut self, sequence: &[u8], key: Key, pieces: &mut Pieces) {
        let is_ours = self.ours.contains(&key.id);
        if key.event != Event::Repeat {
            self.ours.retain(|id| *id != key.id);
        }
        match (key.event, self.place) {
            (Event::Repeat | Event::Release, _) if is_ours => _ = pieces.skip(sequence),
            (Event::Press, Place::Command) if !key.is_modifier() => self.command(sequence, key, pieces),
            (Event::Press, Place::Keys) if key.is(self.leader) && pieces.skipped == 0 => {
                self.keep(key);
                self.place = Place::Command;
            }
            _ => pieces.typed(sequence),
        }
    }

    fn command(&mut self, sequence: &[u8], key: Key, pieces: &mut Pieces) {
        self.place = Place::Keys;
        if key.is(self.leader) {
            return pieces.typed(sequence);
        }
        self.keep(key);
        pieces.skip(sequence);
        pieces.pieces.push(Piece::Command(match key.plain().map(|sign| sign.to_ascii_lowercase()) {
            Some('d') => Command::Detach,
            Some('s') => Command::Status,
            Some('?') => Command::Help,
            _ => Command::Unknown,
        }));
    }

    /// Its release will be ours. A terminal that tells characters only tells no releases.
    fn keep(&mut self, key: Key) {
        if key.id != (0, 0) {
            self.ours.truncate(HANDS - 1);
            self.ours.insert(0, key.id);
        }
    }
}

/// What comes out, and how many bytes of what comes next have come out before.
struct Pieces {
    pieces: Vec<Piece>,
    skipped: usize,
}

impl Pieces {
    fn typed(&mut self, bytes: &[u8]) {
        let bytes = &bytes[self.skip(bytes)..];
        match self.pieces.last_mut() {
            _ if bytes.is_empty() => {}
            Some(Piece::Key(before)) => before.extend_from_slice(bytes),
            _ => self.pieces.push(Piece::Key(bytes.to_vec())),
        }
    }

    fn report(&mut self, bytes: &[u8]) {
        let bytes = &bytes[self.skip(bytes)..];
        self.pieces.push(Piece::Report(bytes.to_vec()));
    }

    fn answer(&mut self, answer: Answer) {
        self.skipped = 0;
        self.pieces.push(Piece::Answer(answer));
    }

    /// Takes these bytes as gone; how many of them have been passed on before.
    fn skip(&mut self, bytes: &[u8]) -> usize {
        let skipped = self.skipped.min(bytes.len());
        self.skipped -= skipped;
        skipped
    }
}

#[cfg(test)]
mod tests;
