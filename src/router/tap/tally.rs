//! Adds up what events say: tokens, stop reason, how the stream ended.

use super::said::{Data, Figures, Part, Said};
use super::{Ending, EventName, Findings, Usage};

/// What has been seen so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    findings: Findings,
    /// An event of the Messages API was among them.
    recognised: bool,
    /// `message_start` was among them.
    begun: bool,
}

impl Tally {
    /// An event whose data is of no use.
    pub(super) fn idle_event(&mut self, name: EventName) {
        self.findings.events += 1;
        self.findings.last_event = Some(name);
        self.recognised |= name != EventName::Other;
        self.begun |= name == EventName::MessageStart;
    }

    /// An event whose data could not be read. Only an error needs none.
    pub(super) fn unread_event(&mut self, name: EventName) {
        self.idle_event(name);
        if name == EventName::Error {
            self.end_with(Ending::ErrorEvent);
        }
    }

    /// An event with its data. Its name is the data's `type`, else `fallback`, which the `event:` line said.
    pub(super) fn event(&mut self, fallback: Option<EventName>, data: &[u8]) {
        match Data::read(data) {
            Ok(data) => self.read_event(fallback, data),
            Err(_) => self.unread_event(fallback.unwrap_or(EventName::Other)),
        }
    }

    /// The event that the stream ended in: it counts if its data is whole, or if it is an error.
    pub(super) fn last_event(&mut self, fallback: Option<EventName>, data: &[u8]) {
        match Data::read(data) {
            Ok(data) => self.read_event(fallback, data),
            Err(_) if fallback == Some(EventName::Error) => self.unread_event(EventName::Error),
            Err(_) => {}
        }
    }

    /// A JSON body, as the Messages API answers when it doesn't stream.
    pub(super) fn body(&mut self, data: &[u8]) {
        match Data::read(data) {
            Ok(body) => {
                self.add_message(body.usage, body.stop_reason);
                self.end_with(Ending::Complete);
            }
            Err(error) if error.is_eof() && !data.is_empty() => self.end_with(Ending::Cut),
            Err(_) => {}
        }
    }

    /// The stream has ended.
    pub(super) fn end(&mut self) {
        if self.recognised || self.findings.events == 0 {
            self.end_with(Ending::Cut);
        }
    }

    pub(super) fn findings(self) -> Findings {
        self.findings
    }

    /// The findings of a body of which only a part could be read: that it was cut is not known.
    pub(super) fn findings_of_part(mut self) -> Findings {
        if self.findings.ending == Ending::Cut {
            self.findings.ending = Ending::Unknown;
        }
        self.findings
    }

    fn read_event(&mut self, fallback: Option<EventName>, data: Data) {
        let name = if fallback == Some(EventName::Error) { fallback } else { data.name.0.or(fallback) };
        let name = name.unwrap_or(EventName::Other);
        self.unread_event(name);
        match name {
            EventName::MessageStart => self.add_part(data.message),
            EventName::MessageDelta => {
                self.add_part(data.delta);
                self.add_message(data.usage, Said::default());
            }
            EventName::MessageStop => self.end_with(Ending::Complete),
            _ => {}
        }
    }

    fn add_part(&mut self, part: Said<Part>) {
        if let Some(part) = part.0 {
            self.add_message(part.usage, part.stop_reason);
        }
    }

    fn add_message(&mut self, usage: Said<Figures>, stop_reason: Said<String>) {
        if let Some(figures) = usage.0 {
            self.findings.usage.add(&figures);
        }
        if stop_reason.0.is_some() {
            self.findings.stop_reason = stop_reason.0;
        }
    }

    /// What ends a stream first is what the client acts on.
    fn end_with(&mut self, ending: Ending) {
        if self.findings.ending == Ending::Unknown {
            self.findings.ending = ending;
        }
    }
}

impl Usage {
    /// The figures are totals, so the last one counts; but some providers begin or end with zeros (D05), so
    /// a zero never takes the place of a figure.
    fn add(&mut self, said: &Figures) {
        set(&mut self.input, &said.input);
        set(&mut self.output, &said.output);
        set(&mut self.cache_read, &said.cache_read);
        set(&mut self.cache_write, &said.cache_write);
    }
}

fn set(figure: &mut Option<u64>, said: &Said<u64>) {
    match said.0 {
        Some(0) => *figure = figure.or(Some(0)),
        Some(tokens) => *figure = Some(tokens),
        None => {}
    }
}
