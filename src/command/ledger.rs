//! `subagents ledger …`: the database of sessions and requests itself.

use std::fs::File;
use std::io::{BufReader, BufWriter, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::{Context, Failure, print};
use crate::ledger::Ledger;

/// The database of sessions and requests.
#[derive(Debug, Args)]
pub(super) struct LedgerCommand {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Whether the file is sound.
    #[command(after_help = "Exits with 1 if it isn't.\n\nExample:\n  subagents ledger check")]
    Check {
        /// Print `{"version":1,"file":"…","problems":[…]}`.
        #[arg(long)]
        json: bool,
    },
    /// Give the space of what was forgotten back to the disk.
    #[command(after_help = "Example:\n  subagents ledger vacuum")]
    Vacuum,
    /// Write everything as lines of JSON, one for each session.
    #[command(after_help = "Example:\n  subagents ledger export ledger.jsonl")]
    Export {
        /// Where to; stdout if it is left out.
        file: Option<PathBuf>,
    },
    /// Take in what `export` wrote; sessions that are known stay as they are.
    #[command(after_help = "Example:\n  subagents ledger import ledger.jsonl")]
    Import {
        /// Where from; `-` is stdin.
        file: PathBuf,
    },
}

impl LedgerCommand {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let mut ledger = Ledger::open(&context.places.ledger_file()).map_err(Failure::failed)?;
        match self.verb {
            Verb::Check { json } => return check(&ledger, &context.places.ledger_file(), json),
            Verb::Vacuum => ledger.vacuum().map_err(Failure::failed)?,
            Verb::Export { file: None } => {
                ledger.export(&mut stdout().lock()).map_err(Failure::failed)?;
            }
            Verb::Export { file: Some(file) } => export(&ledger, &file)?,
            Verb::Import { file } => import(&mut ledger, &file)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn check(ledger: &Ledger, file: &Path, json: bool) -> Result<ExitCode, Failure> {
    let problems = ledger.check().map_err(Failure::failed)?;
    if json {
        print::json(&json!({"version": 1, "file": file.to_string_lossy(), "problems": problems}));
    } else if problems.is_empty() {
        print::line(&format!("{} is sound.", file.display()));
    } else {
        print::line(&problems.join("\n"));
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whole or not at all: a file that exists is replaced when everything is written.
fn export(ledger: &Ledger, file: &Path) -> Result<(), Failure> {
    let mut lines = BufWriter::new(Vec::new());
    let sessions = ledger.export(&mut lines).map_err(Failure::failed)?;
    let lines = lines.into_inner().map_err(Failure::failed)?;
    crate::config::write::write_private_file(file, &lines)
        .map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
    print::line_to_stderr(&format!("Wrote {sessions} sessions to {}.", file.display()));
    Ok(())
}

fn import(ledger: &mut Ledger, file: &Path) -> Result<(), Failure> {
    let imported = if file == Path::new("-") {
        ledger.import(stdin().lock())
    } else {
        let lines =
            File::open(file).map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
        ledger.import(BufReader::new(lines))
    };
    let imported = imported.map_err(Failure::failed)?;
    print::line_to_stderr(&format!(
        "Took in {} sessions; {} were known already.",
        imported.sessions, imported.known
    ));
    Ok(())
}
