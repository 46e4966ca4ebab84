//! Turns a provider's event stream into Anthropic's, as it comes.

use super::events::{Teller, fault};
use super::message::message;
use super::sse::Events;
use super::{Answer, ErrorAnswer, Fault};
use crate::dialect::Rewrite;

/// What an event did to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dialect) enum Progress {
    More,
    /// Nothing will come any more.
    Last,
}

/// Reads one dialect's events.
pub(in crate::dialect) trait Reader: std::fmt::Debug + Send {
    /// Adds what an event's data says to the answer.
    fn read(&mut self, data: &[u8], answer: &mut Answer) -> Result<Progress, Fault>;
}

/// One answer, on its way.
#[derive(Debug)]
pub struct Translation<R> {
    events: Events,
    telling: Telling<R>,
}

#[derive(Debug)]
struct Telling<R> {
    reader: R,
    answer: Answer,
    teller: Teller,
    /// Whose answer it is; empty: nobody's in particular.
    route: String,
    /// The end was told, or the fault.
    over: bool,
}

impl<R> Translation<R> {
    pub(in crate::dialect) fn new(reader: R, id: String) -> Self {
        let telling = Telling {
            reader,
            answer: Answer::new(id),
            teller: Teller::default(),
            route: String::new(),
            over: false,
        };
        Self { events: Events::default(), telling }
    }

    /// Names the route that the answer comes from.
    #[must_use]
    pub fn from(mut self, route: &str) -> Self {
        route.clone_into(&mut self.telling.route);
        self
    }
}

impl<R: Reader> Rewrite for Translation<R> {
    fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let Self { events, telling } = self;
        events.feed(piece, |data| telling.hear(data, out));
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        let Self { events, telling } = self;
        events.finish(|data| telling.hear_cut(data, out));
        telling.end(out);
    }
}

impl<R: Reader> Telling<R> {
    fn hear(&mut self, data: &[u8], out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        match self.reader.read(data, &mut self.answer) {
            Ok(Progress::More) => self.teller.tell(&self.answer, out),
            Ok(Progress::Last) => self.end(out),
            Err(fault) => self.fail(&fault, out),
        }
    }

    /// Of the event that the stream ended in: half of one is no fault of its own (C07).
    fn hear_cut(&mut self, data: &[u8], out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        match self.reader.read(data, &mut self.answer) {
            Err(fault @ Fault::Told(_)) => self.fail(&fault, out),
            Err(Fault::Garbled(_)) => {}
            Ok(_) => self.teller.tell(&self.answer, out),
        }
    }

    /// Only an answer that the provider has ended has an end.
    fn end(&mut self, out: &mut Vec<u8>) {
        if self.over || self.answer.finish.is_none() {
            return;
        }
        match self.answer.fault() {
            Some(fault) => self.fail(&fault, out),
            None => self.teller.end(&self.answer, out),
        }
        self.over = true;
    }

    fn fail(&mut self, why: &Fault, out: &mut Vec<u8>) {
        fault(out, why, &self.route);
        self.over = true;
    }
}

/// Tells an answer that came in one piece: as a message, or as events if the client asked for a `stream` (E07).
pub(in crate::dialect) fn whole(answer: Result<Answer, Fault>, stream: bool) -> Result<Vec<u8>, ErrorAnswer> {
    let told = answer.and_then(|answer| match answer.fault() {
        Some(fault) => Err(fault),
        None if stream => Ok(events_of(&answer)),
        None => message(&answer),
    });
    told.map_err(|fault| fault.answer())
}

fn events_of(answer: &Answer) -> Vec<u8> {
    let mut out = Vec::new();
    Teller::default().end(answer, &mut out);
    out
}
