//! A route that failed several times in a row is left alone for a while, where another can take its place.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Failures in a row that open the circuit.
const FAILURES: u32 = 3;
/// How long it stays open at first; twice as long after each trial that fails.
const PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// The breaker of one route.
#[derive(Debug, Default)]
pub struct Breaker(Mutex<State>);

#[derive(Debug, Clone, Copy)]
struct State {
    /// In a row.
    failures: u32,
    /// When the next request may try it again; `None`: closed.
    open_until: Option<Instant>,
    pause: Duration,
    /// One request is trying it.
    on_trial: bool,
}

impl Default for State {
    fn default() -> Self {
        Self { failures: 0, open_until: None, pause: PAUSE, on_trial: false }
    }
}

/// What a breaker says of its route.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Circuit {
    #[default]
    Closed,
    /// Left alone.
    Open,
    /// One request tries it.
    HalfOpen,
}

impl Breaker {
    /// Whether the route should be tried. Once an open circuit's pause is over, one request may; if nothing is heard
    /// of it for another pause, the next.
    pub(in crate::router) fn admits(&self, now: Instant) -> bool {
        let mut state = self.lock();
        match state.open_until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                state.open_until = Some(now + state.pause);
                state.on_trial = true;
                true
            }
        }
    }

    /// The route answered.
    pub(in crate::router) fn succeeded(&self) {
        *self.lock() = State::default();
    }

    /// The route failed.
    pub(in crate::router) fn failed(&self, now: Instant) {
        let mut state = self.lock();
        state.failures += 1;
        if state.on_trial {
            state.pause = (state.pause * 2).min(LONGEST_PAUSE);
        }
        if state.on_trial || state.failures >= FAILURES {
            state.on_trial = false;
            state.open_until = Some(now + state.pause);
        }
    }

    pub fn circuit(&self) -> Circuit {
        let state = self.lock();
        match state.open_until {
            None => Circuit::Closed,
            Some(_) if state.on_trial => Circuit::HalfOpen,
            Some(_) => Circuit::Open,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Plain values: a panic elsewhere leaves nothing half-written in them.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_three_failures_and_one_trial_decides() {
        let (breaker, start) = (Breaker::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        for _ in 0..2 {
            breaker.failed(at(0));
            assert!(breaker.admits(at(0)));
        }
        breaker.failed(at(0));
        assert_eq!((breaker.circuit(), breaker.admits(at(29))), (Circuit::Open, false));
        assert!(breaker.admits(at(30)));
        assert_eq!((breaker.circuit(), breaker.admits(at(31))), (Circuit::HalfOpen, false));
        breaker.failed(at(32));
        assert_eq!((breaker.circuit(), breaker.admits(at(91))), (Circuit::Open, false), "twice as long");
        assert!(breaker.admits(at(92)));
        breaker.succeeded();
        assert_eq!((breaker.circuit(), breaker.admits(at(92))), (Circuit::Closed, true));
    }

    #[test]
    fn a_success_between_failures_forgives_them() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        for _ in 0..5 {
            breaker.failed(now);
            breaker.failed(now);
            breaker.succeeded();
        }
        assert_eq!(breaker.circuit(), Circuit::Closed);
    }

    #[test]
    fn a_trial_that_nothing_is_heard_of_gives_way_to_another() {
        let (breaker, start) = (Breaker::default(), Instant::now());
        (0..3).for_each(|_| breaker.failed(start));
        assert!(breaker.admits(start + PAUSE));
        assert!(!breaker.admits(start + PAUSE));
        assert!(breaker.admits(start + 2 * PAUSE));
    }
}
