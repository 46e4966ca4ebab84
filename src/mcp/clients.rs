//! Clients that have said hello, and which of them have been away for too long. Pure.
//!
//! Up to version 2025-11-25 of the protocol a client has a session, and a connection that breaks is no cancellation: the
//! client may come back and take its answer up again. Whether it will, nobody knows; so what it has asked for goes on for
//! a while, and not for ever. (From version 2026-07-28 on there are no sessions, and to hang up is to call off.)

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Clients that are known at once.
const MOST: usize = 256;

/// Those that are known, by their sessions' ids.
#[derive(Debug, Default)]
pub(super) struct Clients(HashMap<String, Presence>);

#[derive(Debug)]
struct Presence {
    /// Exchanges that go on.
    open: usize,
    /// When the last one began or ended.
    seen: Instant,
}

impl Clients {
    /// One has said hello. Gives whoever has to go for it: the one that has been away for the longest, or it itself where
    /// nobody is away.
    pub(super) fn greet(&mut self, id: &str, now: Instant) -> Option<String> {
        let longest = || self.away().min_by_key(|(_, seen)| *seen).map_or(id, |(id, _)| id).to_owned();
        let surplus = (self.0.len() >= MOST).then(longest);
        self.0.insert(id.to_owned(), Presence { open: 0, seen: now });
        if let Some(id) = &surplus {
            self.0.remove(id);
        }
        surplus
    }

    /// An exchange begins. Those of strangers are nobody's.
    pub(super) fn begin(&mut self, id: &str, now: Instant) {
        if let Some(presence) = self.0.get_mut(id) {
            *presence = Presence { open: presence.open + 1, seen: now };
        }
    }

    /// An exchange has ended, however.
    pub(super) fn end(&mut self, id: &str, now: Instant) {
        if let Some(presence) = self.0.get_mut(id) {
            *presence = Presence { open: presence.open.saturating_sub(1), seen: now };
        }
    }

    /// When the next one will have been away for so long; `None`: all are here.
    pub(super) fn due(&self, patience: Duration) -> Option<Instant> {
        self.away().map(|(_, seen)| seen + patience).min()
    }

    /// Forgets those that have been away for so long.
    pub(super) fn forget(&mut self, patience: Duration, now: Instant) -> Vec<String> {
        let gone = self.away().filter(|(_, seen)| *seen + patience <= now);
        let gone: Vec<String> = gone.map(|(id, _)| id.to_owned()).collect();
        self.0.retain(|id, _| !gone.contains(id));
        gone
    }

    fn away(&self) -> impl Iterator<Item = (&str, Instant)> {
        let away = self.0.iter().filter(|(_, presence)| presence.open == 0);
        away.map(|(id, presence)| (id.as_str(), presence.seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    #[test]
    fn whoever_is_away_for_too_long_is_forgotten_and_nobody_else() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut clients = Clients::default();
        for id in ["here", "back", "gone"] {
            clients.greet(id, start);
        }
        clients.begin("here", start);
        clients.begin("here", start);
        clients.end("here", at(1));
        clients.begin("stranger", at(1));
        clients.begin("back", at(3));
        clients.end("back", at(4));
        assert_eq!(clients.due(PATIENCE), Some(at(10)));
        assert_eq!(clients.forget(PATIENCE, at(9)), [""; 0]);
        assert_eq!(clients.forget(PATIENCE, at(10)), ["gone"]);
        assert_eq!(clients.due(PATIENCE), Some(at(14)));
        assert_eq!(clients.forget(PATIENCE, at(99)), ["back"]);
        assert_eq!(clients.due(PATIENCE), None, "one that listens may stay");
    }

    #[test]
    fn one_too_many_takes_the_place_of_the_one_that_was_away_for_the_longest() {
        let start = Instant::now();
        let mut clients = Clients::default();
        for number in 0..MOST as u64 {
            assert_eq!(clients.greet(&number.to_string(), start + Duration::from_secs(number)), None);
        }
        clients.begin("0", start);
        assert_eq!(clients.greet("more", start), Some("1".to_owned()));
        let all: Vec<String> = clients.0.keys().cloned().collect();
        for id in &all {
            clients.begin(id, start);
        }
        assert_eq!(clients.greet("late", start), Some("late".to_owned()), "nobody is sent away");
        assert_eq!(clients.0.len(), MOST);
    }
}
