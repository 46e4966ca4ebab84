//! What a headless Claude Code tells while it works (`--output-format stream-json`). Pure.

use std::collections::BTreeMap;

use serde_json::Value;

/// What is known of a run so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Uses of tools that were begun.
    pub tool_calls: u64,
    /// Answers of the model.
    pub turns: u64,
    /// How often each tool was used.
    pub tools: BTreeMap<String, u64>,
    /// The last thing that was said, which is all that there is of a run that is ended early.
    pub said: String,
    pub result: Option<Finish>,
    /// The answer that was told last.
    pub(super) answered: Option<String>,
}

/// How Claude Code says it ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Finish {
    /// `success`, `error_max_turns`, …
    pub subtype: String,
    pub is_error: bool,
    pub text: String,
    /// What `--json-schema` asked for.
    pub structured: Option<Value>,
    /// Tools that a permission was missing for, each use.
    pub denied: Vec<String>,
}

/// Something that whoever watches may want to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A tool is used: its name, and what it is used on in a few words.
    Tool {
        name: String,
        on: String,
    },
    Said(String),
}

impl Run {
    /// Takes one line. What isn't understood is nothing.
    pub fn line(&mut self, line: &[u8]) -> Vec<Step> {
        let Ok(event) = serde_json::from_slice::<Value>(line) else { return Vec::new() };
        match event["type"].as_str() {
            Some("assistant") => {
                // One answer comes as several events, a block of it each.
                let id = event["message"]["id"].as_str().unwrap_or_default();
                if self.answered.as_deref() != Some(id) {
                    self.turns += 1;
                    self.answered = Some(id.to_owned());
                }
                self.answer(&event["message"]["content"])
            }
            Some("result") => {
                self.result = Some(Finish::read(&event));
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn answer(&mut self, content: &Value) -> Vec<Step> {
        let mut steps = Vec::new();
        for block in content.as_array().into_iter().flatten() {
            match (block["type"].as_str(), block["text"].as_str(), block["name"].as_str()) {
                (Some("text"), Some(text), _) if !text.trim().is_empty() => {
                    text.clone_into(&mut self.said);
                    steps.push(Step::Said(text.to_owned()));
                }
                (Some("tool_use"), _, Some(name)) => {
                    self.tool_calls += 1;
                    *self.tools.entry(name.to_owned()).or_default() += 1;
                    steps.push(Step::Tool { name: name.to_owned(), on: subject(&block["input"]) });
                }
                _ => {}
            }
        }
        steps
    }
}

impl Finish {
    fn read(event: &Value) -> Self {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        let denials = event["permission_denials"].as_array().into_iter().flatten();
        Self {
            subtype: text("subtype"),
            is_error: event["is_error"].as_bool().unwrap_or(false),
            text: text("result"),
            structured: event.get("structured_output").filter(|value| !value.is_null()).cloned(),
            denied: denials.filter_map(|denial| Some(denial["tool_name"].as_str()?.to_owned())).collect(),
        }
    }
}

/// What a tool is used on: the first of its arguments that says it.
fn subject(input: &Value) -> String {
    const KEYS: [&str; 8] =
        ["file_path", "path", "pattern", "command", "url", "query", "description", "prompt"];
    let said = KEYS.into_iter().find_map(|key| input[key].as_str()).unwrap_or_default();
    said.lines().next().unwrap_or_default().chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_is_counted_as_it_goes() {
        let mut run = Run::default();
        let tool = json!({"type": "tool_use", "name": "Read", "input": {"file_path": "/a/b.rs"}});
        let answer =
            json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "I look."}, tool]}});
        let steps = run.line(answer.to_string().as_bytes());
        let read = Step::Tool { name: "Read".to_owned(), on: "/a/b.rs".to_owned() };
        assert_eq!(steps, [Step::Said("I look.".to_owned()), read]);
        for nothing in ["", "not JSON", "[]", "{\"type\":\"system\"}"] {
            assert_eq!(run.line(nothing.as_bytes()), [], "{nothing}");
        }
        assert_eq!((run.tool_calls, run.turns, run.said.as_str()), (1, 1, "I look."));
        let result = json!({"type": "result", "subtype": "error_max_turns", "is_error": true,
            "permission_denials": [{"tool_name": "Write", "tool_input": {}}]});
        run.line(result.to_string().as_bytes());
        let finish = run.result.unwrap();
        assert_eq!(
            (finish.subtype.as_str(), finish.is_error, finish.denied),
            ("error_max_turns", true, vec!["Write".to_owned()])
        );
    }
}
