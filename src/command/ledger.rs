//! `subagents ledger …`: the database of sessions and requests itself.

use std::fs::File;
use std::io::{BufReader, BufWriter, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::which::Which;
use super::{Context, Failure, print};
use crate::ledger::{Imported, Ledger, Request};

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
    Vacuum {
        /// Print `{"version":1,"file":"…"}`.
        #[arg(long)]
        json: bool,
    },
    /// Write everything as lines of JSON, one for each session.
    #[command(after_help = "Example:\n  subagents ledger export ledger.jsonl")]
    Export {
        /// Where to; stdout if it is left out.
        file: Option<PathBuf>,
        /// Print `{"version":1,"file":"…","sessions":N}`.
        #[arg(long, requires = "file")]
        json: bool,
    },
    /// List requests one by one, the newest last.
    #[command(after_help = "Example:\n  subagents ledger requests --since 1h --agent reviewer")]
    Requests {
        #[command(flatten)]
        which: Which,
        /// So many at most; older ones are counted only.
        #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
        limit: u32,
        /// Print `{"version":1,"requests":[…],"older":N}`.
        #[arg(long)]
        json: bool,
    },
    /// Take in what `export` wrote; sessions that are known stay as they are.
    #[command(after_help = "Example:\n  subagents ledger import ledger.jsonl")]
    Import {
        /// Where from; `-` is stdin.
        file: PathBuf,
        /// Print `{"version":1,"file":"…","sessions":N,"known":N}`.
        #[arg(long)]
        json: bool,
    },
}

impl LedgerCommand {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let file = context.places.ledger_file();
        if let (false, Verb::Requests { json, .. }) = (file.exists(), &self.verb) {
            // A question makes no file: where none is, nothing has been remembered.
            print_requests(&[], 0, *json);
            return Ok(ExitCode::SUCCESS);
        }
        if !file.exists() && !matches!(self.verb, Verb::Import { .. }) {
            return Err(Failure::failed(format!(
                "nothing is remembered yet: there is no {}",
                file.display()
            )));
        }
        let mut ledger = Ledger::open(&file).map_err(Failure::failed)?;
        match self.verb {
            Verb::Check { json } => return check(&ledger, &file, json),
            Verb::Vacuum { json } => {
                ledger.vacuum().map_err(Failure::failed)?;
                tell("Gave back what space there was.", &json!({"version": 1, "file": text(&file)}), json);
            }
            Verb::Export { file: None, .. } => {
                ledger.export(&mut stdout().lock()).map_err(Failure::failed)?;
            }
            Verb::Export { file: Some(file), json } => export(&ledger, &file, json)?,
            Verb::Requests { which, limit, json } => requests(&ledger, &which, limit, json)?,
            Verb::Import { file, json } => import(&mut ledger, &file, json)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn tell(sentence: &str, object: &Value, json: bool) {
    if json { print::json(object) } else { print::line_to_stderr(sentence) }
}

fn text(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}

fn check(ledger: &Ledger, file: &Path, json: bool) -> Result<ExitCode, Failure> {
    let problems = ledger.check().map_err(Failure::failed)?;
    if json {
        print::json(&json!({"version": 1, "file": text(file), "problems": problems}));
    } else if problems.is_empty() {
        print::line(&format!("{} is sound.", file.display()));
    } else {
        print::line(&problems.join("\n"));
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whole or not at all: a file that exists is replaced when everything is written.
fn export(ledger: &Ledger, file: &Path, json: bool) -> Result<(), Failure> {
    let mut lines = BufWriter::new(Vec::new());
    let sessions = ledger.export(&mut lines).map_err(Failure::failed)?;
    let lines = lines.into_inner().map_err(Failure::failed)?;
    crate::config::write::write_private_file(file, &lines)
        .map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
    let sentence = format!("Wrote {sessions} sessions to {}.", file.display());
    tell(&sentence, &json!({"version": 1, "file": text(file), "sessions": sessions}), json);
    Ok(())
}

fn requests(ledger: &Ledger, which: &Which, limit: u32, json: bool) -> Result<(), Failure> {
    let (requests, count) = ledger.requests(&which.filter(), limit).map_err(Failure::failed)?;
    print_requests(&requests, count.saturating_sub(requests.len() as u64), json);
    Ok(())
}

fn print_requests(requests: &[Request], older: u64, json: bool) {
    if json {
        print::json(&json!({"version": 1, "requests": requests, "older": older}));
    } else {
        print::line(&crate::ui::requests(requests, older));
    }
}

fn import(ledger: &mut Ledger, file: &Path, json: bool) -> Result<(), Failure> {
    let imported = if file == Path::new("-") {
        ledger.import(stdin().lock())
    } else {
        let lines =
            File::open(file).map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
        ledger.import(BufReader::new(lines))
    };
    let Imported { sessions, known } = imported.map_err(Failure::failed)?;
    let sentence = format!("Took in {sessions} sessions; {known} were known already.");
    let object = json!({"version": 1, "file": text(file), "sessions": sessions, "known": known});
    tell(&sentence, &object, json);
    Ok(())
}
