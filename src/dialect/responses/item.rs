//! An item of a response's output.

use std::borrow::Cow;

use serde::Deserialize;

use crate::dialect::answer::{Answer, CallPiece};
use crate::dialect::text::Text;

#[derive(Debug, Deserialize)]
pub(super) struct Item<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    call_id: Option<Cow<'a, str>>,
    name: Option<Cow<'a, str>>,
    arguments: Option<Text<'a>>,
    content: Option<Vec<Part<'a>>>,
    summary: Option<Vec<Part<'a>>>,
}

#[derive(Debug, Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    refusal: Option<Text<'a>>,
}

impl Item<'_> {
    /// Tells all of it. Items that servers' own tools make have no counterpart.
    pub(super) fn tell(&self, index: u64, answer: &mut Answer) {
        match &*self.kind {
            "message" => self.content.iter().flatten().for_each(|part| part.tell(answer)),
            "reasoning" => {
                let parts = self.summary.iter().chain(&self.content).flatten();
                parts.filter_map(|part| part.text.as_ref()).for_each(|text| answer.thinking(text));
            }
            _ => self.tell_call(index, answer),
        }
    }

    /// Tells a call as far as it isn't known.
    pub(super) fn tell_call(&self, index: u64, answer: &mut Answer) {
        if self.kind != "function_call" {
            return;
        }
        let arguments = self.arguments.as_ref().filter(|_| !answer.has_arguments(index));
        answer.call(CallPiece {
            index,
            id: self.call_id.as_deref().unwrap_or_default(),
            name: self.name.as_deref().unwrap_or_default(),
            escaped: arguments.map_or("", Text::escaped),
        });
    }
}

impl Part<'_> {
    fn tell(&self, answer: &mut Answer) {
        if let Some(text) = &self.text {
            answer.text(text);
        }
        if let Some(refusal) = &self.refusal {
            answer.refusal(refusal);
        }
    }
}
