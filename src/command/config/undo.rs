//! `subagents config undo`.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::command::change::{REDO, UNDO, tell_with};
use crate::command::{Context, Failure, print};
use crate::config::edit::{Stage, Version};
use crate::ui::table;

#[derive(Debug, Args)]
#[command(
    after_help = "The last ten changes that commands made are kept. A file that was changed by hand since is not \
                  written over without --force.\n\nExamples:\n  subagents config undo --list\n  subagents config undo\n  \
                  subagents config undo --redo"
)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "options of a command line, of which two never come together"
)]
pub(super) struct Undo {
    /// Do again what was taken back last.
    #[arg(long, conflicts_with = "list")]
    redo: bool,
    /// Take the last change back although a file was changed by hand since; this can be undone in turn.
    #[arg(long, conflicts_with_all = ["list", "redo"])]
    force: bool,
    /// Show the changes, and change nothing.
    #[arg(long)]
    list: bool,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Undo {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let store = context.store();
        if self.list {
            self.show(&store.versions()?, context);
            return Ok(ExitCode::SUCCESS);
        }
        let (verb, said, version, way_back) = if self.redo {
            ("redo", "Done again", store.redo()?, UNDO)
        } else if self.force {
            ("undo", "Undone", store.undo_anyway()?, UNDO)
        } else {
            ("undo", "Undone", store.undo()?, REDO)
        };
        // The files alone don't say what it was.
        if !self.json {
            print::line(&format!("{said}: {}", version.what));
        }
        tell_with(way_back, &format!("{verb} {}", version.what), &version.changes, self.json);
        Ok(ExitCode::SUCCESS)
    }

    fn show(&self, versions: &[Version], context: &Context) {
        if self.json {
            let versions: Vec<Value> = versions.iter().map(row).collect();
            print::json(&json!({"version": 1, "changes": versions}));
        } else if versions.is_empty() {
            print::line("No command has changed anything yet.");
        } else {
            let rows: Vec<Vec<String>> = versions.iter().map(cells).collect();
            print::line(&table(
                &["number", "when", "change", "state"],
                &rows,
                print::colour(&context.environment),
            ));
        }
    }
}

/// Without the texts: a list is looked at, and they may be long.
fn row(version: &Version) -> Value {
    let files: Vec<_> = version.changes.iter().map(|change| change.file.to_string_lossy()).collect();
    json!({"number": version.number, "at": version.at, "what": version.what, "undone": version.stage == Stage::Undone, "files": files})
}

fn cells(version: &Version) -> Vec<String> {
    let state = match version.stage {
        Stage::Begun => "broken off",
        Stage::Made => "done",
        Stage::Undone => "undone",
    };
    let at = version.at.strftime("%Y-%m-%d %H:%M:%S").to_string();
    vec![version.number.to_string(), at, version.what.clone(), state.to_owned()]
}
