//! What the model says in a message, or in a piece of one.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::dialect::answer::{Answer, CallPiece};
use crate::dialect::text::Text;

#[derive(Debug, Deserialize)]
pub(super) struct Said<'a> {
    /// A string, or Mistral's list of parts.
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    refusal: Option<Text<'a>>,
    /// Thinking has no place in `OpenAI`'s own reference; providers have found these three.
    reasoning_content: Option<Text<'a>>,
    reasoning: Option<&'a RawValue>,
    reasoning_details: Option<&'a RawValue>,
    tool_calls: Option<Vec<Call<'a>>>,
    /// What came before `tool_calls`.
    function_call: Option<Function<'a>>,
}

#[derive(Debug, Deserialize)]
struct Call<'a> {
    index: Option<u64>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    function: Option<Function<'a>>,
}

#[derive(Debug, Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    /// A string that holds JSON; some give the object itself.
    arguments: Option<&'a RawValue>,
}

/// A part of a list in the place of a string: Mistral's content, `OpenRouter`'s details of reasoning.
#[derive(Debug, Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    summary: Option<Text<'a>>,
    thinking: Option<Vec<Part<'a>>>,
}

impl<'a> Said<'a> {
    pub(super) fn tell(&self, answer: &mut Answer) {
        self.thoughts().iter().for_each(|thought| answer.thinking(thought));
        if let Some(content) = self.content {
            tell_content(content, answer);
        }
        if let Some(refusal) = &self.refusal {
            answer.refusal(refusal);
        }
        for (at, call) in self.tool_calls.iter().flatten().enumerate() {
            call.tell(at as u64, answer);
        }
        if let Some(function) = &self.function_call {
            function.tell(0, "", answer);
        }
    }

    /// Of the places that hold them the first: they say the same.
    fn thoughts(&self) -> Vec<Text<'a>> {
        let plain = self.reasoning_content.clone().or_else(|| Text::new(self.reasoning?));
        let details = || parts(self.reasoning_details).into_iter();
        let detailed = || details().filter_map(|detail| detail.text.or(detail.summary)).collect();
        plain.filter(|text| !text.is_empty()).map_or_else(detailed, |text| vec![text])
    }
}

fn tell_content(content: &RawValue, answer: &mut Answer) {
    if let Some(text) = Text::new(content) {
        return answer.text(&text);
    }
    for part in parts(Some(content)) {
        let thoughts = part.thinking.into_iter().flatten().filter_map(|part| part.text);
        thoughts.for_each(|thought| answer.thinking(&thought));
        if let Some(text) = part.text {
            answer.text(&text);
        }
    }
}

/// None of what is no such list.
fn parts(list: Option<&RawValue>) -> Vec<Part<'_>> {
    list.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default()
}

impl Call<'_> {
    /// `at`: where it stands in its list, which tells calls without an index apart.
    fn tell(&self, at: u64, answer: &mut Answer) {
        let function = self.function.as_ref().unwrap_or(&Function { name: None, arguments: None });
        function.tell(self.index.unwrap_or(at), self.id.as_deref().unwrap_or_default(), answer);
    }
}

impl Function<'_> {
    fn tell(&self, index: u64, id: &str, answer: &mut Answer) {
        let arguments = self.arguments.map(|raw| Text::new(raw).unwrap_or_else(|| Text::of(raw.get())));
        answer.call(CallPiece {
            index,
            id,
            name: self.name.as_deref().unwrap_or_default(),
            escaped: arguments.as_ref().map_or("", Text::escaped),
        });
    }
}
