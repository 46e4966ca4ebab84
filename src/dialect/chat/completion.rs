//! From a completion, whole or in chunks, to Anthropic's answer.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::ErrorAnswer;
use super::said::Said;
use crate::dialect::answer::{self, Answer, Complaint, Fault, Finish, Progress, Reader, Translation, Usage};

/// An answer that comes as events.
pub type Stream = Translation<Chunks>;

/// Reads chunks, each for itself.
#[derive(Debug)]
pub struct Chunks(());

/// Translates an answer that comes as events, with a status below 400. `id`: what the message is called instead of the
/// provider's own name for it; ASCII, and unlike any other's.
pub fn stream(id: String) -> Stream {
    Translation::new(Chunks(()), id)
}

/// Translates an answer that comes in one piece, with a status below 400: to a message, or to events if the client
/// asked for a `stream` (E07). `id`: as of [`stream()`].
///
/// # Errors
/// What is to be answered instead, when it can't be read or tells of a failure.
pub fn whole(body: &[u8], stream: bool, id: String) -> Result<Vec<u8>, ErrorAnswer> {
    let mut answer = Answer::new(id);
    let read = read(body, &mut answer);
    answer::whole(read.map(|()| answer), stream)
}

impl Reader for Chunks {
    fn read(&mut self, data: &[u8], answer: &mut Answer) -> Result<Progress, Fault> {
        if data.trim_ascii() == b"[DONE]" {
            return Ok(Progress::Last);
        }
        read(data, answer).map(|()| Progress::More)
    }
}

/// A completion or a chunk of one. What isn't named here (`id`, `logprobs`, `service_tier`…) has no counterpart.
#[derive(Debug, Deserialize)]
struct Completion<'a> {
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    choices: Option<Vec<Choice<'a>>>,
    usage: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Choice<'a> {
    index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Said<'a>>,
    message: Option<Said<'a>>,
    finish_reason: Option<Cow<'a, str>>,
    /// Moonshot's place for it.
    usage: Option<&'a RawValue>,
}

fn read(data: &[u8], answer: &mut Answer) -> Result<(), Fault> {
    let completion: Completion<'_> =
        serde_json::from_slice(data).map_err(|_| Fault::Garbled(NO_COMPLETION))?;
    if let Some(error) = completion.error {
        let error: Value = serde_json::from_str(error.get()).unwrap_or_default();
        return Err(Fault::Told(Complaint::of(&error)));
    }
    answer.begin(completion.model.as_deref());
    count(completion.usage, answer);
    let choices = completion.choices.unwrap_or_default();
    let first = choices.into_iter().find(|choice| choice.index.unwrap_or(0) == 0);
    first.map_or(Ok(()), |choice| choice.tell(answer))
}

const NO_COMPLETION: &str = "it holds something that is no chat completion";

impl Choice<'_> {
    fn tell(self, answer: &mut Answer) -> Result<(), Fault> {
        count(self.usage, answer);
        if let Some(said) = self.delta.or(self.message) {
            said.tell(answer);
        }
        match self.finish_reason.as_deref() {
            None | Some("") => {}
            Some("error") => return Err(Fault::Garbled("it ends with an error that isn't named")),
            Some(reason) => answer.end(Finish::of(reason)),
        }
        Ok(())
    }
}

/// The last usage counts (E05); what is none is left out.
fn count(usage: Option<&RawValue>, answer: &mut Answer) {
    if let Some(usage) = usage.and_then(|usage| serde_json::from_str::<Counted>(usage.get()).ok()) {
        answer.count(usage.into());
    }
}

/// In tokens.
#[derive(Debug, Deserialize)]
struct Counted {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
    /// `DeepSeek`'s field.
    prompt_cache_hit_tokens: Option<u64>,
    /// Moonshot's field.
    cached_tokens: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

impl From<Counted> for Usage {
    fn from(counted: Counted) -> Self {
        let details = counted.prompt_tokens_details.unwrap_or_default();
        let cached = details.cached_tokens.or(counted.prompt_cache_hit_tokens).or(counted.cached_tokens);
        Self {
            prompt: counted.prompt_tokens.unwrap_or_default(),
            cached: cached.unwrap_or_default(),
            written: details.cache_write_tokens.unwrap_or_default(),
            completion: counted.completion_tokens.unwrap_or_default(),
        }
    }
}
