//! `subagents agent set NAME KEY VALUE`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::text_of;
use crate::command::change::tell;
use crate::command::{Context, Failure, print};
use crate::config::agent::{check_key, resolves, set_value, value_of};

#[derive(Debug, Args)]
#[command(
    after_help = "Lists are written with commas, `\"\"` is an empty one. `hooks` and `mcpServers` take JSON, `prompt` \
                        the text below the front matter.\n\nExamples:\n  subagents agent set reviewer model opus\n  \
                        subagents agent set reviewer tools \"Read, Grep\"\n  \
                        subagents agent set reviewer subagents.visibility hidden\n  \
                        subagents agent set reviewer maxTurns --unset"
)]
pub(super) struct Set {
    /// The agent's name.
    name: String,
    /// The field: description, prompt, tools, model, effort, maxTurns, subagents.visibility, …
    key: String,
    /// Its new value; `-` reads it from stdin.
    #[arg(allow_hyphen_values = true, required_unless_present = "unset", conflicts_with = "unset")]
    value: Option<String>,
    /// Take the field out.
    #[arg(long)]
    unset: bool,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Set {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let value = self.value()?;
        context.tell_namesakes(&self.name);
        let store = context.store();
        let mut transaction = store.begin()?;
        set_value(&mut transaction, &context.places, &self.name, (&self.key, value.as_ref()))?;
        let verb = if self.unset { "take out" } else { "set" };
        let what = format!("{verb} {} of agent {}", self.key, self.name);
        let changes = transaction.commit(&what)?;
        warn_of_strange_tools(&self.key, value.as_ref());
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }

    fn value(&self) -> Result<Option<Value>, Failure> {
        match self.value.as_deref() {
            None => {
                // Any key may be taken out of a file that has it.
                check_key(&self.key)
                    .or_else(|error| if self.unset && self.key != "name" { Ok(()) } else { Err(error) })?;
                Ok(None)
            }
            Some("-") => Ok(Some(value_of(&self.key, text_of(Path::new("-"))?.trim_end())?)),
            Some(text) => Ok(Some(value_of(&self.key, text)?)),
        }
    }
}

fn warn_of_strange_tools(key: &str, value: Option<&Value>) {
    let names = value.filter(|_| matches!(key, "tools" | "disallowedTools")).and_then(Value::as_array);
    for name in names.into_iter().flatten().filter_map(Value::as_str).filter(|name| !resolves(name)) {
        print::line_to_stderr(&format!(
            "subagents: Claude Code has no tool `{}` by itself, as far as is known",
            name.escape_debug()
        ));
    }
}
