//! The figures of a session, as everyone gets them: `--stats-file`, the control endpoint, later the screens.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::Serialize;
use tokio::sync::watch;
use uuid::Uuid;

use super::unseen::unseen;
use crate::ledger::News;
use crate::router::{Callers, Figures, Meter};

/// So long after a prompt, a request must have come.
const BYPASS_AFTER: Duration = Duration::from_secs(20);

/// One reading. The shape is an interface (`version`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stats {
    pub version: u32,
    pub session: Uuid,
    /// RFC 3339
    pub started: Timestamp,
    /// Whether hooks were heard from; without them agents are unnamed and nothing is refused.
    pub hooks: bool,
    /// Why Claude Code's requests don't come to the router, where they don't.
    pub bypass: Option<String>,
    /// Agents that were handed over and that nothing was seen of; `None`: it can't be told.
    pub unseen: Option<Vec<String>>,
    /// How many agents that could be.
    #[serde(skip)]
    pub expected: usize,
    #[serde(flatten)]
    pub figures: Figures,
}

impl Stats {
    /// There was work, there were agents, and none of them was seen.
    pub fn none_was_seen(&self) -> bool {
        let worked = self.figures.routes.iter().any(|row| row.requests > 0);
        let unseen = self.unseen.as_ref().map_or(0, Vec::len);
        worked && unseen > 0 && unseen == self.expected
    }
}

/// Where the figures of one session come from.
#[derive(Debug)]
pub struct Observer {
    session: Uuid,
    started: Timestamp,
    meter: Arc<Meter>,
    callers: Arc<Callers>,
    /// Why requests would not come, if that was known before the start.
    suspicion: Option<String>,
    /// Agents that may be seen ([`super::unseen::expected`]).
    expected: Vec<String>,
    prompt: Mutex<Prompt>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Prompt {
    /// When the first one was made.
    made: Option<Instant>,
    /// A turn has ended since.
    answered: bool,
}

impl Observer {
    pub fn new(session: Uuid, meter: Arc<Meter>, callers: Arc<Callers>, suspicion: Option<String>) -> Self {
        let (started, expected, prompt) = (Timestamp::now(), Vec::new(), Mutex::default());
        Self { session, started, meter, callers, suspicion, expected, prompt }
    }

    /// Looks out for these agents.
    #[must_use]
    pub fn expecting(self, expected: Vec<String>) -> Self {
        Self { expected, ..self }
    }

    /// The person (or the command line) has asked something.
    pub fn prompted(&self) {
        self.prompt.lock().unwrap_or_else(PoisonError::into_inner).made.get_or_insert_with(Instant::now);
    }

    /// A turn has ended.
    pub fn answered(&self) {
        self.prompt.lock().unwrap_or_else(PoisonError::into_inner).answered = true;
    }

    /// How many requests are on their way: now, and whenever one begins or ends.
    pub fn in_flight(&self) -> watch::Receiver<u64> {
        self.meter.in_flight()
    }

    /// What is to be remembered, from now on.
    pub fn news(&self) -> News {
        News { records: self.meter.records(), conversations: self.callers.conversations() }
    }

    pub fn stats(&self) -> Stats {
        let figures = self.meter.figures();
        let prompt = *self.prompt.lock().unwrap_or_else(PoisonError::into_inner);
        Stats {
            version: 1,
            session: self.session,
            started: self.started,
            hooks: self.callers.hooks(),
            bypass: self.bypass(prompt, Instant::now()),
            unseen: unseen(&self.expected, &figures, &self.callers),
            expected: self.expected.len(),
            figures,
        }
    }

    /// A prompt was made and no request came: they go elsewhere.
    fn bypass(&self, prompt: Prompt, now: Instant) -> Option<String> {
        let overdue = prompt.made.is_some_and(|made| now.duration_since(made) >= BYPASS_AFTER);
        if self.meter.used() || !(overdue || prompt.answered) {
            return None;
        }
        let unknown = "something that beats the session's settings gives Claude Code another base URL";
        let cause = self.suspicion.as_deref().unwrap_or(unknown);
        Some(format!("Claude Code was asked something, and no request reached the router: {cause}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observer() -> Observer {
        Observer::new(Uuid::nil(), Arc::new(Meter::new(vec!["default".into()])), Arc::default(), None)
    }

    #[test]
    fn a07_a_prompt_without_a_request_is_a_bypass_after_a_while() {
        let observer = observer();
        let made = Instant::now();
        let prompt = Prompt { made: Some(made), answered: false };
        assert_eq!(observer.bypass(Prompt::default(), made + BYPASS_AFTER), None, "nothing was asked");
        assert_eq!(observer.bypass(prompt, made + BYPASS_AFTER / 2), None, "too early to say");
        assert!(observer.bypass(prompt, made + BYPASS_AFTER).is_some());
        assert!(
            observer.bypass(Prompt { answered: true, ..prompt }, made).is_some(),
            "answered by someone else"
        );
        observer.meter.other("main", "default");
        assert_eq!(observer.bypass(prompt, made + BYPASS_AFTER), None, "a request came");
    }

    #[test]
    fn f13_it_is_known_whether_any_agent_was_seen() {
        let observer = observer().expecting(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(observer.stats().unseen, None, "no hook was heard");
        observer.callers.heard();
        assert_eq!(observer.stats().unseen, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert!(!observer.stats().none_was_seen(), "nothing was asked");
        let mut stats = observer.stats();
        stats.figures.routes[0].requests = 1;
        assert!(stats.none_was_seen());
        observer.callers.started("1", "b");
        stats.unseen = observer.stats().unseen;
        assert_eq!((stats.unseen.clone(), stats.none_was_seen()), (Some(vec!["a".to_owned()]), false));
    }

    #[test]
    fn the_shape_of_the_stats_is_an_interface() {
        let stats = serde_json::to_value(observer().stats()).unwrap();
        let keys: Vec<&str> = stats.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            ["version", "session", "started", "hooks", "bypass", "unseen", "routes", "agents", "strays"]
        );
        let row: Vec<&str> = stats["routes"][0].as_object().unwrap().keys().map(String::as_str).collect();
        let want = "route requests in_flight queued ok client_error upstream_error cancelled input_tokens output_tokens \
                    cache_read_tokens cache_write_tokens cost_usd ttfb_ms total_ms other";
        assert_eq!(row, want.split(' ').collect::<Vec<_>>());
        assert!(stats["started"].as_str().unwrap().ends_with('Z'));
    }
}
