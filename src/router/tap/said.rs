//! What an event or a body says, read in one pass.
//!
//! Providers differ in what they send and when, so each value is read for itself: one of a wrong type is as if it were
//! absent, and spoils no other.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::EventName;

/// An event's data, or a JSON body: the keys that matter, wherever they may stand.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub(super) struct Data {
    #[serde(rename = "type")]
    pub(super) name: Said<EventName>,
    pub(super) message: Said<Part>,
    pub(super) delta: Said<Part>,
    pub(super) usage: Said<Figures>,
    pub(super) stop_reason: Said<String>,
}

/// What stands within `message` and `delta`.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub(super) struct Part {
    pub(super) usage: Said<Figures>,
    pub(super) stop_reason: Said<String>,
}

/// `"usage"`, as it is said.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
pub(super) struct Figures {
    #[serde(rename = "input_tokens")]
    pub(super) input: Said<u64>,
    #[serde(rename = "output_tokens")]
    pub(super) output: Said<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    pub(super) cache_read: Said<u64>,
    #[serde(rename = "cache_creation_input_tokens")]
    pub(super) cache_write: Said<u64>,
}

impl Data {
    /// # Errors
    /// No JSON, or no object.
    pub(super) fn read(json: &[u8]) -> serde_json::Result<Self> {
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let data = deserializer.deserialize_map(Reader::<Self>(PhantomData))?;
        deserializer.end()?;
        data.ok_or_else(|| serde_json::Error::custom("no object"))
    }
}

/// A value, if it is of this type.
#[derive(Debug)]
pub(super) struct Said<T>(pub(super) Option<T>);

impl<T> Default for Said<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Kind<'de>> Deserialize<'de> for Said<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader(PhantomData)).map(Self)
    }
}

/// The one type of JSON value that a type is read from.
trait Kind<'de>: Sized {
    fn text(_: &str) -> Option<Self> {
        None
    }

    fn number(_: u64) -> Option<Self> {
        None
    }

    fn object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        IgnoredAny.visit_map(object).map(|_| None)
    }
}

impl Kind<'_> for EventName {
    fn text(text: &str) -> Option<Self> {
        Some(Self::of(text.as_bytes()))
    }
}

impl Kind<'_> for String {
    fn text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl Kind<'_> for u64 {
    fn number(number: u64) -> Option<Self> {
        Some(number)
    }
}

/// By itself serde takes an array's elements for a struct's fields, and figures would be invented: these are read from
/// objects only.
macro_rules! objects {
    ($($kind:ty),*) => {$(
        impl<'de> Kind<'de> for $kind {
            fn object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
                Self::deserialize(MapAccessDeserializer::new(object)).map(Some)
            }
        }
    )*};
}

objects!(Data, Part, Figures);

struct Reader<T>(PhantomData<T>);

impl<'de, T: Kind<'de>> Visitor<'de> for Reader<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(T::number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(T::text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, array: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_seq(array).map(|_| None)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        T::object(object)
    }
}
