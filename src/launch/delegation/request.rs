//! What a delegation asks for (D1), read from the arguments of a call. Pure.

use serde_json::{Map, Value};

use super::limits::Asked;
use super::refusal::Refusal;
use crate::config::agent::entries;

/// Bytes; what is longer belongs into a file that the child reads.
pub const PROMPT_LIMIT: usize = 1024 * 1024;

/// A task for one agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// All that the child knows of its task.
    pub prompt: String,
    /// A few words for whoever watches.
    pub description: Option<String>,
    /// `None`: a plain worker.
    pub agent: Option<String>,
    /// As they were named; `None`: what the agent has.
    pub tools: Option<Vec<String>>,
    /// The task may change things.
    pub writes: bool,
    pub limits: Asked,
    pub selection: Selection,
    /// What the answer must be; `None`: text.
    pub output_schema: Option<Value>,
    /// The id of an earlier delegation that this one goes on with.
    pub continues: Option<String>,
    /// Don't wait for the answer.
    pub background: bool,
    /// The id of a delegation in the background whose answer is wanted; nothing else is asked then.
    pub collects: Option<String>,
}

/// A route that is chosen for one call (A3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Provider and model.
    pub route: Option<(String, String)>,
    pub effort: Option<String>,
}

impl Request {
    /// Reads a call's arguments. What isn't known is refused, because nothing that is asked for is ever ignored.
    ///
    /// # Errors
    /// [`Refusal::Arguments`]: which argument, and what it must be.
    pub fn read(arguments: &Map<String, Value>) -> Result<Self, Refusal> {
        const KNOWN: [&str; 15] = [
            "prompt",
            "description",
            "agent",
            "tools",
            "read_only",
            "max_turns",
            "timeout",
            "max_tokens",
            "provider",
            "model",
            "reasoning_effort",
            "output_schema",
            "continue",
            "collect",
            "background",
        ];
        if let Some(unknown) = arguments.keys().find(|key| !KNOWN.contains(&key.as_str())) {
            return Err(Refusal::Arguments(format!("there is no argument `{}`", unknown.escape_debug())));
        }
        let reader = Reader(arguments);
        let prompt = reader.text("prompt")?.unwrap_or_default();
        if prompt.len() > PROMPT_LIMIT {
            return Err(Refusal::Arguments(format!(
                "`prompt` has {} bytes, and {PROMPT_LIMIT} is the most: put the payload into a file and name it",
                prompt.len()
            )));
        }
        let request = Self {
            prompt,
            description: reader.text("description")?,
            agent: reader.name("agent")?,
            tools: reader.tools()?,
            writes: !reader.switch("read_only")?.unwrap_or(true),
            limits: Asked {
                turns: reader.count("max_turns")?,
                seconds: reader.count("timeout")?,
                tokens: reader.count("max_tokens")?,
            },
            selection: reader.selection()?,
            output_schema: reader.schema()?,
            continues: reader.name("continue")?,
            background: reader.switch("background")?.unwrap_or(false),
            collects: reader.name("collect")?,
        };
        request.checked()
    }

    /// What no task can be.
    pub fn checked(self) -> Result<Self, Refusal> {
        if self.collects.is_some() {
            let alone = Self { collects: self.collects.clone(), ..Self::default() };
            let rest = "`collect` asks for an answer, and nothing else: leave the others out";
            return if self == alone { Ok(self) } else { Err(Refusal::Arguments(rest.to_owned())) };
        }
        if self.prompt.trim().is_empty() {
            return Err(Refusal::Arguments("`prompt` must say what is to be done".to_owned()));
        }
        let chooses = self.agent.is_some()
            || self.tools.is_some()
            || self.limits != Asked::default()
            || !self.selection.is_empty();
        if self.continues.is_some() && chooses {
            return Err(Refusal::Arguments(
                "`continue` goes on with the same agent, tools, route, effort and limits: leave the others out"
                    .to_owned(),
            ));
        }
        Ok(self)
    }
}

impl Selection {
    /// Whether anything is chosen.
    pub fn is_empty(&self) -> bool {
        self.route.is_none() && self.effort.is_none()
    }
}

struct Reader<'a>(&'a Map<String, Value>);

impl Reader<'_> {
    /// `null` is as good as nothing.
    fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Result<Option<String>, Refusal> {
        let wrong = || Refusal::Arguments(format!("`{key}` must be a text"));
        self.get(key).map(|value| value.as_str().map(str::to_owned).ok_or_else(wrong)).transpose()
    }

    fn name(&self, key: &str) -> Result<Option<String>, Refusal> {
        match self.text(key)? {
            Some(text) if text.trim().is_empty() => {
                Err(Refusal::Arguments(format!("`{key}` is empty: leave it out, or name one")))
            }
            text => Ok(text),
        }
    }

    fn switch(&self, key: &str) -> Result<Option<bool>, Refusal> {
        let wrong = || Refusal::Arguments(format!("`{key}` must be true or false"));
        self.get(key).map(|value| value.as_bool().ok_or_else(wrong)).transpose()
    }

    /// A whole number above 0.
    fn count(&self, key: &str) -> Result<Option<u64>, Refusal> {
        let wrong = || Refusal::Arguments(format!("`{key}` must be a whole number above 0"));
        let count = |value: &Value| value.as_u64().filter(|count| *count > 0).ok_or_else(wrong);
        self.get(key).map(count).transpose()
    }

    fn tools(&self) -> Result<Option<Vec<String>>, Refusal> {
        let wrong = || Refusal::Arguments("`tools` must be a list of names, or names with commas".to_owned());
        self.get("tools").map(|value| entries(value).ok_or_else(wrong)).transpose()
    }

    fn schema(&self) -> Result<Option<Value>, Refusal> {
        match self.get("output_schema") {
            Some(schema) if !schema.is_object() => {
                Err(Refusal::Arguments("`output_schema` must be a JSON Schema, an object".to_owned()))
            }
            schema => Ok(schema.cloned()),
        }
    }

    fn selection(&self) -> Result<Selection, Refusal> {
        let effort = self.name("reasoning_effort")?;
        let route = match (self.name("provider")?, self.name("model")?) {
            (Some(provider), Some(model)) => Some((provider, model)),
            (None, None) => None,
            (Some(_), None) => return Err(alone("provider", "model")),
            (None, Some(_)) => return Err(alone("model", "provider")),
        };
        Ok(Selection { route, effort })
    }
}

fn alone(given: &str, missing: &str) -> Refusal {
    Refusal::Arguments(format!("`{given}` without `{missing}`: a route is both together, or neither"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(arguments: &Value) -> Result<Request, String> {
        Request::read(arguments.as_object().unwrap()).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn d1_a_prompt_is_enough_and_then_nothing_is_written() {
        let request = read(&json!({"prompt": "Count the files."})).unwrap();
        assert_eq!(request, Request { prompt: "Count the files.".to_owned(), ..Request::default() });
    }

    #[test]
    fn d1_tools_are_a_list_or_names_with_commas() {
        for tools in [json!(["read", "Bash(git log:*)"]), json!("read, Bash(git log:*)")] {
            let request = read(&json!({"prompt": "p", "tools": tools})).unwrap();
            assert_eq!(request.tools.unwrap(), ["read", "Bash(git log:*)"]);
        }
        assert_eq!(read(&json!({"prompt": "p", "tools": []})).unwrap().tools, Some(vec![]));
        assert_eq!(read(&json!({"prompt": "p", "tools": null})).unwrap().tools, None);
    }

    #[test]
    fn d1_a3_what_is_wrong_is_named() {
        let huge = "x".repeat(PROMPT_LIMIT + 1);
        for (arguments, part) in [
            (json!({}), "`prompt`"),
            (json!({"prompt": "  \n"}), "`prompt`"),
            (json!({"prompt": 5}), "`prompt` must be a text"),
            (json!({"prompt": huge}), "put the payload into a file"),
            (json!({"prompt": "p", "read_only": "no"}), "`read_only` must be true or false"),
            (json!({"prompt": "p", "max_turns": 0}), "`max_turns` must be a whole number above 0"),
            (json!({"prompt": "p", "max_turns": 1.5}), "`max_turns`"),
            (json!({"prompt": "p", "max_turns": -3}), "`max_turns`"),
            (json!({"prompt": "p", "tools": 5}), "`tools`"),
            (json!({"prompt": "p", "agent": " "}), "`agent` is empty"),
            (json!({"prompt": "p", "provider": "glm"}), "`provider` without `model`"),
            (json!({"prompt": "p", "model": "glm-5"}), "`model` without `provider`"),
            (json!({"prompt": "p", "provider": "", "model": "m"}), "`provider` is empty"),
            (json!({"prompt": "p", "provider": "p", "model": ""}), "`model` is empty"),
            (json!({"prompt": "p", "reasoning_effort": ""}), "`reasoning_effort` is empty"),
            (json!({"prompt": "p", "output_schema": "text"}), "`output_schema`"),
            (json!({"prompt": "p", "permission_mode": "bypassPermissions"}), "no argument `permission_mode`"),
            (json!({"prompt": "p", "continue": "1", "agent": "reviewer"}), "`continue`"),
            (json!({"prompt": "p", "collect": "1"}), "`collect`"),
        ] {
            let refused = read(&arguments).unwrap_err();
            assert!(refused.contains(part), "{arguments}: {refused}");
        }
    }
}
