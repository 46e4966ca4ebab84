//! How fast things go: what was counted in each part of the last minute.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::figures::{Key, View, count};

/// Milliseconds of a part.
const PART: i64 = 5_000;

/// Parts of a minute.
pub(super) const PARTS: usize = 12;

/// What was counted in one part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) requests: u64,
    pub(super) output: u64,
}

/// The last minute of one row of one session.
#[derive(Debug, Clone, Default)]
struct Ring {
    parts: [Part; PARTS],
    /// The number of the last part that something was counted in, since 1970.
    last: i64,
    /// What was told last.
    told: Part,
}

/// The last minute of all rows of all sessions.
#[derive(Debug, Default)]
pub(super) struct Paces {
    sessions: BTreeMap<Uuid, BTreeMap<(View, Key), Ring>>,
}

impl Ring {
    fn learn(&mut self, told: Part, now: i64) {
        let part = now.div_euclid(PART);
        for gone in (self.last + 1..=part).take(PARTS) {
            self.parts[place(gone)] = Part::default();
        }
        self.last = self.last.max(part);
        let into = &mut self.parts[place(self.last)];
        // Counts that go back are another process's: they begin anew.
        into.requests += told.requests.saturating_sub(self.told.requests);
        into.output += told.output.saturating_sub(self.told.output);
        self.told = told;
    }

    /// The oldest first.
    fn minute(&self, now: i64) -> [Part; PARTS] {
        let end = now.div_euclid(PART);
        let mut minute = [Part::default(); PARTS];
        for (back, part) in (0..).zip(minute.iter_mut().rev()) {
            let number = end - back;
            let span = i64::try_from(PARTS).unwrap_or(1);
            if number <= self.last && number > self.last - span {
                *part = self.parts[place(number)];
            }
        }
        minute
    }
}

fn place(part: i64) -> usize {
    let parts = i64::try_from(PARTS).unwrap_or(1);
    usize::try_from(part.rem_euclid(parts)).unwrap_or(0)
}

impl Paces {
    /// Takes a session's figures. What it had counted before it was first heard of is no news.
    pub(super) fn learn(&mut self, session: Uuid, stats: &Value, now: Timestamp) {
        let is_known = self.sessions.contains_key(&session);
        let rings = self.sessions.entry(session).or_default();
        for view in [View::Routes, View::Agents] {
            for row in view.rows(stats) {
                let told = Part { requests: count(row, "requests"), output: count(row, "output_tokens") };
                let ring = rings.entry((view, Key::of(row))).or_insert_with(|| Ring {
                    told: if is_known { Part::default() } else { told },
                    ..Ring::default()
                });
                ring.learn(told, now.as_millisecond());
            }
        }
    }

    /// Forgets all sessions but these.
    pub(super) fn keep(&mut self, keeps: impl Fn(&Uuid) -> bool) {
        self.sessions.retain(|session, _| keeps(session));
    }

    /// The last minute of a row, of these sessions together; the oldest part first.
    pub(super) fn minute(&self, sessions: &[Uuid], view: View, key: &Key, now: Timestamp) -> [Part; PARTS] {
        let of = |session: &Uuid| self.sessions.get(session)?.get(&(view, key.clone()));
        let mut minute = [Part::default(); PARTS];
        for ring in sessions.iter().filter_map(of) {
            for (sum, part) in minute.iter_mut().zip(ring.minute(now.as_millisecond())) {
                sum.requests += part.requests;
                sum.output += part.output;
            }
        }
        minute
    }

    /// When another part begins, as long as one of the minute has something in it.
    pub(super) fn deadline(&self, now: Timestamp) -> Option<Timestamp> {
        let now = now.as_millisecond();
        let is_moving = |ring: &Ring| ring.minute(now).iter().any(|part| *part != Part::default());
        let is_due = self.sessions.values().flat_map(BTreeMap::values).any(is_moving);
        is_due.then(|| Timestamp::from_millisecond((now.div_euclid(PART) + 1) * PART).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_767_225_600 + seconds).unwrap()
    }

    fn stats(requests: u64, output: u64) -> Value {
        json!({"routes": [{"route": "p/m", "requests": requests, "output_tokens": output}]})
    }

    fn minute(paces: &Paces, seconds: i64) -> (u64, u64) {
        let key = Key { agent: None, route: "p/m".to_owned() };
        let minute = paces.minute(&[Uuid::nil()], View::Routes, &key, at(seconds));
        (minute.iter().map(|part| part.requests).sum(), minute.iter().map(|part| part.output).sum())
    }

    #[test]
    fn only_differences_count_and_a_minute_later_none_is_left() {
        let mut paces = Paces::default();
        paces.learn(Uuid::nil(), &stats(100, 1000), at(0));
        assert_eq!((minute(&paces, 0), paces.deadline(at(0))), ((0, 0), None));
        paces.learn(Uuid::nil(), &stats(103, 1600), at(1));
        paces.learn(Uuid::nil(), &stats(104, 1600), at(31));
        assert_eq!(minute(&paces, 31), (4, 600));
        assert_eq!(paces.deadline(at(31)), Some(at(35)));
        assert_eq!(minute(&paces, 59), (4, 600));
        assert_eq!(minute(&paces, 60), (1, 0));
        assert_eq!((minute(&paces, 90), paces.deadline(at(90))), ((0, 0), None));
        paces.learn(Uuid::nil(), &stats(105, 1600), at(1000));
        assert_eq!(minute(&paces, 1000), (1, 0), "nothing of an earlier round is left");
        paces.learn(Uuid::nil(), &stats(2, 0), at(1001));
        assert_eq!(minute(&paces, 1001), (1, 0), "it has begun anew");
    }

    #[test]
    fn a_row_that_is_new_in_a_known_session_began_with_nothing() {
        let mut paces = Paces::default();
        paces.learn(Uuid::nil(), &json!({"routes": []}), at(0));
        paces.learn(Uuid::nil(), &stats(2, 50), at(1));
        assert_eq!(minute(&paces, 1), (2, 50));
        paces.keep(|_| false);
        assert_eq!(minute(&paces, 1), (0, 0));
    }
}
