//! `subagents stats`: what was asked, where it went and what it cost, over all sessions.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ZonedDateTime};
use serde_json::json;
use uuid::Uuid;

use super::{Context, Failure, print};
use crate::ledger::{By, Filter, Ledger, Report, Sum};
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
    /// Since when: a length of time (`7d`, `12h`), or a day (`2026-11-30`).
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    since: Option<Timestamp>,
    /// Until when, in the same forms.
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    until: Option<Timestamp>,
    /// One session's requests only.
    #[arg(long, value_name = "UUID")]
    session: Option<Uuid>,
    /// One agent's requests only.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// One route's requests only.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    route: Option<String>,
    /// Print `{"version":1,"by":"…","rows":[…],"total":{…},"lost":N}`.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print lines for a spreadsheet.
    #[arg(long)]
    csv: bool,
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
        let (by, key) = self.by.meaning();
        let report = self.report(by, context)?;
        if self.json {
            let Report { rows, total, lost } = report;
            print::json(&json!({"version": 1, "by": key, "rows": rows, "total": total, "lost": lost}));
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
        ledger.report(by, &self.filter()).map_err(Failure::failed)
    }

    fn filter(&self) -> Filter {
        Filter {
            since: self.since.map(Timestamp::as_millisecond),
            until: self.until.map(Timestamp::as_millisecond),
            session: self.session,
            agent: self.agent.clone(),
            route: self.route.clone(),
        }
    }
}

impl Key {
    fn meaning(self) -> (By, &'static str) {
        match self {
            Self::Day => (By::Day, "day"),
            Self::Session => (By::Session, "session"),
            Self::Agent => (By::Agent, "agent"),
            Self::Route => (By::Route, "route"),
            Self::Model => (By::Model, "model"),
        }
    }
}

/// A day begins where the person is.
fn moment(text: &str) -> Result<Timestamp, String> {
    let unreadable = || format!("`{text}` is neither a length of time (`7d`) nor a day (`2026-11-30`)");
    if let Ok(day) = text.parse::<Date>() {
        return day
            .to_zoned_datetime(TimeZone::system())
            .map(|zoned| zoned.timestamp())
            .map_err(|_| unreadable());
    }
    let ago: Span = text.parse().map_err(|_| unreadable())?;
    ZonedDateTime::now().checked_sub(ago).map(|zoned| zoned.timestamp()).map_err(|_| unreadable())
}
