//! Who may come in: the session itself, and each child that was delegated something, by a token of its own.
//!
//! A child's token is the carrier of what it was granted: which routes it can reach, whose its requests are, and how
//! much it may use. It holds while the child lives, and no longer.

use std::sync::{Arc, Mutex, PoisonError};

use super::caller::Callers;
use super::choose::Table;
use super::error::Error;
use super::tap::Usage;
use super::tokens::Tokens;
use crate::config::WireId;

/// What a token lets in.
#[derive(Debug)]
pub struct Pass {
    /// Whose requests these are, where no agent of its own asks: [`WireId::MAIN`], or a child's agent.
    pub name: String,
    pub table: Arc<Table>,
    pub callers: Arc<Callers>,
    pub purse: Arc<Purse>,
}

/// How much may be used, and how much was.
#[derive(Debug, Default)]
pub struct Purse {
    limit: Budget,
    spent: Mutex<Spent>,
}

/// Limits that are checked before each request; what runs is never cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// Inference requests.
    pub requests: Option<u64>,
    /// Tokens that weren't read from a cache.
    pub tokens: Option<u64>,
}

/// What was used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Begun, also those that aren't answered yet.
    pub requests: u64,
    pub usage: Usage,
    /// USD; `None`: nothing had a price.
    pub cost: Option<f64>,
    /// A request was refused for the limit.
    pub exhausted: bool,
}

/// All passes of a router.
pub type Passes = Tokens<Pass>;

impl Pass {
    /// The session's own: everything that the table says, without a limit.
    pub fn main(table: Arc<Table>, callers: Arc<Callers>) -> Self {
        Self { name: WireId::MAIN.to_owned(), table, callers, purse: Arc::default() }
    }
}

impl Purse {
    pub fn new(limit: Budget) -> Self {
        Self { limit, spent: Mutex::default() }
    }

    pub fn spent(&self) -> Spent {
        *self.lock()
    }

    /// Counts a request in.
    ///
    /// # Errors
    /// The limit is reached: it names which.
    pub(super) fn draw(&self) -> Result<(), Error> {
        let mut spent = self.lock();
        if let Some(limit) = self.limit.reached(&spent) {
            spent.exhausted = true;
            return Err(Error::Spent(limit));
        }
        spent.requests += 1;
        Ok(())
    }

    pub(super) fn charge(&self, usage: &Usage, cost: Option<f64>) {
        self.lock().add(usage, cost);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Spent> {
        // Plain numbers: a panic elsewhere leaves nothing half-written in them.
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spent {
    /// Adds what an answer has used.
    pub fn add(&mut self, used: &Usage, cost: Option<f64>) {
        self.usage.accumulate(used);
        if let Some(cost) = cost {
            *self.cost.get_or_insert(0.0) += cost;
        }
    }
}

impl Budget {
    fn reached(&self, spent: &Spent) -> Option<String> {
        let tokens = spent.usage.uncached();
        if let Some(limit) = self.requests.filter(|limit| spent.requests >= *limit) {
            return Some(format!("{limit} requests"));
        }
        let limit = self.tokens.filter(|limit| tokens >= *limit)?;
        Some(format!("{limit} tokens"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, cache_read: u64) -> Usage {
        Usage { input: Some(input), cache_read: Some(cache_read), ..Usage::default() }
    }

    #[test]
    fn a_limit_is_reached_by_what_was_used_and_refuses_the_next() {
        for (budget, spent) in [
            (Budget { requests: Some(2), ..Budget::default() }, "2 requests"),
            (Budget { tokens: Some(100), ..Budget::default() }, "100 tokens"),
        ] {
            let purse = Purse::new(budget);
            purse.draw().unwrap();
            purse.charge(&usage(60, 1_000_000), Some(0.25));
            purse.draw().unwrap();
            purse.charge(&usage(60, 0), Some(0.25));
            let refused = purse.draw().unwrap_err().to_string();
            assert!(refused.contains(spent), "{refused}");
            assert!(purse.spent().exhausted);
            assert_eq!(purse.spent().requests, 2);
        }
    }

    #[test]
    fn without_a_limit_everything_is_only_counted() {
        let purse = Purse::default();
        for _ in 0..3 {
            purse.draw().unwrap();
            purse.charge(&usage(1, 2), None);
        }
        let spent = purse.spent();
        assert_eq!((spent.requests, spent.usage, spent.cost), (3, usage(3, 6), None));
        assert!(!spent.exhausted);
    }
}
