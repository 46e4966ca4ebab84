//! `subagents agent new NAME`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::text_of;
use crate::command::change::tell;
use crate::command::{Context, Failure, prompt};
use crate::config::agent::{self, Blank, samples, value_of};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  subagents agent new critic --from reviewer\n  \
                        subagents agent new fixer --description \"Fixes one bug. Use when asked.\" --tools \"Read, Edit\" \
                        --prompt-file prompt.txt")]
pub(super) struct New {
    /// The agent's name.
    name: String,
    /// Begin with a sample: documenter, investigator, reviewer or test-writer.
    #[arg(long, value_name = "SAMPLE")]
    from: Option<String>,
    /// When the agent is to be used; the main model chooses by this.
    #[arg(long)]
    description: Option<String>,
    /// A route, `sonnet`, `opus`, `haiku`, `fable`, `inherit` or a Claude model's id.
    #[arg(long)]
    model: Option<String>,
    /// The tools that it may use, with commas; all if this is left out.
    #[arg(long)]
    tools: Option<String>,
    /// The file that holds its prompt; `-` reads it from stdin.
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<PathBuf>,
    /// Open it in your editor before it is saved.
    #[arg(long)]
    edit: bool,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl New {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let text = self.text()?;
        let what = format!("make agent {}", self.name);
        let store = context.store();
        let mut transaction = store.begin()?;
        let file = agent::create(&mut transaction, &context.places, &self.name, &text)?;
        let changes = if self.edit {
            // Nobody is locked out while the person writes; what happens meanwhile is seen when it is saved.
            drop(transaction);
            context.edit_file(&file, &text, &what)?
        } else {
            transaction.commit(&what)?
        };
        if changes.is_empty() {
            return Err(Failure::failed("no agent was made, as the text was left as it was"));
        }
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }

    fn text(&self) -> Result<String, Failure> {
        let blank = self.blank()?;
        let Some(sample) = &self.from else { return Ok(blank.text()) };
        let text = blank.from_sample(sample).map_err(Failure::usage)?;
        text.ok_or_else(|| {
            let known: Vec<String> = samples().into_iter().map(|agent| agent.name).collect();
            Failure::usage(format!(
                "there is no sample `{}`: there is {}",
                sample.escape_debug(),
                known.join(", ")
            ))
        })
    }

    fn blank(&self) -> Result<Blank, Failure> {
        let is_left_open = self.edit || self.from.is_some();
        let mut blank =
            Blank { name: self.name.clone(), description: self.description.clone(), ..Blank::default() };
        if blank.description.is_none() && !is_left_open {
            blank.description =
                Some(prompt::ask("When is it to be used?", None, "--description, --from or --edit")?);
        }
        if let Some(model) = &self.model {
            blank.model = value_of("model", model)?.as_str().map(str::to_owned);
        }
        if let Some(tools) = &self.tools {
            blank.tools = names(value_of("tools", tools)?);
        }
        match &self.prompt_file {
            Some(file) => blank.prompt = Some(text_of(file)?),
            None if is_left_open => {}
            None => {
                return Err(Failure::usage("an agent needs a prompt: give --prompt-file, --from or --edit"));
            }
        }
        Ok(blank)
    }
}

/// `*` stands for all, which is said by no list.
fn names(value: Value) -> Option<Vec<String>> {
    serde_json::from_value(value).ok()
}
