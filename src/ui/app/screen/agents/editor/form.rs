//! What stands in the fields, read from an agent's file and written back into its text.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::field::{FieldId, Kind};
use super::text::Text;
use crate::config::agent::{entries, sections, set_field, value_of};
use crate::launch::screen::input::{Key, Modifiers};
use crate::ui::app::input::Chord;
use crate::ui::app::widget::Field;

/// The fields, each with what it began with.
pub(super) struct Form {
    inputs: BTreeMap<FieldId, Input>,
    was: BTreeMap<FieldId, String>,
}

/// What is typed in a field.
pub(super) enum Input {
    Line(Field),
    Text(Box<Text>),
    Choice(Choice),
}

/// One of several words.
pub(super) struct Choice {
    /// With what it means; empty: nothing is known of it.
    options: Vec<(String, &'static str)>,
    at: usize,
}

/// A file's text with what the fields say, and why some of them can't be said.
pub(super) struct Written {
    pub(super) text: String,
    pub(super) refused: BTreeMap<FieldId, String>,
}

impl Choice {
    fn new(known: &[(&str, &'static str)], value: &str) -> Self {
        let mut options: Vec<(String, &'static str)> =
            known.iter().map(|(word, meaning)| ((*word).to_owned(), *meaning)).collect();
        let at = options.iter().position(|(word, _)| word == value).unwrap_or_else(|| {
            options.push((value.to_owned(), ""));
            options.len() - 1
        });
        Self { options, at }
    }

    pub(super) fn word(&self) -> &str {
        &self.options[self.at].0
    }

    pub(super) fn meaning(&self) -> &'static str {
        self.options[self.at].1
    }

    fn step(&mut self, by: usize) {
        self.at = (self.at + by) % self.options.len();
    }

    fn press(&mut self, chord: Chord) {
        match chord.0 {
            Key::Character(' ') | Key::Right | Key::Enter => self.step(1),
            Key::Left => self.step(self.options.len() - 1),
            Key::Backspace | Key::Delete => self.at = 0,
            _ => {}
        }
    }
}

impl Input {
    fn new(field: FieldId, value: &str) -> Self {
        match field.kind() {
            Kind::Line => Self::Line(Field::new(value)),
            Kind::Text if field == FieldId::Description => Self::Text(Box::new(Text::at_end(value))),
            Kind::Text => Self::Text(Box::new(Text::new(value))),
            Kind::Choice(known) => Self::Choice(Choice::new(known, value)),
        }
    }

    fn value(&self) -> String {
        match self {
            Self::Line(field) => field.text().to_owned(),
            Self::Text(text) => text.text(),
            Self::Choice(choice) => choice.word().to_owned(),
        }
    }
}

impl Form {
    /// `None`: the text has no front matter, so no fields.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (map, body) = sections(text)?;
        let inputs: BTreeMap<FieldId, Input> = FieldId::ALL
            .into_iter()
            .map(|field| (field, Input::new(field, &said(field, &map, body))))
            .collect();
        let was = inputs.iter().map(|(field, input)| (*field, input.value())).collect();
        Some(Self { inputs, was })
    }

    pub(super) fn input(&self, field: FieldId) -> Option<&Input> {
        self.inputs.get(&field)
    }

    pub(super) fn value(&self, field: FieldId) -> String {
        self.inputs.get(&field).map(Input::value).unwrap_or_default()
    }

    /// Puts another value in the field.
    pub(super) fn set(&mut self, field: FieldId, value: &str) {
        self.inputs.insert(field, Input::new(field, value));
    }

    /// What the field began with.
    pub(super) fn restore(&mut self, field: FieldId) {
        let was = self.was.get(&field).cloned().unwrap_or_default();
        self.set(field, &was);
    }

    pub(super) fn text_mut(&mut self, field: FieldId) -> Option<&mut Text> {
        match self.inputs.get_mut(&field) {
            Some(Input::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The cursor is to be seen in this field only.
    pub(super) fn focus(&mut self, focused: FieldId) {
        for (field, input) in &mut self.inputs {
            if let Input::Text(text) = input {
                text.focus(*field == focused);
            }
        }
    }

    pub(super) fn press(&mut self, field: FieldId, chord: Chord) {
        match self.inputs.get_mut(&field) {
            Some(Input::Line(line)) => {
                if chord.typed().is_some() {
                    make_way(field, line);
                }
                _ = line.press(chord);
            }
            Some(Input::Text(text)) => text.press(chord),
            Some(Input::Choice(choice)) if chord.1 == Modifiers::NONE => choice.press(chord),
            Some(Input::Choice(_)) | None => {}
        }
    }

    pub(super) fn paste(&mut self, field: FieldId, pasted: &str) {
        match self.inputs.get_mut(&field) {
            Some(Input::Line(line)) => {
                make_way(field, line);
                line.insert(pasted);
            }
            Some(Input::Text(text)) => text.paste(pasted),
            Some(Input::Choice(_)) | None => {}
        }
    }

    /// The text with every field that was changed: all else stays byte for byte as it is there.
    pub(super) fn written(&self, base: &str) -> Written {
        let mut written = Written { text: base.to_owned(), refused: BTreeMap::new() };
        for (field, input) in &self.inputs {
            let value = input.value();
            if self.was.get(field) == Some(&value) {
                continue;
            }
            match set_field(&written.text, field.key(), typed(*field, &value, &mut written.refused).as_ref())
            {
                Ok(text) => written.text = text,
                Err(error) => _ = written.refused.insert(*field, error.to_string()),
            }
        }
        written
    }
}

/// What stands where the file says nothing goes once somebody says something.
fn make_way(field: FieldId, line: &mut Field) {
    if line.text() == field.unset() {
        *line = Field::default();
    }
}

/// The value that the text stands for; where it stands for none, the text itself, so that nothing typed is lost.
fn typed(field: FieldId, text: &str, refused: &mut BTreeMap<FieldId, String>) -> Option<Value> {
    let is_unset = match field {
        FieldId::Model => false,
        _ => text == field.unset(),
    };
    if is_unset && !matches!(field, FieldId::Name | FieldId::Description | FieldId::Prompt) {
        return None;
    }
    if field == FieldId::Name {
        return Some(text.into());
    }
    match value_of(field.key(), text) {
        Ok(value) => Some(value),
        Err(error) => {
            refused.insert(field, error.to_string());
            Some(text.into())
        }
    }
}

/// What the file says of the field, as a person types it.
fn said(field: FieldId, map: &Map<String, Value>, body: &str) -> String {
    if field == FieldId::Prompt && !body.trim().is_empty() {
        return body.trim().to_owned();
    }
    let value = match field.key().split_once('.') {
        Some((outer, inner)) => map.get(outer).and_then(|outer| outer.get(inner)),
        None => map.get(field.key()),
    };
    match (field, value) {
        (_, None | Some(Value::Null)) => field.unset().to_owned(),
        // What YAML makes of `off` without quotes.
        (FieldId::Visibility, Some(Value::Bool(false))) => "off".to_owned(),
        (FieldId::Tools, Some(value)) => {
            entries(value).map_or_else(|| value.to_string(), |tools| tools.join(", "))
        }
        (_, Some(Value::String(text))) => text.trim_end().to_owned(),
        (_, Some(value)) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "---\n# mine\nname: rev\ndescription: >-\n  Reviews\n  it.\ntools: [Read, Grep]\nsubagents:\n  visibility: off\n\
                        other: 1\n---\n\nDo.\n";

    #[test]
    fn what_nobody_touches_stays_as_it_is() {
        let form = Form::read(FILE).unwrap();
        assert_eq!(form.written(FILE).text, FILE);
        let values: Vec<String> = FieldId::ALL.into_iter().map(|field| form.value(field)).collect();
        assert_eq!(
            values,
            ["rev", "Reviews it.", "inherit", "", "Read, Grep", "false", "", "", "off", "", "Do."]
        );
    }

    #[test]
    fn what_is_changed_is_all_that_changes() {
        let mut form = Form::read(FILE).unwrap();
        form.set(FieldId::Visibility, "model");
        form.set(FieldId::Tools, "*");
        form.set(FieldId::Turns, "12");
        form.set(FieldId::Prompt, "Do.\nMore.");
        let written = form.written(FILE);
        assert_eq!(written.refused.len(), 0);
        let expect = "---\n# mine\nname: rev\ndescription: >-\n  Reviews\n  it.\nother: 1\nmaxTurns: 12\n---\n\nDo.\nMore.\n";
        assert_eq!(written.text, expect);
        form.restore(FieldId::Prompt);
        assert!(form.written(FILE).text.ends_with("---\n\nDo.\n"));
    }

    #[test]
    fn what_is_typed_takes_the_place_of_what_the_file_does_not_say() {
        let mut form = Form::read("---\nname: rev\ndescription: d\n---\nDo.\n").unwrap();
        let typed = |form: &mut Form, field, keys: &str| {
            keys.split(' ').for_each(|key| form.press(field, key.parse().unwrap()));
            form.value(field)
        };
        assert_eq!(typed(&mut form, FieldId::Model, "left a / b"), "a/b");
        assert_eq!(typed(&mut form, FieldId::Model, "backspace c"), "a/c");
        assert_eq!(typed(&mut form, FieldId::Tools, "end R"), "R");
        assert_eq!(typed(&mut form, FieldId::Name, "s"), "revs");
        form.restore(FieldId::Tools);
        form.paste(FieldId::Tools, "Read");
        assert_eq!(form.value(FieldId::Tools), "Read");
    }

    #[test]
    fn what_cannot_be_a_value_is_told_and_kept() {
        let mut form = Form::read(FILE).unwrap();
        form.set(FieldId::Turns, "many");
        form.set(FieldId::Prompt, " ");
        let written = form.written(FILE);
        assert!(written.refused[&FieldId::Turns].contains("whole number"));
        assert!(written.refused[&FieldId::Prompt].contains("isn't blank"));
        assert_eq!(Form::read(&written.text).unwrap().value(FieldId::Turns), "many");
        assert!(Form::read("no front matter").is_none());
    }
}
