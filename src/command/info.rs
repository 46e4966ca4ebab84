//! `subagents info`: where everything is.

use std::process::ExitCode;

use clap::Args;

use super::{Context, Failure, print};
use crate::launch::info::Info;
use crate::ui::table;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  subagents info\n  subagents info --json")]
pub(super) struct InfoCommand {
    /// Print JSON (docs/json/info.schema.json).
    #[arg(long)]
    json: bool,
}

impl InfoCommand {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let here = super::here()?;
        let (config, _) = context.config();
        let info = Info::gather(&context.places, &context.environment, &config, &here);
        if self.json {
            print::json(&info);
        } else {
            print::line(&table(
                &["what", "where", "state"],
                &rows(&info),
                print::colour(&context.environment),
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn rows(info: &Info) -> Vec<Vec<String>> {
    let row = |name: &str, path: &str, state: &str| vec![name.to_owned(), path.to_owned(), state.to_owned()];
    let places = info.places.iter().map(|place| {
        row(&place.name.replace('_', " "), &place.path, if place.exists { "there" } else { "not there yet" })
    });
    let claude = &info.claude;
    let (path, version) = (claude.path.as_deref().unwrap_or_default(), claude.version.as_deref());
    let claude = row("claude", path, version.or(claude.error.as_deref()).unwrap_or_default());
    let project = info.project.iter().map(|project| {
        row("project profile", &project.file, project.reason.as_deref().unwrap_or(project.standing))
    });
    let sandbox = row("sandbox", "", info.sandbox);
    places.chain([row("subagents", "", info.subagents), claude, sandbox]).chain(project).collect()
}
