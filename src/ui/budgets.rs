//! Budgets, and what is used of them, as a table. Pure.

use super::colour::Colour;
use super::table::table;
use super::text::{dollars, short};
use crate::config::{Budget, Period};
use crate::launch::today::{Standing, Use};
use crate::router::Spent;

/// A line for each budget, and one more for each further session.
pub fn budgets(standings: &[Standing<'_>], colour: Colour) -> String {
    let rows: Vec<Vec<String>> = standings.iter().flat_map(rows).collect();
    table(&["budget", "per", "agent", "route", "limit", "used", "in"], &rows, colour)
}

fn rows(standing: &Standing<'_>) -> Vec<Vec<String>> {
    let budget = standing.budget;
    let row = |used: Option<&Use>| {
        let place = used.map(|used| used.session.as_ref().map_or("today", |(_, name)| name).to_owned());
        vec![
            budget.name.clone(),
            budget.per.word().to_owned(),
            budget.agent.clone().unwrap_or_else(|| "all".to_owned()),
            budget.routes.as_ref().map_or("all".to_owned(), ToString::to_string),
            limit(budget),
            used.map(|used| spent(budget, &used.spent)).unwrap_or_default(),
            place.unwrap_or_default(),
        ]
    };
    if standing.used.is_empty() {
        vec![row(None)]
    } else {
        standing.used.iter().map(|used| row(Some(used))).collect()
    }
}

/// `500 requests, 5.0M tokens, $5.00`
fn limit(budget: &Budget) -> String {
    let parts = [
        budget.requests.map(|requests| format!("{requests} requests")),
        budget.tokens.map(|tokens| format!("{} tokens", short(tokens.get()))),
        budget.usd.map(dollars),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// As much of it as is limited.
fn spent(budget: &Budget, spent: &Spent) -> String {
    let parts = [
        budget.requests.map(|_| spent.requests.to_string()),
        budget.tokens.map(|_| short(spent.usage.uncached())),
        budget.usd.map(|_| cost(spent)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn cost(spent: &Spent) -> String {
    match spent.cost {
        Some(cost) => dollars(cost),
        None if spent.requests == 0 => dollars(0.0),
        None => "no price".to_owned(),
    }
}

/// `night: 500 requests, $5.00 a day, only critic`
pub(super) fn told(budget: &Budget) -> String {
    let agent = budget.agent.as_ref().map(|agent| format!(", only {agent}")).unwrap_or_default();
    let per = match budget.per {
        Period::Request => "a request",
        Period::Session => "a session",
        Period::Day => "a day",
    };
    format!("{}: {} {per}{agent}", budget.name, limit(budget))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use uuid::Uuid;

    use super::*;
    use crate::router::tap::Usage;

    #[test]
    fn each_budget_stands_with_its_limits_and_what_is_used_where() {
        let budget = |name: &str, per| Budget {
            name: name.to_owned(),
            per,
            agent: None,
            routes: None,
            requests: None,
            tokens: None,
            usd: Some(5.0),
        };
        let day = Budget { requests: NonZeroU64::new(500), ..budget("day", Period::Day) };
        let session = Budget {
            agent: Some("critic".to_owned()),
            routes: Some("glm/*".parse().unwrap()),
            tokens: NonZeroU64::new(5_000_000),
            ..budget("session", Period::Session)
        };
        let request = budget("request", Period::Request);
        let usage = Usage { input: Some(1200), cache_read: Some(9000), ..Usage::default() };
        let spent = |cost| Spent { requests: 12, usage, cost, exhausted: false };
        let of = |name: &str| Some((Uuid::nil(), name.to_owned()));
        let standings = [
            Standing { budget: &day, used: vec![Use { session: None, spent: spent(Some(0.25)) }] },
            Standing {
                budget: &session,
                used: vec![
                    Use { session: of("shop"), spent: spent(None) },
                    Use { session: of("docs"), spent: Spent::default() },
                ],
            },
            Standing { budget: &request, used: Vec::new() },
        ];
        insta::assert_snapshot!(budgets(&standings, Colour::Never));
        assert_eq!(told(&session), "session: 5.0M tokens, $5.00 a session, only critic");
    }
}
