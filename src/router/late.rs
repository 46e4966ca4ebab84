//! Failures that came too late for their status: the answer had begun with pings.
//!
//! On the error event that then ends it, Claude Code throws the text away and asks the same again at once, without a
//! stream: that gets the true answer, without the provider being asked again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hyper::Response;
use tokio::time::Instant;

use super::record::CallerHeaders;

/// Claude Code asks again after a fifth of a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// Failures that nobody has asked for again yet.
#[derive(Debug, Default)]
pub struct LateFailures(Mutex<Vec<Failure>>);

/// Who asks for what: an agent asks one thing after another.
#[derive(Debug, Clone)]
pub(super) struct Asker {
    caller: Arc<CallerHeaders>,
    /// On the wire: it stands for the route.
    model: Option<String>,
}

#[derive(Debug)]
struct Failure {
    asker: Asker,
    at: Instant,
    answer: Response<Bytes>,
}

impl Asker {
    pub(super) fn new(caller: &Arc<CallerHeaders>, model: Option<&str>) -> Self {
        Self { caller: Arc::clone(caller), model: model.map(str::to_owned) }
    }

    /// The same one asks the same again. `main` and `auxiliary` requests have no agent, and go their ways at one time.
    fn asks_as(&self, other: &Self) -> bool {
        let (own, theirs) = (&*self.caller, &*other.caller);
        (&own.session, &own.agent_id, &own.prompt_id, &own.class, &self.model)
            == (&theirs.session, &theirs.agent_id, &theirs.prompt_id, &theirs.class, &other.model)
    }
}

impl LateFailures {
    pub(super) fn keep(&self, asker: Asker, answer: Response<Bytes>) {
        self.fresh().push(Failure { asker, at: Instant::now(), answer });
    }

    /// The answer that this asker has not been given yet.
    pub(super) fn take(&self, asker: &Asker) -> Option<Response<Bytes>> {
        let mut failures = self.fresh();
        let found = failures.iter().position(|failure| failure.asker.asks_as(asker))?;
        Some(failures.swap_remove(found).answer)
    }

    fn fresh(&self) -> MutexGuard<'_, Vec<Failure>> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|failure| failure.at.elapsed() < PATIENCE);
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_failure_is_given_once_to_who_asked_and_soon() {
        let failures = LateFailures::default();
        let asker = |agent: &str| {
            let caller = CallerHeaders { agent_id: Some(agent.to_owned()), ..CallerHeaders::default() };
            Asker::new(&Arc::new(caller), Some("a@p/m"))
        };
        let answer = || Response::new(Bytes::from_static(b"no"));
        failures.keep(asker("a"), answer());
        assert!(failures.take(&asker("b")).is_none());
        assert!(failures.take(&asker("a")).is_some());
        assert!(failures.take(&asker("a")).is_none());
        failures.keep(asker("a"), answer());
        tokio::time::advance(PATIENCE).await;
        assert!(failures.take(&asker("a")).is_none());
    }
}
