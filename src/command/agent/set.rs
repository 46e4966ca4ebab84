//! `subagents agent set NAME KEY VALUE`, and the whole file at once.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::text_of;
use crate::command::change::tell;
use crate::command::{Context, Failure, print};
use crate::config::agent::{check_key, replace, resolves, set_value, value_of};
use crate::config::edit::Change;

#[derive(Debug, Args)]
#[command(
    after_help = "Lists are written with commas, `\"\"` is an empty one. `hooks` and `mcpServers` take JSON, `prompt` \
                        the text below the front matter. Another name in a whole file renames the agent.\n\nExamples:\n  subagents agent set reviewer model opus\n  \
                        subagents agent set reviewer tools \"Read, Grep\"\n  \
                        subagents agent set reviewer subagents.visibility hidden\n  \
                        subagents agent set reviewer maxTurns --unset\n  \
                        subagents agent set reviewer --file reviewer.md"
)]
pub(super) struct Set {
    /// The agent's name.
    name: String,
    /// The field: description, prompt, tools, model, effort, maxTurns, subagents.visibility, …
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    key: Option<String>,
    /// Its new value; `-` reads it from stdin.
    #[arg(allow_hyphen_values = true, required_unless_present_any = ["unset", "file"], conflicts_with_all = ["unset", "file"])]
    value: Option<String>,
    /// Take the field out.
    #[arg(long)]
    unset: bool,
    /// Put this whole agent file in place of the agent's; `-` reads it from stdin.
    #[arg(long, value_name = "FILE", conflicts_with = "unset")]
    file: Option<PathBuf>,
    /// With --file: only if the agent's file has this digest still, which `agent show --json` tells.
    #[arg(long, value_name = "DIGEST", requires = "file")]
    was: Option<String>,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Set {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        context.tell_namesakes(&self.name);
        let (what, changes) = match (&self.file, self.key.as_deref()) {
            (Some(file), _) => self.set_file(file, context)?,
            (None, key) => self.set_field(key.unwrap_or_default(), context)?,
        };
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }

    fn set_file(&self, file: &Path, context: &Context) -> Result<(String, Vec<Change>), Failure> {
        let text = text_of(file)?;
        let store = context.store();
        let mut transaction = store.begin()?;
        replace(&mut transaction, &context.places, &self.name, (&text, self.was.as_deref()))?;
        let what = format!("change agent {}", self.name);
        let changes = transaction.commit(&what)?;
        Ok((what, changes))
    }

    fn set_field(&self, key: &str, context: &Context) -> Result<(String, Vec<Change>), Failure> {
        let value = self.value(key)?;
        let store = context.store();
        let mut transaction = store.begin()?;
        set_value(&mut transaction, &context.places, &self.name, (key, value.as_ref()))?;
        let verb = if self.unset { "take out" } else { "set" };
        let what = format!("{verb} {key} of agent {}", self.name);
        let changes = transaction.commit(&what)?;
        warn_of_strange_tools(key, value.as_ref());
        Ok((what, changes))
    }

    fn value(&self, key: &str) -> Result<Option<Value>, Failure> {
        match self.value.as_deref() {
            None => {
                // Any key may be taken out of a file that has it.
                check_key(key)
                    .or_else(|error| if self.unset && key != "name" { Ok(()) } else { Err(error) })?;
                Ok(None)
            }
            Some("-") => Ok(Some(value_of(key, text_of(Path::new("-"))?.trim_end())?)),
            Some(text) => Ok(Some(value_of(key, text)?)),
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
