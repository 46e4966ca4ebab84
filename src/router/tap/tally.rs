//! Adds up what events say: tokens, stop reason, how the stream ended.
//!
//! Providers differ in what they send and when, so each value is read for itself: one of a wrong type is
//! as if it were absent, and spoils no other.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

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
        match serde_json::from_slice(data) {
            Ok(Object(data)) => self.read_event(fallback, &data),
            Err(_) => self.unread_event(fallback.unwrap_or(EventName::Other)),
        }
    }

    /// The event that the stream ended in: it counts if its data is whole, or if it is an error.
    pub(super) fn last_event(&mut self, fallback: Option<EventName>, data: &[u8]) {
        match serde_json::from_slice(data) {
            Ok(Object(data)) => self.read_event(fallback, &data),
            Err(_) if fallback == Some(EventName::Error) => self.unread_event(EventName::Error),
            Err(_) => {}
        }
    }

    /// A JSON body, as the Messages API answers when it doesn't stream.
    pub(super) fn body(&mut self, data: &[u8]) {
        match serde_json::from_slice(data) {
            Ok(Object::<Data<'_>>(body)) => {
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

    /// Has `message_start` been seen?
    pub(super) fn is_begun(&self) -> bool {
        self.begun
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

    fn read_event(&mut self, fallback: Option<EventName>, data: &Data<'_>) {
        let name = lenient::<Option<String>>(data.kind).map(|kind| EventName::of(kind.as_bytes()));
        let name = if fallback == Some(EventName::Error) { fallback } else { name.or(fallback) };
        let name = name.unwrap_or(EventName::Other);
        self.unread_event(name);
        match name {
            EventName::MessageStart => self.add_nested(data.message),
            EventName::MessageDelta => {
                self.add_nested(data.delta);
                self.add_message(data.usage, None);
            }
            EventName::MessageStop => self.end_with(Ending::Complete),
            _ => {}
        }
    }

    fn add_nested(&mut self, message: Option<&RawValue>) {
        let Object::<Data<'_>>(message) = lenient(message);
        self.add_message(message.usage, message.stop_reason);
    }

    fn add_message(&mut self, usage: Option<&RawValue>, stop_reason: Option<&RawValue>) {
        let Object(said) = lenient(usage);
        self.findings.usage.add(&said);
        if let Some(reason) = lenient::<Option<String>>(stop_reason) {
            self.findings.stop_reason = Some(reason);
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
    fn add(&mut self, said: &SaidUsage<'_>) {
        set(&mut self.input, said.input);
        set(&mut self.output, said.output);
        set(&mut self.cache_read, said.cache_read);
        set(&mut self.cache_write, said.cache_write);
    }
}

/// An event's data, a message, a delta or a JSON body: the keys that matter, wherever they may stand.
#[derive(Deserialize, Default)]
struct Data<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    stop_reason: Option<&'a RawValue>,
}

/// `"usage"`, as it is said.
#[derive(Deserialize, Default)]
struct SaidUsage<'a> {
    #[serde(borrow, default, rename = "input_tokens")]
    input: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "output_tokens")]
    output: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "cache_read_input_tokens")]
    cache_read: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "cache_creation_input_tokens")]
    cache_write: Option<&'a RawValue>,
}

/// A struct that is read from an object only. By itself serde takes an array's elements for its fields,
/// and figures would be invented.
#[derive(Default)]
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

fn set(figure: &mut Option<u64>, said: Option<&RawValue>) {
    match lenient::<Option<u64>>(said) {
        Some(0) => *figure = figure.or(Some(0)),
        Some(tokens) => *figure = Some(tokens),
        None => {}
    }
}

fn lenient<'a, T: Deserialize<'a> + Default>(raw: Option<&'a RawValue>) -> T {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}
