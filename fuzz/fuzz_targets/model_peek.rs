//! Any bytes as a request's body, cut anywhere: the scanner and the splicer must not panic, and must see and make
//! the same as from the whole. Where a real JSON reader takes the body, they must agree with it about `model`, and
//! only `model` and `metadata.user_id` may change.
//!
//! The first byte chooses the pieces' size, the second the length of the model's new name; the rest is the body.
#![no_main]

use std::collections::VecDeque;
use std::fmt;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use subagents::router::peek::{ModelValue, Scanner, Seen, SpliceFault, Splicer};

/// Bytes of a value that the scanner still reads.
const LONGEST: usize = 4096;

fuzz_target!(|data: &[u8]| {
    let [size, name, body @ ..] = data else { return };
    let pieces = || body.chunks(usize::from(*size).max(1));
    let name = format!("\"{}\"", "n".repeat(usize::from(*name)));
    let seen = scan(std::iter::once(body));
    assert_eq!(scan(pieces()), seen);
    let object = serde_json::from_slice::<Object>(body).ok();
    if let Some(object) = &object {
        agree(body, object, &seen);
    }
    let Some(model) = first_model(&seen).cloned().flatten() else { return };
    let whole = splice(&model, &name, std::iter::once(body));
    assert_eq!(splice(&model, &name, pieces()), whole);
    if let (Some(before), Ok(sent)) = (object, whole) {
        only_what_must_change(before, &serde_json::from_slice(&sent).expect("still JSON"), &name);
    }
});

fn scan<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Seen> {
    let mut scanner = Scanner::default();
    let mut all = Vec::new();
    for mut piece in pieces {
        while !piece.is_empty() {
            let (read, seen) = scanner.next(piece);
            piece = &piece[read..];
            all.extend(seen);
        }
    }
    all
}

fn first_model(seen: &[Seen]) -> Option<&Option<ModelValue>> {
    seen.iter().find_map(|seen| match seen {
        Seen::Model(model) => Some(model),
        _ => None,
    })
}

/// What is sent in the body's place; its length is known beforehand.
fn splice<'a>(
    model: &ModelValue,
    name: &str,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<Vec<u8>, SpliceFault> {
    let mut splicer = Splicer::new(model.start..model.end, Bytes::copy_from_slice(name.as_bytes()));
    let (mut out, mut read) = (VecDeque::new(), 0);
    for piece in pieces {
        splicer.feed(&Bytes::copy_from_slice(piece), &mut out)?;
        read += piece.len();
    }
    let sent = Vec::from(out).concat();
    assert_eq!(Some(sent.len()), read.checked_add_signed(splicer.growth() as isize));
    Ok(sent)
}

fn agree(body: &[u8], object: &Object, seen: &[Seen]) {
    assert_eq!(seen.last(), Some(&Seen::End));
    assert!(!seen.contains(&Seen::NotJson));
    let models: Vec<_> = object.0.iter().filter(|(key, _)| key == "model").map(|(_, value)| value).collect();
    let told: Vec<_> = seen.iter().filter(|seen| matches!(seen, Seen::Model(_))).collect();
    assert_eq!(models.len(), told.len());
    let like = |key: &str| key != "model" && key.eq_ignore_ascii_case("model");
    let likes = object.0.iter().filter(|(key, _)| like(key)).count();
    assert_eq!(likes, seen.iter().filter(|seen| **seen == Seen::ModelLike).count());
    for (value, seen) in models.into_iter().zip(told) {
        match (value, seen) {
            (Value::String(text), Seen::Model(Some(model))) => {
                assert_eq!(text, &model.text);
                let token = &body[model.start as usize..model.end as usize];
                assert_eq!(serde_json::from_slice::<String>(token).ok().as_ref(), Some(text));
            }
            (Value::String(_), _) => assert!(body.len() > LONGEST),
            (_, seen) => assert_eq!(*seen, Seen::Model(None)),
        }
    }
}

fn only_what_must_change(before: Object, after: &Object, name: &str) {
    let name: Value = serde_json::from_str(name).expect("a JSON string");
    assert_eq!(before.0.len(), after.0.len());
    for ((key, mut value), (key_after, value_after)) in before.0.into_iter().zip(&after.0) {
        assert_eq!(&key, key_after);
        if key == "model" {
            value = name.clone();
        }
        if key == "metadata"
            && let (Some(id), Some(sent)) = (value.get_mut("user_id"), value_after.get("user_id"))
            && id.is_string()
        {
            assert!("subagents-".repeat(LONGEST).starts_with(sent.as_str().expect("still a string")));
            *id = sent.clone();
        }
        assert_eq!(&value, value_after, "{key}");
    }
}

/// A JSON object with all its keys, in their order, also those that are there twice.
struct Object(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Pairs)
    }
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Object(pairs))
    }
}
