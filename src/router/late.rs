//! Failures that came too late for their status: the answer had begun with pings.
//!
//! On the error event that then ends it, Claude Code throws the text away and asks the same again at once, without a
//! stream: that gets the true answer, without the provider being asked again.

use std::sync::{Mutex, MutexGuard, PoisonError};
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asker {
    session: Option<String>,
    agent: Option<String>,
    prompt: Option<String>,
    /// `main` and `auxiliary` requests have no agent and go their ways at the same time.
    class: Option<String>,
    model: Option<String>,
    route: String,
}

#[derive(Debug)]
struct Failure {
    asker: Asker,
    at: Instant,
    answer: Response<Bytes>,
}

impl Asker {
    pub(super) fn new(caller: &CallerHeaders, model: Option<&str>, route: &str) -> Self {
        let CallerHeaders { session, agent_id, prompt_id, class, .. } = caller.clone();
        let (model, route) = (model.map(str::to_owned), route.to_owned());
        Self { session, agent: agent_id, prompt: prompt_id, class, model, route }
    }
}

impl LateFailures {
    pub(super) fn keep(&self, asker: Asker, answer: Response<Bytes>) {
        self.fresh().push(Failure { asker, at: Instant::now(), answer });
    }

    /// The answer that this asker has not been given yet.
    pub(super) fn take(&self, asker: &Asker) -> Option<Response<Bytes>> {
        let mut failures = self.fresh();
        let found = failures.iter().position(|failure| failure.asker == *asker)?;
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
            Asker::new(
                &CallerHeaders { agent_id: Some(agent.to_owned()), ..CallerHeaders::default() },
                Some("a@p/m"),
                "p/m",
            )
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
