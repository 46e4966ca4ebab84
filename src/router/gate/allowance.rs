//! Budgets at work: each is looked at before a request, and charged when its answer has ended.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::civil::Date;

use crate::config::{Budget, Period, Price, RouteId};
use crate::router::error::Error;
use crate::router::pass::Spent;
use crate::router::record::Record;

/// All budgets of a router.
#[derive(Debug, Default)]
pub struct Allowances(Vec<Allowance>);

#[derive(Debug)]
struct Allowance {
    budget: Budget,
    book: Mutex<Book>,
}

/// What was used of a budget.
#[derive(Debug, Default)]
struct Book {
    /// The day that it is of; another's is forgotten.
    day: Date,
    /// By this router.
    own: Spent,
    /// By others, as far as is known.
    others: Spent,
}

/// A request that is about to be sent.
#[derive(Debug, Clone, Copy)]
pub(in crate::router) struct Order<'a> {
    pub agent: &'a str,
    pub route: &'a RouteId,
    /// Tokens that go in, as estimated.
    pub tokens: u64,
    pub price: Option<Price>,
    pub today: Date,
}

impl Allowances {
    pub fn new(budgets: impl IntoIterator<Item = Budget>) -> Self {
        Self(budgets.into_iter().map(|budget| Allowance { budget, book: Mutex::default() }).collect())
    }

    /// Nothing is limited.
    pub(in crate::router) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a request in, if every budget that covers it has something left.
    ///
    /// # Errors
    /// The first that hasn't: the message names it.
    pub(in crate::router) fn draw(&self, order: Order<'_>) -> Result<(), Error> {
        let covering = || self.covering(order.agent, order.route);
        if let Some(spent) = covering().find_map(|allowance| allowance.refusal(&order)) {
            return Err(Error::Budget { route: order.route.to_string(), budget: spent });
        }
        covering().for_each(|allowance| allowance.book(order.today).own.requests += 1);
        Ok(())
    }

    /// What a request has used.
    pub(in crate::router) fn charge(&self, record: &Record, route: &RouteId, today: Date) {
        for allowance in self.covering(&record.agent, route) {
            allowance.book(today).own.add(&record.usage, record.cost);
        }
    }

    /// Budgets of a day, whose use by other routers somebody should tell.
    pub fn of_a_day(&self) -> impl Iterator<Item = &Budget> {
        self.0.iter().map(|allowance| &allowance.budget).filter(|budget| budget.per == Period::Day)
    }

    /// What other routers have used of a budget on this day.
    pub fn tell(&self, budget: &str, day: Date, others: Spent) {
        for allowance in self.0.iter().filter(|allowance| allowance.budget.name == budget) {
            allowance.book(day).others = others;
        }
    }

    fn covering<'a>(&'a self, agent: &'a str, route: &'a RouteId) -> impl Iterator<Item = &'a Allowance> {
        self.0.iter().filter(move |allowance| allowance.budget.covers(agent, route))
    }
}

impl Allowance {
    fn book(&self, today: Date) -> MutexGuard<'_, Book> {
        // Plain numbers: a panic elsewhere leaves nothing half-written in them.
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        if self.budget.per == Period::Day && book.day != today {
            *book = Book { day: today, ..Book::default() };
        }
        book
    }

    /// What is used up, in words.
    fn refusal(&self, order: &Order<'_>) -> Option<String> {
        let book = self.book(order.today);
        let limit = match self.budget.per {
            Period::Request => self.beyond_one(order),
            Period::Session | Period::Day => self.used_up(&book),
        }?;
        Some(format!("`{}` ({limit} per {})", self.budget.name, self.budget.per.word()))
    }

    fn used_up(&self, book: &Book) -> Option<String> {
        let Budget { requests, tokens, usd, .. } = &self.budget;
        let both = |read: fn(&Spent) -> u64| read(&book.own) + read(&book.others);
        let cost = book.own.cost.unwrap_or_default() + book.others.cost.unwrap_or_default();
        if let Some(limit) = requests.filter(|limit| both(|spent| spent.requests) >= limit.get()) {
            return Some(format!("{limit} requests"));
        }
        if let Some(limit) = tokens.filter(|limit| both(|spent| spent.usage.uncached()) >= limit.get()) {
            return Some(format!("{limit} tokens"));
        }
        usd.filter(|limit| cost >= *limit).map(|limit| format!("{limit} USD"))
    }

    /// Of one request only what goes in is known beforehand.
    fn beyond_one(&self, order: &Order<'_>) -> Option<String> {
        let Budget { tokens, usd, .. } = &self.budget;
        if let Some(limit) = tokens.filter(|limit| order.tokens > limit.get()) {
            return Some(format!("{limit} tokens"));
        }
        let cost = order.price.map(|price| price.of_input(order.tokens))?;
        usd.filter(|limit| cost > *limit).map(|limit| format!("{limit} USD"))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;
    use crate::router::tap::Usage;

    const DAY: Date = jiff::civil::date(2026, 3, 1);

    fn route(text: &str) -> RouteId {
        text.parse().unwrap()
    }

    fn budget(per: Period) -> Budget {
        let name = "night".to_owned();
        Budget { name, per, agent: None, routes: None, requests: None, tokens: None, usd: None }
    }

    fn order<'a>(agent: &'a str, route: &'a RouteId, tokens: u64) -> Order<'a> {
        let price = Some(Price { input: 10.0, output: 20.0, ..Price::default() });
        Order { agent, route, tokens, price, today: DAY }
    }

    fn used(tokens: u64, cost: f64) -> Record {
        let usage = Usage { input: Some(tokens), cache_read: Some(1_000_000), ..Usage::default() };
        Record { agent: "a".to_owned(), usage, cost: Some(cost), ..Record::default() }
    }

    #[test]
    fn each_limit_refuses_the_next_request_once_it_is_reached() {
        let limited = [
            (Budget { requests: NonZero::new(2), ..budget(Period::Session) }, "2 requests per session"),
            (Budget { tokens: NonZero::new(100), ..budget(Period::Day) }, "100 tokens per day"),
            (Budget { usd: Some(0.5), ..budget(Period::Session) }, "0.5 USD per session"),
        ];
        for (budget, words) in limited {
            let (allowances, route) = (Allowances::new([budget]), route("p/m"));
            for _ in 0..2 {
                allowances.draw(order("a", &route, 1)).unwrap();
                allowances.charge(&used(60, 0.3), &route, DAY);
            }
            let refused = allowances.draw(order("a", &route, 1)).unwrap_err().to_string();
            assert!(
                refused.contains(words) && refused.contains("`night`") && refused.contains("p/m"),
                "{refused}"
            );
        }
    }

    #[test]
    fn one_request_is_judged_by_what_goes_in() {
        let route = route("p/m");
        for budget in [
            Budget { tokens: NonZero::new(100_000), ..budget(Period::Request) },
            Budget { usd: Some(1.0), ..budget(Period::Request) },
        ] {
            let allowances = Allowances::new([budget]);
            for _ in 0..3 {
                allowances.draw(order("a", &route, 100_000)).unwrap();
                allowances.charge(&used(90_000, 0.9), &route, DAY);
            }
            assert!(allowances.draw(order("a", &route, 100_001)).is_err());
        }
    }

    #[test]
    fn only_what_a_budget_covers_counts() {
        let narrow = Budget {
            agent: Some("critic".into()),
            routes: Some("p/*".parse().unwrap()),
            requests: NonZero::new(1),
            ..budget(Period::Session)
        };
        let allowances = Allowances::new([narrow]);
        for (agent, to) in [("critic", "q/m"), ("reviewer", "p/m"), ("critic", "p/m")] {
            allowances.draw(order(agent, &route(to), 1)).unwrap();
        }
        assert!(allowances.draw(order("critic", &route("p/other"), 1)).is_err());
        allowances.draw(order("critic", &route("q/m"), 1)).unwrap();
    }

    #[test]
    fn a_days_budget_counts_what_others_used_and_begins_anew_at_midnight() {
        let allowances = Allowances::new([Budget { requests: NonZero::new(3), ..budget(Period::Day) }]);
        let route = route("p/m");
        allowances.draw(order("a", &route, 1)).unwrap();
        allowances.tell("night", DAY, Spent { requests: 2, ..Spent::default() });
        assert!(allowances.draw(order("a", &route, 1)).is_err());
        let tomorrow = Order { today: DAY.tomorrow().unwrap(), ..order("a", &route, 1) };
        allowances.draw(tomorrow).unwrap();
    }
}
