//! `subagents stats`: what was asked, where it went and what it cost, over all sessions.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::which::Which;
use super::{Context, Failure, print};
use crate::ledger::{By, Ledger, Report, Sum};
use crate::ui::{usage, usage_csv};

#[derive(Debug, Args)]
#[command(
    after_help = "Costs hold only what has a price in config.toml; the rest is counted as unpriced.\n\n\
                        Examples:\n  subagents stats\n  subagents stats --by agent --since 7d\n  \
                        subagents stats --by route --json"
)]
pub(super) struct StatsCommand {
    /// What the rows are.
    #[arg(long, value_enum, default_value_t = Key::Route)]
    by: Key,
    #[command(flatten)]
    which: Which,
    /// Print `{"version":1,"by":"…","rows":[…],"total":{…},"lost":N}`.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print lines for a spreadsheet.
    #[arg(long)]
    csv: bool,
    /// Write those lines to a file instead.
    #[arg(long, value_name = "FILE", requires = "csv")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Key {
    Day,
    Session,
    Agent,
    Route,
    Model,
}

impl StatsCommand {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let by = self.by.meaning();
        let key = by.word();
        let report = self.report(by, context)?;
        if self.json {
            let Report { rows, total, lost } = report;
            print::json(&json!({"version": 1, "by": key, "rows": rows, "total": total, "lost": lost}));
        } else if let Some(file) = &self.output {
            let lines = usage_csv(key, &report) + "\n";
            crate::config::write::write_private_file(file, lines.as_bytes())
                .map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
            print::line_to_stderr(&format!("Wrote {} rows to {}.", report.rows.len(), file.display()));
        } else if self.csv {
            print::line(&usage_csv(key, &report));
        } else {
            print::line(&usage(key, &report, print::colour(&context.environment)));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// A question makes no file: where none is, nothing has been remembered.
    fn report(&self, by: By, context: &Context) -> Result<Report, Failure> {
        let file = context.places.ledger_file();
        if !file.exists() {
            return Ok(Report { rows: Vec::new(), total: Sum::default(), lost: 0 });
        }
        let ledger = Ledger::open(&file).map_err(Failure::failed)?;
        ledger.report(by, &self.which.filter()).map_err(Failure::failed)
    }
}

impl Key {
    fn meaning(self) -> By {
        match self {
            Self::Day => By::Day,
            Self::Session => By::Session,
            Self::Agent => By::Agent,
            Self::Route => By::Route,
            Self::Model => By::Model,
        }
    }
}
