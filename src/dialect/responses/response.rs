//! A response as an object: a whole answer, and what the first and the last event of a stream hold.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::ErrorAnswer;
use super::item::Item;
use crate::dialect::answer::{self, Answer, Complaint, Fault, Finish, Usage};

/// Translates an answer that comes in one piece, with a status below 400: to a message, or to events if the client
/// asked for a `stream` (E07). `id`: as of [`stream()`](super::stream).
///
/// # Errors
/// What is to be answered instead, when it can't be read or tells of a failure.
pub fn whole(body: &[u8], stream: bool, id: String) -> Result<Vec<u8>, ErrorAnswer> {
    answer::whole(read(body, id), stream)
}

fn read(body: &[u8], id: String) -> Result<Answer, Fault> {
    let response: Response<'_> =
        serde_json::from_slice(body).map_err(|_| Fault::Garbled("it holds something that is no response"))?;
    let mut answer = Answer::new(id);
    response.begin(&mut answer);
    let items: Vec<Item<'_>> =
        response.output.and_then(|output| serde_json::from_str(output.get()).ok()).unwrap_or_default();
    for (index, item) in items.iter().enumerate() {
        item.tell(index as u64, &mut answer);
    }
    response.end(&mut answer)?;
    Ok(answer)
}

#[derive(Debug, Deserialize)]
pub(super) struct Response<'a> {
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    status: Option<Cow<'a, str>>,
    incomplete_details: Option<Incomplete<'a>>,
    usage: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    output: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Incomplete<'a> {
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
}

/// In tokens.
#[derive(Debug, Deserialize)]
struct Counted {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<Details>,
}

#[derive(Debug, Default, Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

impl Response<'_> {
    pub(super) fn begin(&self, answer: &mut Answer) {
        answer.begin(self.model.as_deref());
    }

    /// How it ended, and what it cost.
    pub(super) fn end(&self, answer: &mut Answer) -> Result<(), Fault> {
        if let Some(error) = self.error {
            return Err(told(error));
        }
        if matches!(self.status.as_deref(), Some("failed" | "cancelled")) {
            return Err(Fault::Garbled("it failed, and doesn't say why"));
        }
        if let Some(counted) = self.usage.and_then(|usage| serde_json::from_str::<Counted>(usage.get()).ok())
        {
            answer.count(counted.into());
        }
        let reason = self.incomplete_details.as_ref().and_then(|details| details.reason.as_deref());
        answer.end(reason.map_or(Finish::Ended, Finish::of));
        Ok(())
    }
}

pub(super) fn told(error: &RawValue) -> Fault {
    let error: Value = serde_json::from_str(error.get()).unwrap_or_default();
    Fault::Told(Complaint::of(&error))
}

impl From<Counted> for Usage {
    fn from(counted: Counted) -> Self {
        let details = counted.input_tokens_details.unwrap_or_default();
        Self {
            prompt: counted.input_tokens.unwrap_or_default(),
            cached: details.cached_tokens.unwrap_or_default(),
            written: details.cache_write_tokens.unwrap_or_default(),
            completion: counted.output_tokens.unwrap_or_default(),
        }
    }
}
