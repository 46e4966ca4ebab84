//! How budgets stand by what the ledger has: what other sessions used today is told to this router, and all of it to people.
//!
//! A session sees what others have finished; what is still on its way there counts once it has ended.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::ZonedDateTime;
use tokio::time::Instant;
use uuid::Uuid;

use super::live::Live;
use crate::config::{Budget, Period, RouteId};
use crate::ledger::{Ledger, LedgerError, Used, Whose};
use crate::router::{Allowances, Spent};

/// How old what is known of other sessions may be.
const EVERY: Duration = Duration::from_secs(15);

/// Budgets of a day, and where others' use of them stands.
#[derive(Debug)]
pub struct Today {
    allowances: Arc<Allowances>,
    ledger: PathBuf,
    /// Those that this router doesn't count itself.
    others: Whose,
    due: Instant,
}

impl Today {
    /// `None`: there is no budget of a day, and nothing to do.
    pub fn of(allowances: &Arc<Allowances>, ledger: &Path, others: Whose) -> Option<Self> {
        allowances.of_a_day().next()?;
        Some(Self {
            allowances: Arc::clone(allowances),
            ledger: ledger.to_owned(),
            others,
            due: Instant::now(),
        })
    }

    /// Tells the budgets when it is due: at first at once. Whoever drops this before its end loses nothing.
    pub async fn tell(&mut self) {
        tokio::time::sleep_until(self.due).await;
        let (allowances, ledger, others) = (Arc::clone(&self.allowances), self.ledger.clone(), self.others);
        // The disk may take its time.
        let told =
            tokio::task::spawn_blocking(move || tell(&allowances, &ledger, others, &ZonedDateTime::now()));
        if let Ok(Err(error)) = told.await {
            tracing::warn!(%error, "what other sessions used today isn't known");
        }
        self.due = Instant::now() + EVERY;
    }
}

/// Tells them whenever it is due, for as long as it is polled. Never ends.
pub async fn follow(today: Option<&mut Today>) {
    let Some(today) = today else { return std::future::pending().await };
    loop {
        today.tell().await;
    }
}

fn tell(
    allowances: &Allowances,
    ledger: &Path,
    others: Whose,
    now: &ZonedDateTime,
) -> Result<(), LedgerError> {
    let used = used_today(ledger, others, now)?;
    for budget in allowances.of_a_day() {
        allowances.tell(&budget.name, now.date(), covered(budget, &used));
    }
    Ok(())
}

/// What was used since the person's midnight; nothing where there is no ledger.
///
/// # Errors
/// The ledger can't be read.
pub fn used_today(ledger: &Path, whose: Whose, now: &ZonedDateTime) -> Result<Vec<Used>, LedgerError> {
    let Some(ledger) = Ledger::look(ledger) else { return Ok(Vec::new()) };
    let midnight = now.start_of_day().map_or(0, |midnight| midnight.timestamp().as_millisecond());
    ledger.used_since(midnight, whose)
}

/// What of it counts towards the budget.
pub fn covered(budget: &Budget, used: &[Used]) -> Spent {
    let counts =
        |used: &&Used| used.route.parse::<RouteId>().is_ok_and(|route| budget.covers(&used.agent, &route));
    used.iter().filter(counts).fold(Spent::default(), |mut sum, Used { spent, .. }| {
        sum.requests += spent.requests;
        sum.add(&spent.usage, spent.cost);
        sum
    })
}

/// A budget, and what is used of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing<'b> {
    pub budget: &'b Budget,
    /// Of a day's the one day, of a session's each that runs, of a request's nothing.
    pub used: Vec<Use>,
}

/// What was used in one of a budget's times.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// The session and what it is called; `None`: today.
    pub session: Option<(Uuid, String)>,
    pub spent: Spent,
}

/// How all budgets stand, by what the ledger has.
///
/// # Errors
/// The ledger can't be read.
pub fn standings<'b>(
    budgets: &'b [Budget],
    ledger: &Path,
    living: &[Live],
    now: &ZonedDateTime,
) -> Result<Vec<Standing<'b>>, LedgerError> {
    let book = Ledger::look(ledger);
    let mut sessions = Vec::with_capacity(living.len());
    for live in living {
        let used = book.as_ref().map(|book| book.used_since(live.started, Whose::Session(live.session)));
        sessions.push((live, used.transpose()?.unwrap_or_default()));
    }
    let today = used_today(ledger, Whose::Everybody, now)?;
    let standing = |budget| {
        let in_session = |(live, used): &(&Live, Vec<Used>)| Use {
            session: Some((live.session, live.name.clone())),
            spent: covered(budget, used),
        };
        let used = match budget.per {
            Period::Request => Vec::new(),
            Period::Session => sessions.iter().map(in_session).collect(),
            Period::Day => vec![Use { session: None, spent: covered(budget, &today) }],
        };
        Standing { budget, used }
    };
    Ok(budgets.iter().map(standing).collect())
}
