//! What the translation does, by examples and by rules. Names hold the number of the report that they answer.

mod answers;
mod golden;
mod properties;

use serde_json::Value;

use super::*;
use crate::config::Effort;
use crate::dialect::testing::{Heard, ID, heard, rewritten};

fn stream() -> Stream {
    super::stream(ID.to_owned())
}

fn whole(body: &[u8], stream: bool) -> Result<Vec<u8>, ErrorAnswer> {
    super::whole(body, stream, ID.to_owned())
}

/// What a client hears of these events.
fn told(events: &[Value]) -> Heard {
    heard(&rewritten(stream(), &[sse(events).as_bytes()]))
}

fn sse(events: &[Value]) -> String {
    events
        .iter()
        .flat_map(|event| ["event: any\ndata: ".to_owned(), event.to_string(), "\n\n".to_owned()])
        .collect()
}
