//! `subagents agent new NAME`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::text_of;
use crate::command::change::tell;
use crate::command::{Context, Failure, prompt};
use crate::config::agent::{self, Blank, samples, value_of};
use crate::config::edit::Change;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  subagents agent new critic --from reviewer\n  \
                        subagents agent new fixer --description \"Fixes one bug. Use when asked.\" --tools \"Read, Edit\" \
                        --prompt-file prompt.txt\n  \
                        subagents agent new critic --file critic.md")]
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
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The tools that it may use, with commas; all if this is left out.
    #[arg(long)]
    tools: Option<String>,
    /// The file that holds its prompt; `-` reads it from stdin.
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<PathBuf>,
    /// Take the whole agent file from here; `-` reads it from stdin.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["from", "description", "model", "tools", "prompt_file", "edit"]
    )]
    file: Option<PathBuf>,
    /// Open it in your editor before it is saved.
    #[arg(long)]
    edit: bool,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl New {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        // Told before anybody writes or answers anything.
        let file = agent::check_free(&context.places, &self.name)?;
        if let Some(file) = &self.file {
            return self.taken(context, &text_of(file)?);
        }
        let text = self.text()?;
        let what = format!("make agent {}", self.name);
        let changes = if self.edit {
            context.edit_file(&file, &text, &what)?
        } else {
            self.made(context, &text, &what)?
        };
        if changes.is_empty() {
            return Err(Failure::failed(
                "no agent was made, as nothing was left in the editor: write a description and a prompt there, or \
                 begin with --from, or give --description and --prompt-file",
            ));
        }
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }

    fn taken(&self, context: &Context, text: &str) -> Result<ExitCode, Failure> {
        let store = context.store();
        let mut transaction = store.begin()?;
        agent::create_whole(&mut transaction, &context.places, &self.name, text)?;
        let what = format!("make agent {}", self.name);
        tell(&what, &transaction.commit(&what)?, self.json);
        Ok(ExitCode::SUCCESS)
    }

    fn made(&self, context: &Context, text: &str, what: &str) -> Result<Vec<Change>, Failure> {
        let store = context.store();
        let mut transaction = store.begin()?;
        agent::create(&mut transaction, &context.places, &self.name, text)?;
        Ok(transaction.commit(what)?)
    }

    fn text(&self) -> Result<String, Failure> {
        let mut blank = self.blank()?;
        let Some(sample) = &self.from else {
            if !self.edit {
                complete(&mut blank)?;
            }
            return Ok(blank.text());
        };
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

    /// What was given.
    fn blank(&self) -> Result<Blank, Failure> {
        let mut blank =
            Blank { name: self.name.clone(), description: self.description.clone(), ..Blank::default() };
        if let Some(model) = &self.model {
            blank.model = value_of("model", model)?.as_str().map(str::to_owned);
        }
        if let Some(tools) = &self.tools {
            blank.tools = names(value_of("tools", tools)?);
        }
        if let Some(file) = &self.prompt_file {
            blank.prompt = Some(text_of(file)?);
        }
        Ok(blank)
    }
}

/// Asks for all that an agent needs and that wasn't given; where nobody can be asked, tells all of it at once.
fn complete(blank: &mut Blank) -> Result<(), Failure> {
    let missing = [("--description", blank.description.is_none()), ("--prompt-file", blank.prompt.is_none())];
    let missing: Vec<&str> = missing.iter().filter(|(_, is)| *is).map(|(option, _)| *option).collect();
    if !missing.is_empty() && !prompt::possible() {
        let missing = missing.join(" and ");
        return Err(Failure::usage(format!(
            "an agent needs a description and a prompt, and nobody can be asked, as stdin is no terminal: give \
             {missing}, or --from, or --edit"
        )));
    }
    if blank.description.is_none() {
        blank.description = Some(prompt::ask("When is it to be used?", None, "--description")?);
    }
    if blank.prompt.is_none() {
        let question = "What is it to do? (one line; --edit opens your editor instead)";
        blank.prompt = Some(prompt::ask(question, None, "--prompt-file")?);
    }
    Ok(())
}

/// `*` stands for all, which is said by no list.
fn names(value: Value) -> Option<Vec<String>> {
    serde_json::from_value(value).ok()
}
