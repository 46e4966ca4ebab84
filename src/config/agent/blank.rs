//! A new agent's file: from a sample or from nothing. Pure.

use serde_json::{Map, Value};

use super::markdown::{compose, tools_value};
use super::{FieldError, sample_text, set_field};

/// What a new agent begins with; `None` is left as the sample has it, or out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blank {
    pub name: String,
    pub description: Option<String>,
    pub model: Option<String>,
    /// `Some` of an empty list: no tools.
    pub tools: Option<Vec<String>>,
    pub prompt: Option<String>,
}

impl Blank {
    /// The file's text. What is needed and isn't there is left for the person to write: such a file is no agent yet.
    pub fn text(&self) -> String {
        let mut map = Map::new();
        map.insert("name".to_owned(), self.name.clone().into());
        map.insert("description".to_owned(), self.description.clone().unwrap_or_default().into());
        if let Some(tools) = &self.tools {
            map.insert("tools".to_owned(), tools_value(tools));
        }
        if let Some(model) = &self.model {
            map.insert("model".to_owned(), model.clone().into());
        }
        let prompt = self.prompt.as_deref().unwrap_or_default().trim();
        compose(&map, &format!("\n{prompt}\n"))
    }

    /// The sample's text with all that is given here in its place; `None`: there is no such sample.
    ///
    /// # Errors
    /// A prompt that is blank.
    pub fn from_sample(&self, sample: &str) -> Result<Option<String>, FieldError> {
        let Some(text) = sample_text(sample) else { return Ok(None) };
        let fields: [(&str, Option<Value>); 5] = [
            ("name", Some(self.name.clone().into())),
            ("description", self.description.clone().map(Value::from)),
            ("tools", self.tools.clone().map(Value::from)),
            ("model", self.model.clone().map(Value::from)),
            ("prompt", self.prompt.clone().map(Value::from)),
        ];
        let given = fields.into_iter().filter(|(_, value)| value.is_some());
        given
            .into_iter()
            .try_fold(text.to_owned(), |text, (key, value)| set_field(&text, key, value.as_ref()))
            .map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Model, parse};
    use super::*;

    fn blank() -> Blank {
        Blank {
            name: "mine".to_owned(),
            description: Some("Use when: asked #1".to_owned()),
            model: Some("glm/glm-5".to_owned()),
            tools: Some(vec!["Read".to_owned()]),
            prompt: Some("Do it.\n---\nWell.".to_owned()),
        }
    }

    #[test]
    fn a_new_agent_holds_what_was_given_from_a_sample_or_from_nothing() {
        for text in [blank().text(), blank().from_sample("reviewer").unwrap().unwrap()] {
            let (agent, problems) = parse(Path::new("mine.md"), text.as_bytes());
            assert_eq!(problems, [], "{text}");
            let agent = agent.unwrap();
            assert_eq!((agent.name.as_str(), agent.description.as_str()), ("mine", "Use when: asked #1"));
            assert_eq!(
                (agent.prompt.as_str(), agent.tools),
                ("Do it.\n---\nWell.", Some(vec!["Read".to_owned()]))
            );
            assert_eq!(agent.model, Model::Route("glm/glm-5".parse().unwrap()));
        }
        assert_eq!(blank().from_sample("nobody"), Ok(None));
    }

    #[test]
    fn f13_a_blank_file_is_no_agent_until_somebody_writes_it() {
        let text = Blank { name: "mine".to_owned(), ..Blank::default() }.text();
        assert!(parse(Path::new("mine.md"), text.as_bytes()).0.is_none(), "{text}");
    }

    #[test]
    fn a_sample_keeps_what_was_not_given() {
        let mine = Blank { name: "mine".to_owned(), ..Blank::default() };
        let text = mine.from_sample("investigator").unwrap().unwrap();
        assert_eq!(
            text,
            sample_text("investigator").unwrap().replacen("name: investigator", "name: mine", 1)
        );
    }
}
