//! From the events of a response to Anthropic's.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::item::Item;
use super::response::{Response, told};
use crate::dialect::answer::{Answer, CallPiece, Complaint, Fault, Progress, Reader, Translation};
use crate::dialect::text::Text;

/// An answer that comes as events.
pub type Stream = Translation<Events>;

/// Reads events, each for itself.
#[derive(Debug)]
pub struct Events(());

/// Translates an answer that comes as events, with a status below 400. `id`: what the message is called instead of the
/// provider's own name for it; ASCII, and unlike any other's.
pub fn stream(id: String) -> Stream {
    Translation::new(Events(()), id)
}

/// Every field that an event which matters here may have.
#[derive(Debug, Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    response: Option<&'a RawValue>,
    item: Option<&'a RawValue>,
    delta: Option<Text<'a>>,
    output_index: Option<u64>,
    summary_index: Option<u64>,
    error: Option<&'a RawValue>,
}

impl Reader for Events {
    fn read(&mut self, data: &[u8], answer: &mut Answer) -> Result<Progress, Fault> {
        if data.trim_ascii() == b"[DONE]" {
            return Ok(Progress::Last);
        }
        let event: Event<'_> = parsed(data)?;
        match (event.kind.as_deref(), event.error) {
            (Some("error"), None) => Err(Fault::Told(Complaint::of(&parsed(data)?))),
            (_, Some(error)) => Err(told(error)),
            (kind, None) => event.tell(kind.unwrap_or_default(), answer),
        }
    }
}

impl Event<'_> {
    fn tell(&self, kind: &str, answer: &mut Answer) -> Result<Progress, Fault> {
        let index = self.output_index.unwrap_or_default();
        match kind {
            "response.created" | "response.in_progress" => self.response()?.begin(answer),
            "response.output_item.added" | "response.output_item.done" => {
                self.item()?.tell_call(index, answer);
            }
            "response.output_text.delta" => self.each_delta(|text| answer.text(text)),
            "response.refusal.delta" => self.each_delta(|text| answer.refusal(text)),
            "response.reasoning_summary_part.added" if self.summary_index > Some(0) => {
                answer.thinking(&Text::of("\n\n"));
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.each_delta(|text| answer.thinking(text));
            }
            "response.function_call_arguments.delta" => self.each_delta(|text| {
                answer.call(CallPiece { index, id: "", name: "", escaped: text.escaped() });
            }),
            "response.completed" | "response.incomplete" | "response.failed" => {
                let response = self.response()?;
                response.begin(answer);
                return response.end(answer).map(|()| Progress::Last);
            }
            _ => {}
        }
        Ok(Progress::More)
    }

    fn each_delta(&self, tell: impl FnOnce(&Text<'_>)) {
        self.delta.as_ref().map(tell).unwrap_or_default();
    }

    fn response(&self) -> Result<Response<'_>, Fault> {
        parsed(self.response.map_or("", RawValue::get).as_bytes())
    }

    fn item(&self) -> Result<Item<'_>, Fault> {
        parsed(self.item.map_or("", RawValue::get).as_bytes())
    }
}

fn parsed<'a, T: Deserialize<'a>>(data: &'a [u8]) -> Result<T, Fault> {
    serde_json::from_slice(data)
        .map_err(|_| Fault::Garbled("it holds something that is no event of a response"))
}
