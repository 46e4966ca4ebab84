//! What the keys of an agent's front matter mean.
//!
//! A value that limits the agent and can't be read costs the agent: it is never run with more than its file
//! gives it.

use std::path::Path;

use serde_json::{Map, Value};

use super::front_matter::{Parts, line_of_key};
use super::{Agent, Model, Visibility, keys, name, tools};
use crate::config::report::Report;
use crate::config::{RouteId, similar};

/// The agent, or `None` where something is missing or wrong, which is reported.
pub(super) fn read(
    file: &Path,
    parts: &Parts<'_>,
    map: Map<String, Value>,
    report: &mut Report,
) -> Option<Agent> {
    let before = report.errors();
    let mut fields = Fields { yaml: parts.yaml, map, name: String::new(), report };
    fields.name = fields.agent_name();
    let description = fields.required_text("description");
    let prompt = fields.prompt(parts.body);
    let tools = fields.tools();
    let model = fields.model();
    let (visibility, read_only) = fields.own_settings();
    let unknown = fields.unknown(tools.is_some());
    fields.lists();
    fields.check_shapes();
    let Fields { name, map, report, .. } = fields;
    let agent = Agent {
        name,
        description,
        prompt,
        tools,
        model,
        visibility,
        read_only,
        fields: map,
        unknown,
        file: file.to_owned(),
    };
    (report.errors() == before).then_some(agent)
}

/// The front matter while it is read; what is left in `map` at the end is handed on.
struct Fields<'r> {
    yaml: &'r str,
    map: Map<String, Value>,
    name: String,
    report: &'r mut Report,
}

impl Fields<'_> {
    fn agent_name(&mut self) -> String {
        let name = self.required_text("name").trim().to_owned();
        // A name that isn't there has just been told.
        let Some(refusal) = name::refusal(&name).filter(|_| !name.is_empty()) else { return name };
        let message = format!("`{}` can't be an agent's name: {refusal}", name.escape_debug());
        self.error("name", message, "give it another name");
        name
    }

    /// A text that is there and not blank.
    fn required_text(&mut self, key: &'static str) -> String {
        let text = self.map.shift_remove(key).as_ref().and_then(text_of).unwrap_or_default();
        if text.trim().is_empty() {
            self.error(
                key,
                format!("the agent has no `{key}`"),
                format!("add `{key}: …` to the front matter"),
            );
        }
        text
    }

    fn prompt(&mut self, body: &str) -> String {
        let key = self.map.shift_remove("prompt").as_ref().and_then(text_of);
        let body = body.trim();
        if body.is_empty() {
            let prompt = key.unwrap_or_default();
            if prompt.trim().is_empty() {
                let message = "the agent has no prompt: nothing stands below the front matter";
                self.report.error(None, message, "write what the agent is to do below the closing `---`");
            }
            return prompt;
        }
        if key.is_some() {
            self.warning(
                "prompt",
                "`prompt` isn't used, since the file has a body",
                "take one of the two out",
            );
        }
        body.to_owned()
    }

    fn tools(&mut self) -> Option<Vec<String>> {
        let value = self.map.shift_remove("tools")?;
        let Some(listed) = tools::read(&value) else {
            self.error("tools", "`tools` is no list", "write `tools: Read, Grep`");
            return None;
        };
        if listed.all {
            return None;
        }
        if listed.tools.is_empty() && !listed.unknown.is_empty() {
            let message = format!("no tool of agent `{}` is known: {}", self.name, listed.unknown.join(", "));
            self.error("tools", message, "name Claude Code's tools, such as `Read, Grep, Glob`");
        } else {
            for unknown in listed.unknown {
                let message =
                    format!("agent `{}`: `{}` is no tool; left out", self.name, unknown.escape_debug());
                self.warning("tools", message, "name Claude Code's tools, such as `Read, Grep, Glob`");
            }
        }
        Some(listed.tools)
    }

    fn model(&mut self) -> Model {
        let value = self.map.shift_remove("model").unwrap_or(Value::Null);
        let text = match &value {
            Value::Null => return Model::Inherit,
            Value::String(text) => text.trim(),
            _ => "",
        };
        if text.is_empty() || text.chars().any(char::is_whitespace) {
            let remedy = "write `provider/model`, `sonnet`, `opus`, `haiku`, `fable`, `inherit` or a Claude model's id";
            self.error("model", "`model` is no model's name", remedy);
        }
        match text.parse::<RouteId>() {
            Ok(route) => Model::Route(route),
            Err(_) if text == "inherit" => Model::Inherit,
            Err(_) => Model::Claude(text.to_owned()),
        }
    }

    /// `subagents: { visibility, read_only }`
    fn own_settings(&mut self) -> (Visibility, bool) {
        let mut settings = match self.map.shift_remove("subagents") {
            None | Some(Value::Null) => return (Visibility::default(), false),
            Some(Value::Object(settings)) => settings,
            Some(_) => {
                self.error("subagents", "`subagents` is no map", "write `visibility: …` below it, indented");
                return (Visibility::Off, true);
            }
        };
        let visibility =
            settings.shift_remove("visibility").map_or(Some(Visibility::default()), visibility_of);
        if visibility.is_none() {
            self.error("subagents", "`visibility` is unknown", "there is `model`, `hidden` and `off`");
        }
        let read_only = settings.shift_remove("read_only").map_or(Some(false), |value| value.as_bool());
        if read_only.is_none() {
            self.error("subagents", "`read_only` is neither `true` nor `false`", "write one of them");
        }
        for key in settings.keys() {
            let message = format!("`subagents` has no key `{}`", key.escape_debug());
            self.warning("subagents", message, similar::suggestion(key, ["visibility", "read_only"]));
        }
        (visibility.unwrap_or(Visibility::Off), read_only.unwrap_or(true))
    }

    /// Takes out the keys that Claude Code doesn't know.
    fn unknown(&mut self, tools_are_listed: bool) -> Map<String, Value> {
        let (known, unknown): (Map<_, _>, Map<_, _>) =
            std::mem::take(&mut self.map).into_iter().partition(|(key, _)| keys::is_known(key));
        self.map = known;
        for key in unknown.keys() {
            self.tell_unknown(key, tools_are_listed);
        }
        unknown
    }

    fn tell_unknown(&mut self, key: &str, tools_are_listed: bool) {
        let shown = key.escape_debug();
        match keys::meant_by(key) {
            Some("tools") if !tools_are_listed => {
                let message =
                    format!("unknown key `{shown}`; as it stands, agent `{}` has ALL tools", self.name);
                self.warning(key, message, "did you mean `tools`?");
            }
            Some("disallowedTools") => {
                let message =
                    format!("unknown key `{shown}`; as it stands, it forbids agent `{}` nothing", self.name);
                self.warning(key, message, "did you mean `disallowedTools`?");
            }
            Some(meant) => {
                self.warning(key, format!("unknown key `{shown}`"), format!("did you mean `{meant}`?"));
            }
            None => {
                let message = format!("Claude Code doesn't know the key `{shown}`; it is kept");
                let line = line_of_key(self.yaml, key);
                self.report.info(line, message, "");
            }
        }
    }

    /// `disallowedTools` and `skills` become lists, which is what `--agents` takes.
    fn lists(&mut self) {
        if let Some(value) = self.map.get("disallowedTools") {
            match tools::read(value) {
                Some(listed) if listed.unknown.is_empty() && !listed.all => {
                    self.map.insert("disallowedTools".to_owned(), listed.tools.into());
                }
                // To leave a name out would allow what was to be forbidden.
                _ => self.error(
                    "disallowedTools",
                    "`disallowedTools` holds something that is no tool",
                    "name Claude Code's tools, such as `Bash, Write`",
                ),
            }
        }
        if let Some(skills) = self.map.get("skills").and_then(tools::entries) {
            self.map.insert("skills".to_owned(), skills.into());
        }
    }

    /// One value of the wrong shape would make Claude Code refuse the whole launch.
    fn check_shapes(&mut self) {
        self.map.retain(|_, value| !value.is_null());
        let wrong: Vec<_> = self.map.iter().filter_map(|(key, value)| expected(key, value)).collect();
        for (key, shape) in wrong {
            self.error(key, format!("`{key}` is not {shape}"), format!("write {shape}, or take it out"));
        }
    }

    fn error(&mut self, key: &str, message: impl Into<String>, remedy: impl Into<String>) {
        self.report.error(line_of_key(self.yaml, key), message, remedy);
    }

    fn warning(&mut self, key: &str, message: impl Into<String>, remedy: impl Into<String>) {
        self.report.warning(line_of_key(self.yaml, key), message, remedy);
    }
}

/// The key and what it should have been, if the value is something else. The words are those that Claude Code 2.1.332
/// takes in `--agents`.
fn expected(key: &str, value: &Value) -> Option<(&'static str, &'static str)> {
    let is_one_of = |words: &[&str]| value.as_str().is_some_and(|word| words.contains(&word));
    let (key, shape, fits) = match key {
        "maxTurns" => ("maxTurns", "a whole number above 0", value.as_u64().is_some_and(|turns| turns > 0)),
        "background" => ("background", "`true` or `false`", value.is_boolean()),
        "omitClaudeMd" => ("omitClaudeMd", "`true` or `false`", value.is_boolean()),
        "permissionMode" => (
            "permissionMode",
            "`default`, `acceptEdits`, `plan`, `auto`, `dontAsk` or `bypassPermissions`",
            is_one_of(&["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]),
        ),
        "isolation" => ("isolation", "`worktree` or `remote`", is_one_of(&["worktree", "remote"])),
        "memory" => ("memory", "`user`, `project` or `local`", is_one_of(&["user", "project", "local"])),
        "initialPrompt" => ("initialPrompt", "a text", value.is_string()),
        "effort" => (
            "effort",
            "`low`, `medium`, `high`, `xhigh`, `max` or a number",
            value.is_u64() || is_one_of(&["low", "medium", "high", "xhigh", "max"]),
        ),
        "hooks" => ("hooks", "a map", value.is_object()),
        "mcpServers" => ("mcpServers", "a list or a map", value.is_object() || value.is_array()),
        "skills" => ("skills", "a list", value.is_array()),
        _ => return None,
    };
    (!fits).then_some((key, shape))
}

/// YAML reads `name: 12` as a number.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn visibility_of(value: Value) -> Option<Visibility> {
    // `off` without quotes is a word here, but a boolean to other YAML readers and writers.
    if value == Value::Bool(false) {
        return Some(Visibility::Off);
    }
    serde_json::from_value(value).ok()
}
