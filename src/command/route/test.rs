//! `subagents route test`.

use std::process::ExitCode;

use clap::Args;

use super::add::today;
use super::trying::{Tried, try_route};
use crate::catalogue::trial::Step;
use crate::command::network::progress;
use crate::command::{Context, Failure, print, prompt};
use crate::config::RouteId;

#[derive(Debug, Args)]
#[command(
    after_help = "This asks the model for a tiny streamed completion with a tool, on the path that agents use, \
    then for a count of tokens, a thought and a system turn. It costs a few hundred tokens. Exits with 1 where no \
    completion comes.\n\nExamples:\n  subagents route test ollama/qwen3-coder:30b\n  \
    subagents route test glm/glm-5 --write"
)]
pub(super) struct Test {
    /// The route.
    #[arg(value_name = "PROVIDER/MODEL")]
    route: RouteId,
    /// Write what was learned into config.toml.
    #[arg(long)]
    write: bool,
    /// Tell each step on stderr as it is taken, a line for each, even where no terminal is.
    #[arg(long)]
    steps: bool,
    /// Print JSON (docs/json/route-test.schema.json).
    #[arg(long)]
    json: bool,
}

impl Test {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (config, _) = context.config();
        let shared = context.shared()?;
        let told =
            |step: Step| if self.steps { print::line_to_stderr(&step.to_string()) } else { progress(step) };
        let tried = try_route(context, &shared, &config, &self.route, told).await?;
        if !self.json {
            print::line(&tried.text(print::colour(&context.environment)));
        }
        let written = !tried.lessons.is_empty() && self.wants_it_written()?;
        if written {
            self.write(context, &tried)?;
        }
        if self.json {
            let mut value = serde_json::json!({"version": 1, "written": written});
            if let (Some(value), serde_json::Value::Object(trial)) = (value.as_object_mut(), tried.as_json())
            {
                value.extend(trial);
            }
            print::json(&value);
        }
        Ok(if tried.works() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// By option, or by the person; else it is said how.
    fn wants_it_written(&self) -> Result<bool, Failure> {
        if self.write {
            return Ok(true);
        }
        if self.json {
            return Ok(false);
        }
        if prompt::possible() {
            return prompt::confirm("Write this into config.toml?", "--write");
        }
        print::line_to_stderr("--write writes this into config.toml.");
        Ok(false)
    }

    fn write(&self, context: &Context, tried: &Tried) -> Result<(), Failure> {
        let (what, day) = (format!("route test {}", self.route), today());
        let changes = context.change_config(&what, |document| {
            tried.lessons.iter().try_for_each(|lesson| lesson.write(document, &self.route, &day))
        })?;
        for change in changes {
            print::line_to_stderr(&format!("Wrote it into {}.", change.file.display()));
        }
        Ok(())
    }
}
