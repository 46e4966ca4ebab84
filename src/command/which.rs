//! Which of the remembered requests a command is about.

use clap::Args;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ZonedDateTime};
use uuid::Uuid;

use crate::ledger::Filter;

#[derive(Debug, Args)]
pub(super) struct Which {
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
}

impl Which {
    pub(super) fn filter(&self) -> Filter {
        Filter {
            since: self.since.map(Timestamp::as_millisecond),
            until: self.until.map(Timestamp::as_millisecond),
            session: self.session,
            agent: self.agent.clone(),
            route: self.route.clone(),
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
