//! Whether a session works or is idle, from what hooks tell and what title and requests show.
//!
//! Hooks count at once. What is only seen counts when it has lasted, so that nothing flickers: Claude Code's title and
//! its hooks are some hundred milliseconds apart.

use std::borrow::Cow;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::title::Mark;
use super::{Evidence, State};

/// What is only seen counts after this long.
const SETTLED: SignedDuration = SignedDuration::from_millis(500);

/// A title that stands still although work has begun since may be late: it counts after this long.
const LATE: SignedDuration = SignedDuration::from_secs(5);

/// A child of which nothing was heard after this long is in an unknown state.
const SILENCE: SignedDuration = SignedDuration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Working,
    Idle,
}

impl Doing {
    fn state(self) -> State {
        match self {
            Self::Working => State::Working,
            Self::Idle => State::Idle,
        }
    }
}

/// What the parts say, each with its moment.
#[derive(Debug)]
pub(super) struct Activity {
    began: Timestamp,
    told: Option<Told>,
    /// When the work began that was told of last: with a prompt, or after a dialog.
    begun: Timestamp,
    mark: Option<Seen>,
    /// When a busy title turned last.
    turned: Option<Timestamp>,
    requests: Requests,
}

#[derive(Debug)]
struct Told {
    doing: Doing,
    evidence: Evidence,
    since: Timestamp,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    mark: Mark,
    since: Timestamp,
}

#[derive(Debug)]
struct Requests {
    in_flight: u64,
    /// Since when there are some, or none.
    since: Timestamp,
}

impl Activity {
    pub(super) fn new(began: Timestamp) -> Self {
        let requests = Requests { in_flight: 0, since: began };
        Self { began, told: None, begun: began, mark: None, turned: None, requests }
    }

    /// A hook has been heard, whichever.
    pub(super) fn is_told(&self) -> bool {
        self.told.is_some()
    }

    /// What was seen before is older than this.
    pub(super) fn tell(&mut self, doing: Doing, evidence: Evidence, at: Timestamp) {
        self.told = Some(Told { doing, evidence, since: at });
    }

    /// Work begins. What the title shows may still be from before.
    pub(super) fn begin(&mut self, evidence: Evidence, at: Timestamp) {
        self.begun = at;
        self.tell(Doing::Working, evidence, at);
    }

    pub(super) fn hook(&mut self, doing: Doing, event: &'static str, at: Timestamp) {
        self.tell(doing, Evidence::Hook { event: Cow::Borrowed(event) }, at);
    }

    pub(super) fn mark(&mut self, mark: Mark, at: Timestamp) {
        if mark == Mark::Busy {
            self.turned = Some(at);
        }
        if self.mark.is_none_or(|seen| seen.mark != mark) {
            self.mark = Some(Seen { mark, since: at });
        }
    }

    /// The title belongs to somebody else.
    pub(super) fn unmark(&mut self) {
        self.mark = None;
    }

    pub(super) fn requests(&mut self, in_flight: u64, at: Timestamp) {
        if (in_flight == 0) != (self.requests.in_flight == 0) {
            self.requests.since = at;
        }
        self.requests.in_flight = in_flight;
    }

    /// No dialog is shown at this moment or none was just before.
    pub(super) fn is_still(&self) -> bool {
        self.mark.is_some_and(|seen| seen.mark == Mark::Still)
    }

    /// Since when it has been at work without a dialog, where that has lasted.
    pub(super) fn busy_since(&self, at: Timestamp) -> Option<Timestamp> {
        let busy = self.mark.filter(|seen| seen.mark == Mark::Busy)?;
        lasted(busy.since, at).then_some(busy.since)
    }

    /// `None`: what is seen hasn't lasted, so that the state stays as it was.
    pub(super) fn conclude(&self, at: Timestamp) -> Option<(State, Evidence)> {
        match (&self.told, self.mark) {
            (Some(told), Some(seen)) if self.contradicts(told, seen, at) => {
                Some((doing(seen.mark).state(), Evidence::Title))
            }
            (Some(told), None) if told.doing == Doing::Idle && self.requested(told.since, at) => {
                Some(self.working())
            }
            (Some(told), _) => Some((told.doing.state(), told.evidence.clone())),
            (None, Some(seen)) => lasted(seen.since, at).then(|| (doing(seen.mark).state(), Evidence::Title)),
            (None, None) if self.requested(self.began, at) => Some(self.working()),
            (None, None) => self.silence(at),
        }
    }

    /// The next moment at which time alone may change something.
    pub(super) fn deadline(&self, at: Timestamp) -> Option<Timestamp> {
        let told = self.told.as_ref().map(|told| told.since);
        let seen = self.mark.map(|seen| seen.since);
        let lasting = [told, seen, Some(self.requests.since)].into_iter().flatten();
        let late = [told, seen].into_iter().flatten().map(|since| after(since, LATE));
        let lasting = lasting.map(|since| after(since, SETTLED));
        lasting.chain(late).chain([after(self.began, SILENCE)]).filter(|moment| *moment > at).min()
    }

    /// What is seen has been another for long enough.
    fn contradicts(&self, told: &Told, seen: Seen, at: Timestamp) -> bool {
        let since = told.since.max(seen.since);
        doing(seen.mark) != told.doing
            && match seen.mark {
                Mark::Busy => self.has_turned(told.since) && lasted(since, at),
                Mark::Still if self.requests.in_flight > 0 || !lasted(self.requests.since, at) => false,
                Mark::Still if seen.since >= told.since && self.has_turned(self.begun) => lasted(since, at),
                Mark::Still => age(since, at) >= LATE,
            }
    }

    /// A busy title has turned since, as it does about once a second. Its last turn before may have been on its way.
    fn has_turned(&self, since: Timestamp) -> bool {
        self.turned.is_some_and(|turned| age(since, turned) >= SETTLED)
    }

    fn requested(&self, since: Timestamp, at: Timestamp) -> bool {
        self.requests.in_flight > 0 && lasted(self.requests.since.max(since), at)
    }

    fn working(&self) -> (State, Evidence) {
        (State::Working, Evidence::Requests { in_flight: self.requests.in_flight })
    }

    /// That no request is on its way says nothing once there has been one.
    fn silence(&self, at: Timestamp) -> Option<(State, Evidence)> {
        let had_requests = self.requests.since != self.began;
        let is_over = had_requests && lasted(self.requests.since, at) || age(self.began, at) >= SILENCE;
        (is_over && self.requests.in_flight == 0).then_some((State::Unknown, Evidence::None))
    }
}

/// How long from `now` until then.
pub(super) fn until(moment: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(age(now, moment)).unwrap_or_default()
}

fn doing(mark: Mark) -> Doing {
    match mark {
        Mark::Busy => Doing::Working,
        Mark::Still => Doing::Idle,
    }
}

fn lasted(since: Timestamp, at: Timestamp) -> bool {
    lasted_for(SETTLED, since, at)
}

/// A clock that was set back holds nothing up.
pub(super) fn lasted_for(duration: SignedDuration, since: Timestamp, at: Timestamp) -> bool {
    let age = age(since, at);
    age >= duration || age.is_negative()
}

fn age(since: Timestamp, at: Timestamp) -> SignedDuration {
    at.duration_since(since)
}

pub(super) fn after(since: Timestamp, duration: SignedDuration) -> Timestamp {
    since.saturating_add(duration).unwrap_or(Timestamp::MAX)
}
